//! Discovery of custom tools (CONTRACT §2) and rules: which module files exist, where they came from, and which wait
//! for trust. Nothing is run, and only directories, manifests, plugin lists and rules are read.

mod configured;
mod extensions;
mod found;
mod marketplace;
mod overrides;
mod plugin_folders;
mod plugins;
mod providers;
mod rules;
mod scan;
mod source;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub use configured::{ConfiguredFrom, ConfiguredPath, expand_path};
pub use found::{Discovered, FoundMetadata, FoundModule, ModuleKind};
pub(crate) use overrides::{FoundOverrides, OVERRIDES};
pub(crate) use plugin_folders::{plugin_folders, plugin_lists};
pub(crate) use plugins::{MANIFEST_FIELDS, plugin_modules, read_json};
pub(crate) use providers::tool_folders;
pub use rules::FoundRule;
pub use source::{Scope, ToolSource};

use toolsmith_host::real_path;

use crate::{
    home::Home,
    project_root::find_project,
    settings::Settings,
    trust::{TrustDecision, TrustedFiles},
};

/// Options of discovery.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiscoveryOptions {
    /// Working directory, from which relative paths are resolved.
    pub cwd: PathBuf,
    /// The project it belongs to, whose tools come first.
    pub project: PathBuf,
    /// The user's directories.
    pub home: Home,
    /// Paths from settings, the command line or the embedding program.
    pub configured: Vec<ConfiguredPath>,
    /// Extensions from the command line or the embedding program.
    pub extensions: Vec<ConfiguredPath>,
    /// Enabled providers.
    pub settings: Settings,
    /// Trust in the project.
    pub trust: TrustDecision,
}

impl DiscoveryOptions {
    /// Creates options for `cwd`, its project and `home`, with default settings and without trust.
    pub fn new(cwd: impl Into<PathBuf>, home: Home) -> Self {
        let cwd = cwd.into();
        Self {
            project: find_project(&cwd, &home),
            cwd,
            home,
            configured: Vec::new(),
            extensions: Vec::new(),
            settings: Settings::default(),
            trust: TrustDecision::default(),
        }
    }

    /// Returns `top`, the directory around the project, if a path leads into it and neither is trusted (CONTRACT 2.8). Directories
    /// of the user are none of a project.
    pub(crate) fn untrusted_bounds(&self, path: &Path, top: &Path) -> Option<PathBuf> {
        let real = real_path(path).ok()?;
        let is_inside = real_path(top).is_ok_and(|top| real.starts_with(top));
        let is_own = || TrustedFiles::new(&self.trust, &self.home, &self.project).is_own(&real);
        (is_inside && !self.trust.allows(&real) && !is_own()).then(|| top.to_path_buf())
    }

    /// Sets the working directory, and the project it belongs to.
    #[must_use]
    pub fn working_directory(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self.project = find_project(&self.cwd, &self.home);
        self
    }

    /// Sets the configured paths.
    #[must_use]
    pub fn configured(mut self, paths: Vec<ConfiguredPath>) -> Self {
        self.configured = paths;
        self
    }

    /// Sets the configured extensions.
    #[must_use]
    pub fn extensions(mut self, paths: Vec<ConfiguredPath>) -> Self {
        self.extensions = paths;
        self
    }

    /// Sets the settings. Their `tools.paths` count as configured paths.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the trust decision.
    #[must_use]
    pub fn trust(mut self, trust: TrustDecision) -> Self {
        self.trust = trust;
        self
    }
}

/// Finds only the modules of the configured paths.
pub fn discover_configured_paths(options: &DiscoveryOptions) -> Discovered {
    let mut finder = found::Finder::new(options);
    configured::find(&mut finder);
    extensions::find_configured(&mut finder);
    finder.finish()
}

/// Finds all modules (CONTRACT 2.1): providers first, then plugins, then configured paths. The same real file is
/// reported once, for its first source. Also finds extensions, in the same order, and rules.
pub fn discover_custom_tool_paths(options: &DiscoveryOptions) -> Discovered {
    let mut finder = found::Finder::new(options);
    providers::find(&mut finder);
    plugins::find(&mut finder);
    configured::find(&mut finder);
    extensions::find(&mut finder);
    rules::find(&mut finder);
    Discovered { searched: Some(Arc::new(options.clone())), ..finder.finish() }
}
