//! Origin of a setting's value.

use std::{fmt, path::PathBuf};

/// Origin of a value; later ones take precedence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SettingOrigin {
    /// Built-in default.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// An environment variable.
    Environment(String),
    /// The command line.
    Flag,
}

impl SettingOrigin {
    /// Returns the origin as one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User(_) => "user",
            Self::Project(_) => "project",
            Self::Environment(_) => "environment",
            Self::Flag => "flag",
        }
    }

    /// Returns the file or variable.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Default | Self::Flag => None,
            Self::User(file) | Self::Project(file) => Some(file.display().to_string()),
            Self::Environment(name) => Some(name.clone()),
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some(place) => write!(f, "{}, {place}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}
