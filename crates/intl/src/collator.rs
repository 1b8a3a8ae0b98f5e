//! `Intl.Collator`, by ICU4X.

use std::cmp::Ordering;

use icu_collator::{
    CollatorBorrowed, CollatorPreferences,
    options::{AlternateHandling, CaseLevel, CollatorOptions, Strength},
};
use serde_json::{Value, json};

use crate::{
    error::{IntlError, Result},
    locale::Locale,
    options::Options,
};

/// `Intl.Collator`.
#[derive(Debug)]
pub struct Collator {
    locale: Locale,
    collator: CollatorBorrowed<'static>,
    usage: &'static str,
    sensitivity: &'static str,
    ignore_punctuation: bool,
    numeric: bool,
    case_first: &'static str,
    collation: String,
}

/// Locales that V8 reports with their region; others have the collation of their language.
const WITH_REGION: &[&str] = &[
    "de-AT",
    "en-US",
    "fr-CA",
    "he-IL",
    "id-ID",
    "nb-NO",
    "sr-Latn-RS",
    "sr-Latn",
    "sr-RS",
    "zh-CN",
    "zh-HK",
    "zh-Hant",
    "zh-TW",
];
const CASE_FIRST: &[&str] = &["upper", "lower", "false"];

impl Collator {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let usage = options.one_of("usage", &["sort", "search"])?.unwrap_or("sort");
        let requested = options.name("collation")?.or_else(|| locale.keywords.get("co").cloned());
        let numeric = options.flag("numeric");
        let numeric =
            numeric.or_else(|| locale.keywords.get("kn").map(|value| value != "false")).unwrap_or(false);
        let keyword = || {
            CASE_FIRST.iter().find(|known| locale.keywords.get("kf").is_some_and(|value| value == **known))
        };
        let case_first = options.one_of("caseFirst", CASE_FIRST)?.or_else(|| keyword().copied());
        let sensitivity =
            options.one_of("sensitivity", &["base", "accent", "case", "variant"])?.unwrap_or("variant");
        // Thai is the only language that ignores punctuation.
        let ignore_punctuation = options.flag("ignorePunctuation").unwrap_or(locale.language == "th");
        let collation = requested.filter(|name| name != "search" && name != "standard");
        let mut tag = format!("{}-u", locale.name);
        if let Some(name) = &collation {
            tag.push_str(&format!("-co-{name}"));
        }
        if let Some(first) = case_first {
            tag.push_str(&format!("-kf-{first}"));
        }
        tag.push_str(&format!("-kn-{numeric}"));
        let missing = |_| IntlError::Unsupported(format!("collation of the locale \"{}\"", locale.name));
        let tag: icu_locale_core::Locale = tag.parse().map_err(|_| missing(()))?;
        let mut settings = CollatorOptions::default();
        settings.strength = Some(match sensitivity {
            "base" | "case" => Strength::Primary,
            "accent" => Strength::Secondary,
            _ => Strength::Tertiary,
        });
        settings.case_level = (sensitivity == "case").then_some(CaseLevel::On);
        settings.alternate_handling = Some(if ignore_punctuation {
            AlternateHandling::Shifted
        } else {
            AlternateHandling::NonIgnorable
        });
        let collator = icu_collator::Collator::try_new(CollatorPreferences::from(&tag), settings)
            .map_err(|_| missing(()))?;
        let case_first = case_first.unwrap_or(if locale.language == "da" { "upper" } else { "false" });
        let collation = collation.unwrap_or_else(|| "default".to_owned());
        Ok(Self { locale, collator, usage, sensitivity, ignore_punctuation, numeric, case_first, collation })
    }

    /// Compares two texts.
    pub fn compare(&self, one: &str, other: &str) -> Ordering {
        self.collator.compare(one, other)
    }

    pub(crate) fn resolved(&self) -> Value {
        let numeric = if self.numeric { "true" } else { "false" };
        let mut locale = self.locale.clone();
        if !WITH_REGION.contains(&locale.name.as_str()) {
            locale.name = locale.language.clone();
        }
        json!({
            "locale": locale.name_with(&[("co", &self.collation), ("kf", self.case_first), ("kn", numeric)]),
            "usage": self.usage, "sensitivity": self.sensitivity, "ignorePunctuation": self.ignore_punctuation,
            "collation": self.collation, "numeric": self.numeric, "caseFirst": self.case_first,
        })
    }
}
