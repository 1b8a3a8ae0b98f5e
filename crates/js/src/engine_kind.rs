//! The choice of the engine for a module.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineKind {
    /// The embedded engine.
    Embedded,
    /// Bun, as a sidecar process.
    Bun,
    /// Node, as a sidecar process.
    Node,
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embedded => "embedded",
            Self::Bun => "bun",
            Self::Node => "node",
        })
    }
}

/// Engine rules from settings. Without a rule, the needs of the module decide.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineRules {
    pub(crate) all: Option<EngineKind>,
    pub(crate) by_path: Vec<(PathBuf, EngineKind)>,
}

impl EngineRules {
    /// Returns the rule for a file by its real path; rules may name it by a relative one.
    pub(crate) fn choice(&self, cwd: &Path, file: &Path) -> Option<EngineKind> {
        let rule = self.by_path.iter().rev().find(|(path, _)| crate::load::real_path(cwd, path) == file);
        rule.map(|(_, kind)| *kind).or(self.all)
    }
}
