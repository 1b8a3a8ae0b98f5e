//! Secret values: keys, and headers that contain them.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// Shorter values are not searched for in texts, because they would match ordinary words.
const SHORTEST_REDACTED: usize = 6;
const REDACTED: &str = "[redacted]";

/// A value that is redacted in `Debug` and cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value. Callers must not print it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Redacts the value in `text`: servers and proxies often quote a key they reject.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_REDACTED {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}
