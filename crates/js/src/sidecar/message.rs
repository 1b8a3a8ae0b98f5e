//! The JSON lines between the program and a sidecar.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::instance::HostError;

/// A message to a sidecar.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Told {
    /// Calls a kernel function. With `reply`, its result is returned.
    Do {
        #[serde(rename = "do")]
        function: &'static str,
        args: Vec<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reply: Option<u64>,
    },
    /// Result of a host function.
    Answer { answer: u64, value: Value },
    /// Error of a host function.
    Failed { answer: u64, error: Value },
}

impl Told {
    pub(super) fn answer(number: u64, outcome: Result<Value, HostError>) -> Self {
        match outcome {
            Ok(value) => Self::Answer { answer: number, value },
            Err(error) => {
                let error = serde_json::from_str(&error.to_json()).unwrap_or_default();
                Self::Failed { answer: number, error }
            }
        }
    }

    pub(super) fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// A message from a sidecar.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Said {
    /// Calls a host function. With `ask`, it waits for the result.
    Host {
        host: String,
        #[serde(default)]
        args: Vec<Value>,
        ask: Option<u64>,
        /// The call it belongs to; 0 for none.
        #[serde(default)]
        call: u32,
    },
    /// Rendered lines.
    Drawn { drawn: u64, kind: String, payload: String },
}
