//! The engine of a build without the feature `engine`: it takes the same requests, and every module reports that this
//! build cannot run it.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use toolsmith_tool::{PendingHandle, SessionActions, ToolContext, Ui};

use crate::{
    errors::LoadError,
    load::LoadedModule,
    module_request::ModuleRequest,
    options::{EngineOptions, EngineStats},
};

const MESSAGE: &str = "this build cannot run JavaScript: it was compiled without the feature `js`";

/// Names and versions of the JavaScript libraries that are built in: none.
pub static LIBRARIES: &[(&str, &str)] = &[];

/// Returns the version of the embedded engine.
pub fn engine_version() -> &'static str {
    "(not built in)"
}

/// Reads nothing.
#[derive(Clone, Debug)]
pub struct PreparedDefinitions(());

impl PreparedDefinitions {
    /// Reads nothing.
    pub fn start(_folder: impl Into<PathBuf>, _cwd: &Path) -> Self {
        Self(())
    }
}

/// Takes requests and loads nothing. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    cwd: Arc<PathBuf>,
}

/// A handle that does not keep an engine alive.
#[derive(Clone, Debug)]
pub struct WeakEngine {
    cwd: Weak<PathBuf>,
}

impl WeakEngine {
    /// Returns the engine, if it is still there.
    pub fn upgrade(&self) -> Option<Engine> {
        self.cwd.upgrade().map(|cwd| Engine { cwd })
    }
}

/// The inputs of a module that was not loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModuleInputs;

impl ModuleInputs {
    /// Returns true: nothing was loaded.
    pub fn are_unchanged(self) -> bool {
        true
    }

    /// Returns true: nothing was loaded.
    pub fn all_are_unchanged<'a>(_modules: impl IntoIterator<Item = &'a Self>) -> bool {
        true
    }

    /// Returns true: nothing was loaded.
    pub fn own_files_are_unchanged(self) -> bool {
        true
    }

    /// Returns no text: nothing was loaded.
    pub fn own_content(self) -> String {
        String::new()
    }
}

/// A module that was not loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModuleHandle;

impl ModuleHandle {
    /// Has no effect: there are no modules.
    #[expect(clippy::unused_async, reason = "the same signature as that of the real engine")]
    pub async fn hand_over(self, _new: Option<&Self>, _context: &ToolContext) -> Option<String> {
        None
    }

    /// Has no effect: there are no modules.
    #[expect(clippy::unused_async, reason = "the same signature as that of the real engine")]
    pub async fn revoke(self, _new: Option<&Self>, _context: &ToolContext) {}
}

impl Engine {
    /// Creates an engine.
    pub fn new(options: EngineOptions) -> Self {
        Self { cwd: Arc::new(options.cwd) }
    }

    /// Returns a handle that does not keep the engine alive.
    pub fn downgrade(&self) -> WeakEngine {
        WeakEngine { cwd: Arc::downgrade(&self.cwd) }
    }

    /// Returns an error for each module.
    pub async fn load(&self, paths: &[PathBuf]) -> Vec<LoadedModule> {
        self.load_modules(paths.iter().map(ModuleRequest::from).collect()).await
    }

    /// Returns an error for each module.
    #[expect(clippy::unused_async, reason = "the same signature as that of the real engine")]
    pub async fn load_modules(&self, modules: Vec<ModuleRequest>) -> Vec<LoadedModule> {
        modules.into_iter().map(|module| refused(module.path)).collect()
    }

    /// Returns an error for each module.
    pub async fn load_for_tool(
        &self,
        modules: Vec<ModuleRequest>,
        _name: &str,
        _is_free: bool,
        _most: usize,
    ) -> Vec<(usize, LoadedModule)> {
        self.load_modules(modules).await.into_iter().enumerate().collect()
    }

    /// Returns an error for each module.
    pub async fn scan(&self, paths: &[PathBuf]) -> Vec<LoadedModule> {
        self.load(paths).await
    }

    /// Returns an error for each module.
    pub async fn scan_modules(&self, modules: Vec<ModuleRequest>) -> Vec<LoadedModule> {
        self.load_modules(modules).await
    }

    /// Has no effect: there are no tools.
    pub fn set_ui_context(&self, _ui: Arc<dyn Ui>) {}

    /// Has no effect: there are no tools.
    pub fn set_pending(&self, _pending: PendingHandle) {}

    /// Has no effect: there are no extensions.
    pub fn set_session_actions(&self, _actions: Option<Arc<dyn SessionActions>>) {}

    /// Returns the state of the engine, which has no threads and no memory.
    pub fn stats(&self) -> EngineStats {
        EngineStats { threads: 0, abandoned: 0, memory: 0 }
    }

    /// Returns the working directory of tools.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

fn refused(path: PathBuf) -> LoadedModule {
    let error = LoadError::new(&path, MESSAGE);
    LoadedModule::failed(path, error, Duration::ZERO)
}

/// Returns whether `Intl` has data for a locale: never without an engine.
pub fn supports_locale(_locale: &str) -> bool {
    false
}
