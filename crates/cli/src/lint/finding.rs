//! Findings of rules: severity, position, message and hint.

use std::{fmt, path::PathBuf};

use serde::Serialize;

/// Severity of a finding, in report order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// It does not work, or a provider rejects the request.
    Error,
    /// It works, but probably not as intended.
    Warning,
    /// It could be improved.
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

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// Name of the rule.
    pub(crate) code: &'static str,
    pub(crate) tool: Option<String>,
    #[serde(serialize_with = "as_text")]
    pub(crate) path: PathBuf,
    /// Starts at one.
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) message: String,
    /// How to fix it.
    pub(crate) help: Option<String>,
    /// Lines around the position.
    pub(crate) frame: Option<String>,
}

/// JSON has no other form for names that are not UTF-8.
fn as_text<S: serde::Serializer>(path: &std::path::Path, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(&path.display())
}

/// A rule's remark, before its position in the file is known.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    pub(crate) message: String,
    pub(crate) help: String,
    /// The parameter it concerns.
    pub(crate) parameter: Option<String>,
}

impl Remark {
    /// Creates a remark about the tool as a whole.
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), parameter: None }
    }

    /// Sets the parameter it concerns.
    pub(crate) fn about(mut self, parameter: &str) -> Self {
        self.parameter = Some(parameter.to_owned());
        self
    }
}
