//! Causes of failed loads as load errors, with positions in the author's files and hints.

use std::{path::Path, time::Duration};

use super::{
    load_error::{LoadError, code_frame},
    thrown::{SourceLookup, Thrown},
};

/// Cause of a failed load.
#[derive(Debug)]
pub(crate) enum LoadFailure {
    Thrown(Box<Thrown>),
    /// It exceeded the deadline.
    Deadline(Duration),
    /// It exceeded the memory cap.
    Memory(usize),
    /// The thread or the engine could not be started.
    Engine(String),
}

impl LoadError {
    pub(crate) fn from_failure(path: &Path, failure: LoadFailure, sources: &dyn SourceLookup) -> Self {
        match failure {
            LoadFailure::Thrown(thrown) => Self::from_thrown(path, "Failed to load tool: ", &thrown, sources),
            LoadFailure::Deadline(time) => Self {
                hint: Some(
                    "Loading a module should only define tools; move long work into execute.".to_owned(),
                ),
                ..Self::new(path, format!("Failed to load tool: loading exceeded {time:?} and was stopped"))
            },
            LoadFailure::Memory(cap) => Self {
                hint: Some(
                    "Loading a module should only define tools; move large data into execute.".to_owned(),
                ),
                ..Self::new(
                    path,
                    format!("Failed to load tool: loading exceeded the memory limit of {} MB", cap >> 20),
                )
            },
            LoadFailure::Engine(message) => Self::new(path, format!("Failed to load tool: {message}")),
        }
    }

    /// Creates an error from a thrown value.
    pub(crate) fn from_thrown(
        path: &Path,
        prefix: &str,
        thrown: &Thrown,
        sources: &dyn SourceLookup,
    ) -> Self {
        let location = thrown.location(sources);
        let frame = location.as_ref().and_then(|place| {
            let source = sources.source(&place.file.to_string_lossy());
            let source = source
                .map_or_else(|| std::fs::read_to_string(&place.file).ok(), |text| Some(text.to_string()))?;
            code_frame(&source, place.line, place.column)
        });
        let class = match thrown.class.as_deref() {
            None | Some("Error" | "TypeError") => String::new(),
            Some(class) => format!("{class}: "),
        };
        Self {
            location,
            frame,
            hint: hint(thrown),
            stack: thrown.mapped_stack(sources),
            ..Self::new(path, format!("{prefix}{class}{}", thrown.full_message()))
        }
    }
}

/// Returns a hint for common mistakes.
fn hint(thrown: &Thrown) -> Option<String> {
    if let Some(hint) = &thrown.hint {
        return Some(hint.clone());
    }
    if let Some(package) = &thrown.missing_package {
        return Some(format!("Install it beside the tool: npm install {package}"));
    }
    let message = thrown.message.as_str();
    let known: &[(&str, &str)] = &[
        (
            "Tool must export a default function",
            "Use `export default (pi) => ({ name, description, parameters, execute })`.",
        ),
        (
            "Maximum call stack size exceeded",
            "Check for a module that imports itself, or unbounded recursion.",
        ),
        ("stack overflow", "Check for a module that imports itself, or unbounded recursion."),
    ];
    known.iter().find(|(part, _)| message.contains(part)).map(|(_, hint)| (*hint).to_owned())
}
