//! The result of loading a module.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::Deserialize;
use toolsmith_tool::{Extension, Tool};

use crate::{ModuleHandle, ModuleInputs, errors::LoadError, options::EngineKind};

/// Schema library of a tool's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SchemaKind {
    /// zod, any version.
    Zod,
    /// TypeBox.
    TypeBox,
    /// arktype.
    ArkType,
    /// Plain JSON Schema.
    Json,
}

/// Number of declared parameters of each function; a missing function has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct HookArity {
    /// `execute`.
    pub execute: Option<u32>,
    /// `renderCall`.
    pub render_call: Option<u32>,
    /// `renderResult`.
    pub render_result: Option<u32>,
    /// `onSession`.
    pub on_session: Option<u32>,
}

/// A loaded tool.
#[derive(Clone)]
#[non_exhaustive]
pub struct LoadedTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Schema library of its parameters.
    pub schema: SchemaKind,
    /// Declared parameters of its functions.
    pub arity: HookArity,
}

impl std::fmt::Debug for LoadedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedTool")
            .field("name", &self.tool.spec().name)
            .field("schema", &self.schema)
            .finish()
    }
}

/// Result of loading one module: its tools, and errors of the module or of single tools.
#[derive(Clone)]
#[non_exhaustive]
pub struct LoadedModule {
    /// The path as given.
    pub path: PathBuf,
    /// Tools in the factory's order. Empty without an error if the module opted out (CONTRACT 1.1).
    pub tools: Vec<LoadedTool>,
    /// Its other registrations; `None` if there are none.
    pub extension: Option<Arc<dyn Extension>>,
    /// Load errors.
    pub errors: Vec<LoadError>,
    /// Notes that are not errors: an old form that was recognised, registrations that are not used.
    pub notes: Vec<String>,
    /// Engine of the module.
    pub engine: EngineKind,
    /// Reason for the engine, if it is not the embedded one.
    pub engine_reason: Option<String>,
    /// Files of the module, its own first.
    pub files: Vec<PathBuf>,
    /// Other paths that decide what its imports refer to, whether they exist or not. Of a module that did not load, also
    /// the files that its text names and those of its last version that loaded.
    pub candidates: Vec<PathBuf>,
    /// Load time.
    pub elapsed: Duration,
    /// Everything the load depended on.
    pub inputs: ModuleInputs,
    /// The module itself, which a new version of it can replace.
    pub handle: ModuleHandle,
}

impl LoadedModule {
    /// Creates the result for a module that was not loaded.
    pub fn nothing(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let error = LoadError::new(&path, "not loaded");
        Self { errors: Vec::new(), ..Self::failed(path, error, Duration::ZERO) }
    }

    /// Creates the result for a module that did not load.
    pub(crate) fn failed(path: PathBuf, error: LoadError, elapsed: Duration) -> Self {
        Self {
            tools: Vec::new(),
            extension: None,
            errors: vec![error],
            notes: Vec::new(),
            engine: EngineKind::Embedded,
            engine_reason: None,
            files: vec![path.clone()],
            candidates: Vec::new(),
            elapsed,
            inputs: ModuleInputs::default(),
            handle: ModuleHandle::default(),
            path,
        }
    }
}

impl std::fmt::Debug for LoadedModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedModule")
            .field("path", &self.path)
            .field("tools", &self.tools)
            .field("extension", &self.extension.as_ref().map(|extension| extension.registrations()))
            .field("errors", &self.errors)
            .field("notes", &self.notes)
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}

/// Returns the real path of a file, or its absolute path if it does not exist.
pub(crate) fn real_path(cwd: &Path, path: &Path) -> PathBuf {
    let absolute = cwd.join(path);
    toolsmith_host::real_path(&absolute).unwrap_or(absolute)
}
