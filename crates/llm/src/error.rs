//! Errors of a model request, classified by how a caller can respond.

use std::{fmt, time::Duration};

use thiserror::Error;

use crate::classify::Said;

/// A failed model request. Neither its text nor its `Debug` form contains a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.sentence())]
#[non_exhaustive]
pub struct LlmError {
    /// Class of the error.
    pub class: ErrorClass,
    /// Name of the provider; empty if none was contacted.
    pub provider: String,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The provider's error code, such as `overloaded_error`.
    pub code: Option<String>,
    /// The provider's message, or ours.
    pub text: String,
    /// Delay requested by the provider.
    pub retry_after: Option<Duration>,
}

/// Error classes, by how a caller can respond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// Too many requests: wait.
    RateLimited,
    /// The provider is overloaded: wait.
    Overloaded,
    /// The context is too long for the model: shorten it.
    Overflow,
    /// The key is missing, invalid or lacks permission.
    Auth,
    /// The account's quota is exhausted.
    Quota,
    /// The provider was not reached, or the connection broke: retry.
    Network,
    /// The request is invalid and would fail again.
    BadRequest,
    /// The provider failed: retry.
    Server,
    /// The model or its provider declined to answer.
    Refused,
    /// The response violates the wire format: retry.
    InvalidResponse,
    /// The response exceeds a limit of this program, as it would again.
    TooLong,
    /// The script of the scripted provider does not match the conversation.
    Script,
    /// The request was cancelled.
    Aborted,
}

impl ErrorClass {
    /// Returns the class as a word for scripts and logs.
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
            Self::TooLong => "too_long",
            Self::Script => "script",
            Self::Aborted => "aborted",
        }
    }

    /// Returns whether the same request may succeed later.
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
    /// Creates an error of this class.
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

    /// Returns whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.class.is_retryable()
    }

    /// Creates an error from what a provider said; its wording determines the class.
    pub fn from_provider(text: &str) -> Self {
        Said::parse(None, text).into_error()
    }

    pub(crate) fn aborted(reason: Option<String>) -> Self {
        // Compatible agents print and match this text.
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

    pub(crate) fn too_long(text: impl Into<String>) -> Self {
        Self::new(ErrorClass::TooLong, text)
    }

    fn sentence(&self) -> String {
        let what = match &self.class {
            ErrorClass::RateLimited => "too many requests",
            ErrorClass::Overloaded => "overloaded",
            ErrorClass::Overflow => "the conversation is too long for the model",
            // No request was made: the message says what is missing.
            ErrorClass::Auth if self.status.is_none() => return self.text.clone(),
            ErrorClass::Auth => "not authorized",
            ErrorClass::Quota => "the account's quota is exhausted",
            ErrorClass::Network => "no connection",
            ErrorClass::BadRequest => "the request was rejected",
            ErrorClass::Server => "the provider failed",
            ErrorClass::Refused => "declined to answer",
            ErrorClass::InvalidResponse => "the response is invalid",
            ErrorClass::TooLong => "the response is too long",
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
