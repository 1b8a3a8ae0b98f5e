//! A rule.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use serde_json::{Value, json};
use thiserror::Error;

use super::{condition::Condition, scope::Glob};

/// Which responses a rule interrupts. Others continue, and the rule is sent afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InterruptMode {
    /// Every response.
    #[default]
    Always,
    /// None.
    Never,
    /// Those that break the rule in text or thinking.
    ProseOnly,
    /// Those that break it in a call.
    ToolOnly,
}

/// Unknown interrupt mode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is not an interrupt mode; expected always, never, prose-only or tool-only")]
pub struct UnknownInterruptMode(pub String);

impl FromStr for InterruptMode {
    type Err = UnknownInterruptMode;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(match word {
            "always" => Self::Always,
            "never" => Self::Never,
            "prose-only" => Self::ProseOnly,
            "tool-only" => Self::ToolOnly,
            _ => return Err(UnknownInterruptMode(word.to_owned())),
        })
    }
}

impl InterruptMode {
    /// Returns the name used in files and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::ProseOnly => "prose-only",
            Self::ToolOnly => "tool-only",
        }
    }

    pub(super) fn interrupts(self, in_tool: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::ProseOnly => !in_tool,
            Self::ToolOnly => in_tool,
        }
    }
}

/// A rule, as parsed by [`Rule::parse`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// File name without its extension.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Text sent to the model.
    pub text: String,
    /// Description in one line.
    pub description: Option<String>,
    /// Files it applies to.
    pub globs: Vec<String>,
    /// Included in every request.
    pub always_apply: bool,
    /// Which responses it interrupts, overriding the setting.
    pub interrupt: Option<InterruptMode>,
    /// The conditions as written.
    pub condition: Vec<String>,
    /// The scope as written.
    pub scope: Vec<String>,
    pub(super) files: Vec<Glob>,
    pub(super) conditions: Vec<Condition>,
}

impl Rule {
    /// Returns whether it is a stream rule.
    pub fn is_stream_rule(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Returns the JSON for tools and clients.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "path": self.path,
            "content": self.text,
            "description": self.description,
            "globs": self.globs,
            "alwaysApply": self.always_apply,
            "condition": self.condition,
            "scope": self.scope,
            "interruptMode": self.interrupt.map(InterruptMode::as_str),
        })
    }

    /// Derives the name from the path.
    pub(super) fn name_of(path: &Path) -> String {
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}
