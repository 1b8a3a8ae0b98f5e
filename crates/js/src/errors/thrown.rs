//! Thrown values, with their stack mapped to the author's files.

use std::{path::Path, sync::Arc};

use serde::Deserialize;
use serde_json::json;
use toolsmith_tool::{Failure, ToolError};

use super::load_error::{Location, code_frame};
use crate::modules::original_position;

/// Finds the source of a module by its name in the engine.
pub(crate) trait SourceLookup {
    fn source(&self, name: &str) -> Option<Arc<str>>;
}

/// A thrown value, as described by the kernel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Thrown {
    pub(crate) class: Option<String>,
    pub(crate) message: String,
    pub(crate) stack: String,
    pub(crate) code: Option<String>,
    pub(crate) cause: Option<Box<Thrown>>,
    pub(crate) errors: Option<Vec<Thrown>>,
    pub(crate) file_name: Option<String>,
    pub(crate) line_number: Option<u32>,
    pub(crate) column_number: Option<u32>,
    pub(crate) hint: Option<String>,
    pub(crate) missing_package: Option<String>,
}

impl Thrown {
    /// Parses the kernel's description.
    pub(crate) fn from_json(text: &str) -> Self {
        serde_json::from_str(text)
            .unwrap_or_else(|_| Self { message: "unknown error".to_owned(), ..Self::default() })
    }

    /// Returns the message, followed by causes that add information.
    pub(crate) fn full_message(&self) -> String {
        let mut text = if self.message.trim().is_empty() {
            self.class.clone().unwrap_or_default()
        } else {
            self.message.clone()
        };
        for inner in self.errors.iter().flatten().chain(self.cause.as_deref()) {
            let inner = inner.full_message();
            if !inner.is_empty() && !text.contains(&inner) {
                text.push_str(&format!("\n  caused by: {inner}"));
            }
        }
        text
    }

    /// Returns the position: from the loader, or the first stack line in a file of the author.
    pub(crate) fn location(&self, sources: &dyn SourceLookup) -> Option<Location> {
        if let (Some(file), Some(line)) = (&self.file_name, self.line_number) {
            return Some(Location { file: file.into(), line, column: self.column_number.unwrap_or(1) });
        }
        frames(&self.stack).find_map(|frame| frame.original(sources))
    }

    /// Returns the stack with the author's lines only.
    pub(crate) fn mapped_stack(&self, sources: &dyn SourceLookup) -> Option<String> {
        let lines: Vec<String> = frames(&self.stack)
            .filter(|frame| !frame.is_hosts())
            .map(|frame| match frame.original(sources) {
                Some(place) => format!("    at {} ({place})", frame.function),
                None => format!("    at {} ({}:{}:{})", frame.function, frame.file, frame.line, frame.column),
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Describes an error that nobody handled: message, position and the lines around it.
    pub(crate) fn report(&self, what: &str, sources: &dyn SourceLookup) -> String {
        let mut text = format!("{what}: {}", self.full_message());
        let Some(place) = self.location(sources) else { return text };
        text.push_str(&format!("\n    at {place}"));
        let known = sources.source(&place.file.to_string_lossy()).map(|text| text.to_string());
        let source = known.or_else(|| std::fs::read_to_string(&place.file).ok());
        if let Some(frame) = source.and_then(|source| code_frame(&source, place.line, place.column)) {
            text.push_str(&format!("\n{frame}"));
        }
        text
    }

    /// Converts to the failure for the model.
    pub(crate) fn into_tool_error(self, sources: &dyn SourceLookup) -> ToolError {
        let mut failure = Failure::new(self.full_message());
        failure.stack = self.mapped_stack(sources);
        let mut error = json!({});
        for (key, value) in [("class", &self.class), ("code", &self.code), ("stack", &failure.stack)] {
            if let Some(value) = value {
                error[key] = value.as_str().into();
            }
        }
        failure.details = Some(json!({ "error": error }));
        failure.class = self.class;
        ToolError::Reply(Box::new(failure))
    }
}

/// One line of a stack.
struct Frame<'t> {
    function: &'t str,
    file: &'t str,
    line: u32,
    column: u32,
}

impl Frame<'_> {
    /// Returns whether it is our code or a built-in library.
    fn is_hosts(&self) -> bool {
        let is_sidecars = self.file.contains("/toolsmith-") && self.file.ends_with(".cjs");
        is_sidecars
            || ["toolsmith:", "node:", "internal:"].iter().any(|prefix| self.file.starts_with(prefix))
            || self.file == "native"
    }

    fn original(&self, sources: &dyn SourceLookup) -> Option<Location> {
        let source = sources.source(self.file)?;
        let (line, column) = original_position(Path::new(self.file), &source, self.line, self.column)?;
        Some(Location { file: self.file.into(), line, column })
    }
}

/// Parses `    at function (file:line:column)`, or without the function.
fn frames(stack: &str) -> impl Iterator<Item = Frame<'_>> {
    stack.lines().filter_map(|line| {
        let line = line.trim().strip_prefix("at ")?;
        let (function, place) = match line.rsplit_once(" (") {
            Some((function, place)) => (function, place.strip_suffix(')')?),
            None => ("<anonymous>", line),
        };
        // Other runtimes name modules by URL.
        let place = place.strip_prefix("file://").unwrap_or(place);
        let (rest, column) = place.rsplit_once(':')?;
        let (file, number) = rest.rsplit_once(':')?;
        Some(Frame { function, file, line: number.parse().ok()?, column: column.parse().ok()? })
    })
}
