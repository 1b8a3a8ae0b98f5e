//! One Markdown command: a file whose text is a prompt.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolsmith_middleware::front_matter::{body, split, texts};

use super::template::{Part, parts};
use crate::{allowed_tools::split_tools, discovery::ToolSource};

/// Longest description that is taken from the text.
const MAX_DESCRIPTION: usize = 60;

/// A Markdown command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkdownCommand {
    /// Name without the slash. Directories and the plugin are in front: `plugin:dir:name`.
    pub name: String,
    /// Description; the beginning of the text if there is none.
    pub description: String,
    /// Arguments for help.
    pub argument_hint: Option<String>,
    /// Its file.
    pub file: PathBuf,
    /// Origin.
    pub source: ToolSource,
    /// Directory that files of an untrusted project must lie in; `None` if the file is trusted.
    pub(crate) within: Option<PathBuf>,
    /// Directory of its plugin.
    pub(crate) plugin: Option<PathBuf>,
    /// Model for its run.
    pub(crate) model: Option<String>,
    /// Tools that its author wants to run without a question. Only those of the user's own commands count.
    pub(crate) allowed_tools: Vec<String>,
}

impl MarkdownCommand {
    /// Reads a command; also returns faults that do not prevent its use.
    pub(crate) fn parse(name: String, file: &Path, text: &str, source: &ToolSource) -> (Self, Vec<String>) {
        let mut faults = Vec::new();
        let (fields, body) = split(text).unwrap_or_else(|error| {
            faults.push(error.to_string());
            (None, body(text))
        });
        let fields = fields.unwrap_or_default();
        let mut field = |names: &[&str]| {
            let found = texts(&fields, names).unwrap_or_else(|error| {
                faults.push(error.to_string());
                Vec::new()
            });
            Some(found.join(" ")).map(|text| one_line(&text)).filter(|text| !text.is_empty())
        };
        let description = field(&["description"]);
        let argument_hint = match fields.get("argument-hint") {
            // `[file]` is a list in YAML, and a text for its author.
            Some(value @ (Value::Array(_) | Value::Object(_))) => Some(value.to_string().replace('"', "")),
            _ => field(&["argument-hint"]),
        };
        let model = field(&["model"]).filter(|model| model != "inherit");
        let allowed_tools = field(&["allowed-tools"]).map(|text| split_tools(&text)).unwrap_or_default();
        let command = Self {
            name,
            description: description.unwrap_or_else(|| first_words(body)),
            argument_hint,
            file: file.to_path_buf(),
            source: source.clone(),
            within: None,
            plugin: None,
            model,
            allowed_tools,
        };
        (command, faults)
    }

    /// Returns whether shell commands in it may run, and whether it may choose the model.
    pub fn is_trusted(&self) -> bool {
        self.within.is_none()
    }

    /// Returns the shell commands in a text.
    pub(crate) fn shell_commands(text: &str) -> Vec<String> {
        let body = body(text);
        let shell = |part: Part<'_>| match part {
            Part::Shell(command) => Some(command.to_owned()),
            _ => None,
        };
        parts(body).into_iter().filter_map(shell).collect()
    }
}

fn first_words(body: &str) -> String {
    let line = body.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
