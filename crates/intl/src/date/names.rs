//! The data of dates in a locale.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Dates {
    pub(crate) months: Contexts,
    pub(crate) days: Contexts,
    pub(crate) periods: Periods,
    pub(crate) eras: Widths,
    /// Full, long, medium and short, as in the next two.
    pub(crate) date: Vec<String>,
    pub(crate) time: Vec<String>,
    pub(crate) join_at: Vec<String>,
    pub(crate) available: BTreeMap<String, String>,
    /// Patterns that append an era, a time zone and a weekday.
    pub(crate) append: Vec<String>,
    pub(crate) intervals: BTreeMap<String, BTreeMap<String, String>>,
    pub(crate) interval: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Contexts {
    pub(crate) format: Widths,
    pub(crate) standalone: Widths,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Widths {
    wide: Vec<String>,
    abbreviated: Vec<String>,
    narrow: Vec<String>,
}

impl Widths {
    /// The name at an index, by the length of a pattern field.
    pub(crate) fn name(&self, length: usize, index: usize) -> String {
        let names = match length {
            4 => &self.wide,
            5 => &self.narrow,
            _ => &self.abbreviated,
        };
        names.get(index).cloned().unwrap_or_default()
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Periods {
    wide: BTreeMap<String, String>,
    abbreviated: BTreeMap<String, String>,
    narrow: BTreeMap<String, String>,
}

impl Periods {
    pub(crate) fn name(&self, length: usize, key: &str) -> Option<String> {
        let names = match length {
            4 => &self.wide,
            5 => &self.narrow,
            _ => &self.abbreviated,
        };
        names.get(key).or_else(|| self.abbreviated.get(key)).cloned()
    }
}
