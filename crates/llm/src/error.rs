//! Why there is no answer, sorted by what can be done about it.

use std::{fmt, time::Duration};

use thiserror::Error;

/// Why a model gave no whole answer. Neither its text nor its `Debug` form holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.sentence())]
#[non_exhaustive]
pub struct LlmError {
    /// What can be done about it.
    pub class: ErrorClass,
    /// The provider it happened with; empty where none was reached yet.
    pub provider: String,
    /// The status the provider answered with, where it came to that.
    pub status: Option<u16>,
    /// The provider's own word for it, such as `overloaded_error`.
    pub code: Option<String>,
    /// The provider's own text, or ours.
    pub text: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

/// What can be done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// Too many requests: wait.
    RateLimited,
    /// The provider has too much to do: wait.
    Overloaded,
    /// The conversation is too long for the model: make it shorter.
    Overflow,
    /// The key is missing, wrong, or may not do this.
    Auth,
    /// The account is used up: pay, or use another.
    Quota,
    /// The provider was not reached, or the connection broke: try again.
    Network,
    /// The request is wrong: the same again fails again.
    BadRequest,
    /// The provider failed: try again.
    Server,
    /// The model or its provider declined to answer.
    Refused,
    /// What came was not what the wire promises: try again.
    InvalidResponse,
    /// The script of the scripted provider does not fit the conversation.
    Script,
    /// Somebody stopped it.
    Aborted,
}

impl ErrorClass {
    /// The class in one word, as scripts and logs spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::Overflow => "overflow",
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::Network => "network",
            Self::BadRequest => "bad_request",
            Self::Server => "server",
            Self::Refused => "refused",
            Self::InvalidResponse => "invalid_response",
            Self::Script => "script",
            Self::Aborted => "aborted",
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::Overloaded | Self::Network | Self::Server | Self::InvalidResponse
        )
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl LlmError {
    /// An error of this class, in our words or the provider's.
    pub fn new(class: ErrorClass, text: impl Into<String>) -> Self {
        Self {
            class,
            provider: String::new(),
            status: None,
            code: None,
            text: text.into(),
            retry_after: None,
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.class.is_retryable()
    }

    pub(crate) fn aborted(reason: Option<String>) -> Self {
        // The text relatives of this program print and match.
        let text = match reason {
            Some(reason) if !reason.is_empty() => format!("Request was aborted: {reason}"),
            _ => "Request was aborted".to_owned(),
        };
        Self::new(ErrorClass::Aborted, text)
    }

    pub(crate) fn network(text: impl Into<String>) -> Self {
        Self::new(ErrorClass::Network, text)
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::new(ErrorClass::InvalidResponse, text)
    }

    fn sentence(&self) -> String {
        let what = match &self.class {
            ErrorClass::RateLimited => "too many requests",
            ErrorClass::Overloaded => "overloaded",
            ErrorClass::Overflow => "the conversation is too long for the model",
            // Nobody was asked: the text says what is missing.
            ErrorClass::Auth if self.status.is_none() => return self.text.clone(),
            ErrorClass::Auth => "not authorized",
            ErrorClass::Quota => "the account is used up",
            ErrorClass::Network => "no connection",
            ErrorClass::BadRequest => "the request was refused",
            ErrorClass::Server => "the provider failed",
            ErrorClass::Refused => "declined to answer",
            ErrorClass::InvalidResponse => "the answer makes no sense",
            ErrorClass::Script | ErrorClass::Aborted => return self.text.clone(),
        };
        let what = match self.retry_after {
            Some(wait) => format!("{what}, wait {} s", wait.as_millis().div_ceil(1000)),
            None => what.to_owned(),
        };
        let from = match (self.provider.as_str(), self.status) {
            ("", None) => String::new(),
            ("", Some(status)) => format!("HTTP {status}: "),
            (provider, None) => format!("{provider}: "),
            (provider, Some(status)) => format!("{provider} (HTTP {status}): "),
        };
        match self.text.as_str() {
            "" => format!("{from}{what}"),
            text => format!("{from}{what}: {text}"),
        }
    }
}
