//! Errors of locale-dependent functions, by the JavaScript error they become.

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IntlError {
    /// A value is outside what is allowed: a `RangeError`.
    #[error("{0}")]
    Range(String),
    /// A value has the wrong type or is missing: a `TypeError`.
    #[error("{0}")]
    Type(String),
    /// Another implementation would have an answer, but this one has none.
    #[error("{0} is not supported by the embedded engine; set engine = \"bun\" for this tool")]
    Unsupported(String),
}

impl IntlError {
    pub(crate) fn value(value: &str, constructor: &str, option: &str) -> Self {
        Self::Range(format!("Value {value} out of range for Intl.{constructor} options property {option}"))
    }
}

pub(crate) type Result<T> = std::result::Result<T, IntlError>;
