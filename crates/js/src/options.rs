//! Options of an engine: its limits, the engine of a module, the answers to `pi.exec`; and its state in numbers.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_host::exec::{Outcome, Request, program_path};
use toolsmith_tool::{CancelToken, LoadRecording, ToolSpec, async_trait};

use crate::{PreparedDefinitions, limits::Limits};

/// Engine options.
#[derive(Clone)]
#[non_exhaustive]
pub struct EngineOptions {
    /// Working directory of tools: `pi.cwd`.
    pub cwd: PathBuf,
    /// Limits of each module.
    pub limits: Limits,
    /// Search path for Bun and Node; default the entries of `PATH` that count.
    pub search_path: OsString,
    pub(crate) engines: EngineRules,
    pub(crate) limits_by_path: Vec<(PathBuf, Limits)>,
    /// Handles `pi.exec` instead of the system.
    pub exec: Option<Arc<dyn ExecHandler>>,
    pub(crate) built_ins: Option<BuiltInSpecs>,
    pub(crate) definition_cache: Option<PathBuf>,
    pub(crate) prepared: Option<PreparedDefinitions>,
    pub(crate) is_recordable: bool,
    pub(crate) is_replaying: bool,
    pub(crate) loads: Vec<(PathBuf, Arc<LoadRecording>)>,
}

/// Returns the specifications of the built-in tools.
pub(crate) type BuiltInSpecs = Arc<dyn Fn() -> Vec<ToolSpec> + Send + Sync>;

impl fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineOptions")
            .field("cwd", &self.cwd)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl EngineOptions {
    /// Creates options for `cwd` with the default limits.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            limits: Limits::default(),
            search_path: program_path(),
            engines: EngineRules::default(),
            limits_by_path: Vec::new(),
            exec: None,
            built_ins: None,
            definition_cache: None,
            prepared: None,
            is_recordable: false,
            is_replaying: false,
            loads: Vec::new(),
        }
    }

    /// Sets the search path for Bun and Node, in the form of `PATH`.
    #[must_use]
    pub fn search_path(mut self, folders: impl Into<OsString>) -> Self {
        self.search_path = folders.into();
        self
    }

    /// Runs every module in one kind of engine. By default each runs embedded unless it needs another engine.
    #[must_use]
    pub fn engine(mut self, kind: EngineKind) -> Self {
        self.engines.all = Some(kind);
        self
    }

    /// Runs one module in one kind of engine.
    #[must_use]
    pub fn engine_of(mut self, path: impl Into<PathBuf>, kind: EngineKind) -> Self {
        self.engines.by_path.push((path.into(), kind));
        self
    }

    /// Sets the limits of one module.
    #[must_use]
    pub fn limits_of(mut self, path: impl Into<PathBuf>, limits: Limits) -> Self {
        self.limits_by_path.push((path.into(), limits));
        self
    }

    /// Sets the limits of each module.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the specifications of the built-in tools, which extensions can wrap. Asked for when a module needs them.
    #[must_use]
    pub fn built_ins(mut self, specs: impl Fn() -> Vec<ToolSpec> + Send + Sync + 'static) -> Self {
        self.built_ins = Some(Arc::new(specs));
        self
    }

    /// Keeps definitions of modules in this folder, so that a module is loaded only when it is used. Nothing but the
    /// program may write there.
    #[must_use]
    pub fn definition_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.definition_cache = Some(folder.into());
        self
    }

    /// Uses the definitions that another thread reads for the first load.
    #[must_use]
    pub fn prepared(mut self, prepared: Option<PreparedDefinitions>) -> Self {
        self.prepared = prepared;
        self
    }

    /// Has calls replayed only: once a module is loaded, whatever its code asks outside of a replayed call is refused.
    #[must_use]
    pub fn replaying(mut self, on: bool) -> Self {
        self.is_replaying = on;
        self.is_recordable |= on;
        self
    }

    /// Loads one module from a recording: what it asks while it is loaded is answered from there.
    #[must_use]
    pub fn load_from(mut self, path: impl Into<PathBuf>, recording: LoadRecording) -> Self {
        self.loads.push((path.into(), Arc::new(recording)));
        self.is_recordable = true;
        self
    }

    /// Has calls recorded and replayed, if their context has a tape. Without this, tapes have no effect.
    #[must_use]
    pub fn recordable(mut self, on: bool) -> Self {
        self.is_recordable = on;
        self
    }

    /// Handles `pi.exec` with `handler` instead of the system.
    #[must_use]
    pub fn exec(mut self, handler: Arc<dyn ExecHandler>) -> Self {
        self.exec = Some(handler);
        self
    }
}

/// State of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineStats {
    /// Threads of modules, including abandoned ones.
    pub threads: usize,
    /// Threads that were told to stop and have not.
    pub abandoned: usize,
    /// Bytes of JavaScript memory used by all modules.
    pub memory: usize,
}

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

/// Result of `pi.exec`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecAnswer {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Its exit code.
    pub code: i32,
    /// A timeout or a cancel ended it.
    pub killed: bool,
}

impl From<&Outcome> for ExecAnswer {
    fn from(outcome: &Outcome) -> Self {
        Self {
            stdout: outcome.stdout.text(),
            stderr: outcome.stderr.text(),
            code: outcome.code,
            killed: outcome.killed,
        }
    }
}

/// Answers `pi.exec` in place of the system: from a recording, or by running it and keeping what came.
#[async_trait]
pub trait ExecHandler: Send + Sync {
    /// Answers one command.
    ///
    /// # Errors
    /// The text of what `pi.exec` rejects with.
    async fn exec(&self, request: &Request, cancel: &CancelToken) -> Result<ExecAnswer, String>;
}
