//! Any of the constructors of `Intl`, by name.

use serde_json::Value;

use crate::{
    collator::Collator,
    date::DateTimeFormat,
    error::{IntlError, Result},
    list::ListFormat,
    locale::Locale,
    names::DisplayNames,
    number::NumberFormat,
    options::Options,
    plural::PluralRules,
    relative::RelativeTimeFormat,
    segmenter::Segmenter,
};

/// An instance of a constructor of `Intl`.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is named after its constructor")]
pub enum Formatter {
    Collator(Collator),
    DateTime(Box<DateTimeFormat>),
    DisplayNames(DisplayNames),
    List(ListFormat),
    Number(Box<NumberFormat>),
    PluralRules(PluralRules),
    RelativeTime(Box<RelativeTimeFormat>),
    Segmenter(Segmenter),
}

/// Defaults of formatters.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// The language tag used if none is requested.
    pub locale: String,
    /// The IANA name of the time zone used if none is requested.
    pub time_zone: String,
}

impl Formatter {
    /// Creates what `new Intl.<constructor>(locales, options)` creates.
    pub fn new(constructor: &str, locales: &[String], options: &Value, defaults: &Defaults) -> Result<Self> {
        let locale = Locale::resolve(locales, &defaults.locale)?;
        let options = Options(options, constructor);
        Ok(match constructor {
            "Collator" => Self::Collator(Collator::new(locale, options)?),
            "DateTimeFormat" => {
                Self::DateTime(Box::new(DateTimeFormat::new(locale, options, &defaults.time_zone)?))
            }
            "DisplayNames" => Self::DisplayNames(DisplayNames::new(locale, options)?),
            "ListFormat" => Self::List(ListFormat::new(locale, options)?),
            "NumberFormat" => Self::Number(Box::new(NumberFormat::new(locale, options)?)),
            "PluralRules" => Self::PluralRules(PluralRules::new(locale, options)?),
            "RelativeTimeFormat" => Self::RelativeTime(Box::new(RelativeTimeFormat::new(locale, options)?)),
            "Segmenter" => Self::Segmenter(Segmenter::new(locale, options)?),
            other => return Err(IntlError::Unsupported(format!("Intl.{other}"))),
        })
    }

    /// Returns what `resolvedOptions` returns.
    pub fn resolved(&self) -> Value {
        match self {
            Self::Collator(formatter) => formatter.resolved(),
            Self::DateTime(formatter) => formatter.resolved(),
            Self::DisplayNames(formatter) => formatter.resolved(),
            Self::List(formatter) => formatter.resolved(),
            Self::Number(formatter) => formatter.resolved(),
            Self::PluralRules(formatter) => formatter.resolved(),
            Self::RelativeTime(formatter) => formatter.resolved(),
            Self::Segmenter(formatter) => formatter.resolved(),
        }
    }
}
