//! The files of a conversation. A summary easily loses them, so they are stored with it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolsmith_llm::Message;

/// Files that were read, and files that were changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    read: BTreeSet<String>,
    modified: BTreeSet<String>,
}

impl Files {
    /// Reads the files of an earlier compaction.
    pub(super) fn of_details(details: Option<&Value>) -> Self {
        let list = |name: &str| {
            let paths = details.and_then(|details| details[name].as_array());
            paths.into_iter().flatten().filter_map(|path| path.as_str().map(str::to_owned)).collect()
        };
        Self { read: list("readFiles"), modified: list("modifiedFiles") }
    }

    /// Adds the files of the calls in a message.
    pub(super) fn add(&mut self, message: &Message) {
        let Message::Assistant(said) = message else { return };
        for call in said.tool_calls() {
            let Some(path) = call.arguments["path"].as_str() else { continue };
            match call.name.as_str() {
                "read" => self.read.insert(path.to_owned()),
                "write" | "edit" => self.modified.insert(path.to_owned()),
                _ => continue,
            };
        }
    }

    /// Returns the files that were only read.
    fn only_read(&self) -> impl Iterator<Item = &String> {
        self.read.difference(&self.modified)
    }

    /// Returns the JSON for the entry.
    pub(super) fn details(&self) -> Value {
        json!({ "readFiles": self.only_read().collect::<Vec<_>>(), "modifiedFiles": self.modified })
    }

    /// Appends the list for the model to the summary.
    pub(super) fn add_to(&self, summary: &mut String) {
        let mut tag = |name: &str, paths: Vec<&String>| {
            if !paths.is_empty() {
                let lines: Vec<&str> = paths.into_iter().map(String::as_str).collect();
                *summary += &format!("\n\n<{name}>\n{}\n</{name}>", lines.join("\n"));
            }
        };
        tag("read-files", self.only_read().collect());
        tag("modified-files", self.modified.iter().collect());
    }

    /// Removes what [`Files::add_to`] appended.
    pub(super) fn strip(summary: &str) -> &str {
        let end =
            ["\n\n<read-files>\n", "\n\n<modified-files>\n"].into_iter().filter_map(|tag| summary.find(tag));
        end.min().map_or(summary, |end| &summary[..end])
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
