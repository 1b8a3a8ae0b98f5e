//! `Intl.RelativeTimeFormat`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    data,
    decimal::Number,
    error::{IntlError, Result},
    locale::Locale,
    number::NumberFormat,
    options::Options,
    parts::{Part, fill, joined},
};

const UNITS: [&str; 8] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

#[derive(Debug, Deserialize)]
struct Field {
    names: BTreeMap<String, String>,
    future: BTreeMap<String, String>,
    past: BTreeMap<String, String>,
}

/// `Intl.RelativeTimeFormat`.
#[derive(Debug)]
pub struct RelativeTimeFormat {
    locale: Locale,
    style: &'static str,
    words: bool,
    number: NumberFormat,
    fields: BTreeMap<&'static str, Field>,
}

impl RelativeTimeFormat {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let system = options.name("numberingSystem")?;
        let style = options.one_of("style", &["long", "short", "narrow"])?.unwrap_or("long");
        let words = options.one_of("numeric", &["always", "auto"])? == Some("auto");
        let settings = system.map_or(json!({}), |system| json!({ "numberingSystem": system }));
        let number = NumberFormat::new(locale.clone(), Options(&settings, "NumberFormat"))?;
        let all = data::section(&locale.data, "relative")?;
        let field = |unit: &'static str| Some((unit, Field::deserialize(all.get(unit)?.get(style)?).ok()?));
        let fields = UNITS.into_iter().filter_map(field).collect();
        Ok(Self { locale, style, words, number, fields })
    }

    /// Formats a distance in a unit.
    pub fn format(&self, value: &str, unit: &str) -> Result<Vec<Part>> {
        let singular = unit.strip_suffix('s').unwrap_or(unit);
        let wrong = || {
            IntlError::Range(format!(
                "Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '{unit}'"
            ))
        };
        let name = UNITS.into_iter().find(|known| *known == singular).ok_or_else(wrong)?;
        let field = self.fields.get(name).ok_or_else(wrong)?;
        let mut number = match Number::parse(value) {
            Number::Finite(number) => number,
            _ => {
                return Err(IntlError::Range(
                    "Value need to be finite number for Intl.RelativeTimeFormat.prototype.format()"
                        .to_owned(),
                ));
            }
        };
        let negative = number.negative;
        if self.words && number.fraction_digits() == 0 && number.magnitude() == 0 {
            let sign = if negative && !number.is_zero() { "-" } else { "" };
            if let Some(text) = field.names.get(&format!("{sign}{}", number.digit(0))) {
                return Ok(vec![Part::literal(text)]);
            }
        }
        number.negative = false;
        let (mut digits, form) = self.number.format_number(Number::Finite(number));
        for part in &mut digits {
            part.unit = Some(name);
        }
        let patterns = if negative { &field.past } else { &field.future };
        let pattern = patterns.get(form).or_else(|| patterns.get("other"));
        Ok(fill(pattern.map_or("{0}", String::as_str), "literal", &[digits]))
    }

    /// The same as text.
    pub fn text(&self, value: &str, unit: &str) -> Result<String> {
        Ok(joined(&self.format(value, unit)?))
    }

    pub(crate) fn resolved(&self) -> Value {
        let system = self.number.system_name();
        json!({
            "locale": self.locale.name_with(&[("nu", system)]), "style": self.style,
            "numeric": if self.words { "auto" } else { "always" }, "numberingSystem": system,
        })
    }
}
