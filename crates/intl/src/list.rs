//! `Intl.ListFormat`.

use serde_json::{Value, json};

use crate::{
    data,
    error::Result,
    locale::Locale,
    options::Options,
    parts::{Part, fill},
};

/// `Intl.ListFormat`.
#[derive(Debug)]
pub struct ListFormat {
    locale: Locale,
    kind: &'static str,
    style: &'static str,
    /// For two items, the start, the middle and the end.
    patterns: [String; 4],
}

impl ListFormat {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let kind = options.one_of("type", &["conjunction", "disjunction", "unit"])?.unwrap_or("conjunction");
        let style = options.one_of("style", &["long", "short", "narrow"])?.unwrap_or("long");
        let name = match kind {
            "conjunction" => "standard",
            "disjunction" => "or",
            _ => "unit",
        };
        let key = if style == "long" { name.to_owned() } else { format!("{name}-{style}") };
        let all = data::section(&locale.data, "lists")?;
        let pattern = |index: usize| all[&key][index].as_str().unwrap_or("{0}, {1}").to_owned();
        Ok(Self { patterns: [pattern(0), pattern(1), pattern(2), pattern(3)], locale, kind, style })
    }

    /// Joins items.
    pub fn format(&self, items: &[String]) -> Vec<Part> {
        let element = |text: &String| vec![Part::new("element", text)];
        let join = |pattern: &str, left: Vec<Part>, right: &String| {
            fill(&self.fitting(pattern, right), "literal", &[left, element(right)])
        };
        match items {
            [] => Vec::new(),
            [only] => element(only),
            [first, second] => join(&self.patterns[0], element(first), second),
            [first, second, middle @ .., last] => {
                let start = join(&self.patterns[1], element(first), second);
                let list = middle.iter().fold(start, |list, item| join(&self.patterns[2], list, item));
                join(&self.patterns[3], list, last)
            }
        }
    }

    /// Spanish and Hebrew conjunctions depend on the word that follows.
    fn fitting(&self, pattern: &str, next: &str) -> String {
        let lower = next.to_lowercase();
        match self.locale.language.as_str() {
            "es" if pattern.contains(" y ")
                && (lower.starts_with('i')
                    || (lower.starts_with("hi")
                        && !lower.starts_with("hia")
                        && !lower.starts_with("hie"))) =>
            {
                pattern.replace(" y ", " e ")
            }
            "es" if pattern.contains(" o ")
                && (lower.starts_with('o')
                    || lower.starts_with("ho")
                    || lower.starts_with('8')
                    || lower == "11"
                    || lower.starts_with("11 ")) =>
            {
                pattern.replace(" o ", " u ")
            }
            "he" if pattern.contains(" ו{1}")
                && !next.starts_with(|first: char| ('א'..='ת').contains(&first)) =>
            {
                pattern.replace(" ו{1}", " ו-{1}")
            }
            _ => pattern.to_owned(),
        }
    }

    pub(crate) fn resolved(&self) -> Value {
        json!({ "locale": self.locale.name, "type": self.kind, "style": self.style })
    }
}
