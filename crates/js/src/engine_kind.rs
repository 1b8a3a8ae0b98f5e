//! Which engine a module runs in, and who decides.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineKind {
    /// The one that is built in.
    Embedded,
    /// Bun, as a process beside this one.
    Bun,
    /// Node, as a process beside this one.
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

/// What was said about engines beforehand. What nothing is said about is decided by what the module needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineRules {
    pub(crate) all: Option<EngineKind>,
    pub(crate) by_path: Vec<(PathBuf, EngineKind)>,
}

impl EngineRules {
    /// What was said about a file, given by its real path; rules may name it by a relative one.
    pub(crate) fn choice(&self, cwd: &Path, file: &Path) -> Option<EngineKind> {
        let rule = self.by_path.iter().rev().find(|(path, _)| crate::load::real_path(cwd, path) == file);
        rule.map(|(_, kind)| *kind).or(self.all)
    }
}
