//! Values nobody may see: keys, and headers that hold them.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// Shorter values are not looked for in texts: they would be found in innocent words.
const SHORTEST_REDACTED: usize = 6;
const REDACTED: &str = "[redacted]";

/// A value that prints as nothing and can't be serialized.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the value in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Lets the value out. What gets it must not print it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Takes the value out of `text`: servers and proxies like to quote the key they refuse.
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
