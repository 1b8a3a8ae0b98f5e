//! `Intl.supportedValuesOf`.

use serde_json::Value;

use crate::{
    data,
    date::canonical_time_zone,
    error::{IntlError, Result},
    number::UNITS,
};

/// Returns the supported values of a key, sorted.
pub fn supported_values(key: &str) -> Result<Vec<String>> {
    let keys =
        |value: &Value| value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let mut values: Vec<String> = match key {
        "calendar" => vec!["gregory".to_owned()],
        "collation" => {
            ["compat", "emoji", "eor", "phonebk", "pinyin", "searchjl", "stroke", "trad", "zhuyin"]
                .map(str::to_owned)
                .to_vec()
        }
        "currency" => keys(&*data::section("en", "currencies")?),
        "numberingSystem" => keys(&*data::section("und", "digits")?),
        "timeZone" => {
            let all = jiff::tz::db().available().filter_map(|name| canonical_time_zone(name.as_str()));
            all.filter(|name| name == "UTC" || name.contains('/')).collect()
        }
        "unit" => UNITS.iter().map(|unit| (*unit).to_owned()).collect(),
        _ => return Err(IntlError::Range(format!("Invalid key : {key}"))),
    };
    values.sort();
    values.dedup();
    Ok(values)
}
