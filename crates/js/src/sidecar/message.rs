//! The lines between the program and a sidecar.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::instance::HostError;

/// What a sidecar is told.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Told {
    /// Call a function of the kernel. With `reply`, what it gives is wanted.
    Do {
        #[serde(rename = "do")]
        function: &'static str,
        args: Vec<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reply: Option<u64>,
    },
    /// What a function of the host gave.
    Answer { answer: u64, value: Value },
    /// What it failed with.
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

/// What a sidecar says.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Said {
    /// Call a function of the host. With `ask`, it waits for what that gives.
    Host {
        host: String,
        #[serde(default)]
        args: Vec<Value>,
        ask: Option<u64>,
        /// The call it belongs to; 0 for none.
        #[serde(default)]
        call: u32,
    },
    /// What was drawn.
    Drawn { drawn: u64, kind: String, payload: String },
}
