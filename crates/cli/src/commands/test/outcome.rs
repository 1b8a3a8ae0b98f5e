//! The outcome of a call: compared with the expectation, and saved as one.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value, json};
use toolsmith_tool::{CWD_MARK, ToolResult};

use super::case::Expect;

/// Outcome of a call. The case's directory is replaced by its placeholder in every text.
#[derive(Debug)]
pub(super) struct Outcome {
    result: Result<Value, String>,
    text: String,
    updates: Vec<Value>,
    files: BTreeMap<String, Option<String>>,
    pending: Vec<String>,
}

/// One difference from the expectation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) came: String,
}

impl Mismatch {
    pub(crate) fn new(what: impl Into<String>, expected: impl Into<String>, came: impl Into<String>) -> Self {
        Self { what: what.into(), expected: expected.into(), came: came.into() }
    }

    /// Unused recordings.
    pub(super) fn unused(commands: &[String]) -> Self {
        Self::new("exec", commands.join("\n"), "")
    }
}

impl Outcome {
    pub(super) fn new(
        cwd: &Path,
        result: &ToolResult,
        updates: &[ToolResult],
        files: BTreeMap<String, Option<String>>,
        pending: &[String],
    ) -> Self {
        let cwd = cwd.to_string_lossy();
        let mark = |text: &str| text.replace(&*cwd, CWD_MARK);
        let text = mark(&result.joined_text());
        let as_json = |result: &ToolResult| {
            let mut value = serde_json::to_value(result).unwrap_or_default();
            mark_in(&mut value, &cwd);
            value
        };
        Self {
            result: if result.is_error { Err(text.clone()) } else { Ok(as_json(result)) },
            text,
            updates: updates.iter().map(as_json).collect(),
            files: files.into_iter().map(|(name, text)| (name, text.map(|text| mark(&text)))).collect(),
            pending: pending.iter().map(|label| mark(label)).collect(),
        }
    }

    /// Returns the differences from the expectation.
    pub(super) fn compare(&self, expect: &Expect) -> Vec<Mismatch> {
        let mut found = Vec::new();
        match (&self.result, &expect.error) {
            (Err(came), Some(expected)) if came == expected => {}
            (Err(came), Some(expected)) => found.push(Mismatch::new("error", expected, came)),
            (Err(came), None) => found.push(Mismatch::new("error", "", came)),
            (Ok(_), Some(expected)) => found.push(Mismatch::new("error", expected, "")),
            (Ok(_), None) => {}
        }
        if let Ok(result) = &self.result {
            if let Some(expected) = expect.text.as_ref().filter(|expected| **expected != self.text) {
                found.push(Mismatch::new("text", expected, &self.text));
            }
            if let Some(expected) = expect.result.as_ref().filter(|expected| *expected != result) {
                found.push(Mismatch::new("result", pretty(expected), pretty(result)));
            }
        }
        if let Some(expected) = &expect.updates {
            self.compare_updates(expected, &mut found);
        }
        if let Some(expected) = &expect.files {
            self.compare_files(expected, &mut found);
        }
        if let Some(expected) = expect.pending.as_ref().filter(|expected| **expected != self.pending) {
            found.push(Mismatch::new("pending", expected.join("\n"), self.pending.join("\n")));
        }
        found
    }

    fn compare_updates(&self, expected: &[Value], found: &mut Vec<Mismatch>) {
        let came: Vec<Value> = self
            .updates
            .iter()
            .enumerate()
            .map(|(index, update)| match expected.get(index) {
                Some(Value::Object(_)) => update.clone(),
                _ => Value::String(text_of(update)),
            })
            .collect();
        if came != expected {
            let lines = |list: &[Value]| {
                let shown = list.iter().map(|item| item.as_str().map_or_else(|| pretty(item), str::to_owned));
                shown.collect::<Vec<_>>().join("\n")
            };
            found.push(Mismatch::new("updates", lines(expected), lines(&came)));
        }
    }

    fn compare_files(&self, expected: &BTreeMap<String, Option<String>>, found: &mut Vec<Mismatch>) {
        let names: std::collections::BTreeSet<&String> = expected.keys().chain(self.files.keys()).collect();
        let shown = |state: Option<&Option<String>>| match state {
            None => "(not changed)".to_owned(),
            Some(None) => "(removed)".to_owned(),
            Some(Some(text)) => text.clone(),
        };
        for name in names {
            let (wanted, came) = (expected.get(name), self.files.get(name));
            if wanted != came {
                found.push(Mismatch::new(format!("file {name}"), shown(wanted), shown(came)));
            }
        }
    }

    /// Converts the outcome to an expectation in the form of the old one.
    pub(super) fn as_expectation(&self, old: Option<&Expect>) -> Value {
        let mut members = Map::new();
        let nothing = Expect::default();
        let old = old.unwrap_or(&nothing);
        match &self.result {
            Err(error) => drop(members.insert("error".to_owned(), json!(error))),
            Ok(result) => {
                let is_plain = result.get("details").is_none() && is_text(result);
                if old.text.is_some() || old.result.is_none() && is_plain {
                    members.insert("text".to_owned(), json!(self.text));
                }
                if old.result.is_some() || old.text.is_none() && !is_plain {
                    members.insert("result".to_owned(), result.clone());
                }
            }
        }
        if old.updates.is_some() || !self.updates.is_empty() {
            let whole = old.updates.as_ref().is_some_and(|list| list.iter().any(Value::is_object));
            let list: Vec<Value> = if whole {
                self.updates.clone()
            } else {
                self.updates.iter().map(|update| json!(text_of(update))).collect()
            };
            members.insert("updates".to_owned(), json!(list));
        }
        if old.files.is_some() || !self.files.is_empty() {
            members.insert("files".to_owned(), json!(self.files));
        }
        if old.pending.is_some() || !self.pending.is_empty() {
            members.insert("pending".to_owned(), json!(self.pending));
        }
        Value::Object(members)
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn content(result: &Value) -> &[Value] {
    result.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_text(result: &Value) -> bool {
    content(result).iter().all(|block| block["type"] == "text")
}

fn text_of(result: &Value) -> String {
    content(result).iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Replaces the case's directory by its placeholder in every text of a value.
fn mark_in(value: &mut Value, cwd: &str) {
    match value {
        Value::String(text) => *text = text.replace(cwd, CWD_MARK),
        Value::Array(list) => list.iter_mut().for_each(|item| mark_in(item, cwd)),
        Value::Object(map) => map.values_mut().for_each(|item| mark_in(item, cwd)),
        _ => {}
    }
}

/// Replaces the placeholder by the case's directory.
pub(super) fn unmark_in(value: &mut Value, cwd: &str) {
    match value {
        Value::String(text) => *text = text.replace(CWD_MARK, cwd),
        Value::Array(list) => list.iter_mut().for_each(|item| unmark_in(item, cwd)),
        Value::Object(map) => map.values_mut().for_each(|item| unmark_in(item, cwd)),
        _ => {}
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
