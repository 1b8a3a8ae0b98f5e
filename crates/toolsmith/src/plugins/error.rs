//! Errors of installing plugins.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Errors of installing plugins.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The source cannot be understood.
    #[error(
        "\"{0}\" is not a plugin source; expected npm:PACKAGE, git:URL, a directory, or NAME@MARKETPLACE"
    )]
    UnknownSource(String),
    /// A program that is needed is missing, or it failed.
    #[error("{program} failed: {reason}")]
    Program {
        /// Name of the program.
        program: String,
        /// Last lines of its error output.
        reason: String,
    },
    /// The source is not a plugin.
    #[error("{0} contains no plugin: it has no manifest, no skills and no commands")]
    NoPlugin(String),
    /// The source is a list of plugins.
    #[error("{} is a marketplace; choose one of its plugins", .0.name)]
    Marketplace(Box<super::Marketplace>),
    /// There is no such marketplace or plugin.
    #[error("{0}")]
    NotFound(String),
    /// The manifest cannot be used.
    #[error("the plugin cannot be installed: {0}")]
    Invalid(String),
    /// A plugin of the same name is installed from elsewhere.
    #[error("the plugin \"{name}\" is already installed from {from}; remove it first")]
    Taken {
        /// Name of the plugin.
        name: String,
        /// Its source.
        from: String,
    },
    /// The plugin would have a part that nobody was shown.
    #[error(
        "the plugin \"{name}\" cannot be installed: once installed it has a part that was not shown: {part}"
    )]
    Hidden {
        /// Name of the plugin.
        name: String,
        /// The part.
        part: String,
    },
    /// The lock file is damaged.
    #[error("{} cannot be read: {reason}; correct or remove it", .file.display())]
    Lock {
        /// The lock file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file or directory cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl PluginError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}
