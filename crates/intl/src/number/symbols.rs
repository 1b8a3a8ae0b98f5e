//! The data of numbers in a locale.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    data,
    error::{IntlError, Result},
    locale::Locale,
};

pub(super) type Forms = BTreeMap<String, String>;

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Numbers {
    pub(super) system: String,
    pub(super) native: String,
    pub(super) minimum_grouping: usize,
    pub(super) systems: BTreeMap<String, System>,
}

/// Symbols and patterns of one numbering system.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct System {
    pub(super) symbols: Symbols,
    pub(super) decimal: String,
    pub(super) percent: String,
    pub(super) currency: String,
    pub(super) currency_alpha: Option<String>,
    pub(super) accounting: String,
    pub(super) accounting_alpha: Option<String>,
    pub(super) currency_units: Forms,
    pub(super) short: BTreeMap<String, Forms>,
    pub(super) long: BTreeMap<String, Forms>,
    pub(super) currency_short: BTreeMap<String, Forms>,
    pub(super) currency_short_alpha: BTreeMap<String, Forms>,
    pub(super) range: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Symbols {
    pub(super) decimal: String,
    pub(super) group: String,
    pub(super) minus: String,
    pub(super) plus: String,
    pub(super) percent: String,
    pub(super) nan: String,
    pub(super) infinity: String,
    pub(super) exponential: String,
    pub(super) currency_decimal: Option<String>,
    pub(super) currency_group: Option<String>,
    pub(super) approximately: Option<String>,
}

/// Returns the ten digits of a numbering system that has digits.
pub(crate) fn digit_characters(system: &str) -> Option<Vec<char>> {
    let digits: Vec<char> = data::supplemental_text("digits", system)?.chars().collect();
    (digits.len() == 10).then_some(digits)
}

/// The numbering system that is used, its symbols, and its digits.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) name: String,
    pub(super) system: System,
    pub(super) digits: Vec<char>,
    pub(super) minimum_grouping: usize,
}

impl Chosen {
    pub(super) fn new(locale: &Locale, option: Option<&str>) -> Result<Self> {
        let mut numbers: Numbers = data::typed(&locale.data, "numbers")?;
        let native = numbers.native.clone();
        let known = |name: &str| match name {
            "native" => Some(native.clone()),
            _ => digit_characters(name).map(|_| name.to_owned()),
        };
        let requested = option.and_then(known).or_else(|| known(locale.keywords.get("nu")?));
        let name = requested.unwrap_or_else(|| numbers.system.clone());
        let missing = || IntlError::Unsupported(format!("the numbering system \"{name}\""));
        let digits = digit_characters(&name).ok_or_else(missing)?;
        let latin = numbers
            .systems
            .get("latn")
            .map(|latin| (latin.currency_short.clone(), latin.currency_short_alpha.clone()));
        let mut system =
            numbers.systems.remove(&name).or_else(|| numbers.systems.remove("latn")).ok_or_else(missing)?;
        if let Some((short, alphabetic)) = latin.filter(|_| system.currency_short.is_empty()) {
            (system.currency_short, system.currency_short_alpha) = (short, alphabetic);
        }
        Ok(Self { name, system, digits, minimum_grouping: numbers.minimum_grouping })
    }
}
