//! One rule.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use serde_json::{Value, json};
use thiserror::Error;

use super::{condition::Condition, scope::Glob};

/// Which answers a rule interrupts. The others go on, and the model is told afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InterruptMode {
    /// Every answer.
    #[default]
    Always,
    /// None.
    Never,
    /// Those that break the rule in text or thinking.
    ProseOnly,
    /// Those that break it in a call.
    ToolOnly,
}

/// A mode that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is no way to interrupt; there are always, never, prose-only and tool-only")]
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
    /// The word in files and settings.
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

/// A rule, as [`Rule::parse`] reads it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The file's name without what follows the last dot.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What the model is told.
    pub text: String,
    /// What it is about, in a line.
    pub description: Option<String>,
    /// The files it is about.
    pub globs: Vec<String>,
    /// Whether all of it is in every request.
    pub always_apply: bool,
    /// Which answers it interrupts, in place of the setting.
    pub interrupt: Option<InterruptMode>,
    /// The conditions as they were written.
    pub condition: Vec<String>,
    /// The scope as it was written.
    pub scope: Vec<String>,
    pub(super) files: Vec<Glob>,
    pub(super) conditions: Vec<Condition>,
}

impl Rule {
    /// Whether it watches what the model writes.
    pub fn is_stream_rule(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// What tools and front ends are told of it.
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

    /// Its name by its path.
    pub(super) fn name_of(path: &Path) -> String {
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}
