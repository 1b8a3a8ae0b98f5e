//! What a rule found: how bad, where, what is wrong and what to do.

use std::{fmt, path::PathBuf};

use serde::Serialize;

/// How bad a finding is. The order is that of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// It does not work, or makes a provider refuse the request.
    Error,
    /// It works and is probably not what was meant.
    Warning,
    /// It could be better.
    Hint,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        })
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// The rule's name.
    pub(crate) code: &'static str,
    pub(crate) tool: Option<String>,
    pub(crate) path: PathBuf,
    /// Counts from one.
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
    /// The lines around the place.
    pub(crate) frame: Option<String>,
}

/// What a rule says, before it is known where that is in the file.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    pub(crate) message: String,
    pub(crate) help: String,
    /// The parameter it is about.
    pub(crate) parameter: Option<String>,
}

impl Remark {
    /// A remark about the tool as a whole.
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), parameter: None }
    }

    /// Says which parameter it is about.
    pub(crate) fn about(mut self, parameter: &str) -> Self {
        self.parameter = Some(parameter.to_owned());
        self
    }
}
