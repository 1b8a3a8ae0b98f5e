//! Finding custom tools (CONTRACT §2): which module files there are, where each came from, and which wait for trust; and
//! rules. Nothing is run here and nothing is read but folders, manifests, lists of plugins, and rules.

mod configured;
mod found;
mod marketplace;
mod plugins;
mod providers;
mod rules;
mod scan;
mod source;

use std::path::PathBuf;

pub use configured::{ConfiguredFrom, ConfiguredPath, expand_path};
pub use found::{Discovered, FoundMetadata, FoundModule};
pub use rules::FoundRule;
pub use source::{Scope, ToolSource};

use crate::{home::Home, settings::Settings, trust::TrustDecision};

/// Where to look, and what is allowed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiscoveryOptions {
    /// The working folder, whose tools come first.
    pub cwd: PathBuf,
    /// The user's folders.
    pub home: Home,
    /// Paths from settings, the command line or the embedding program.
    pub configured: Vec<ConfiguredPath>,
    /// Which providers are on.
    pub settings: Settings,
    /// Whether the working folder's code may run.
    pub trust: TrustDecision,
}

impl DiscoveryOptions {
    /// Looks in `cwd` and `home` with the default settings, trusting nothing of the working folder.
    pub fn new(cwd: impl Into<PathBuf>, home: Home) -> Self {
        Self {
            cwd: cwd.into(),
            home,
            configured: Vec::new(),
            settings: Settings::default(),
            trust: TrustDecision::default(),
        }
    }

    /// Sets the configured paths.
    #[must_use]
    pub fn configured(mut self, paths: Vec<ConfiguredPath>) -> Self {
        self.configured = paths;
        self
    }

    /// Sets the settings. Their `tools.paths` count as configured paths.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets what is trusted.
    #[must_use]
    pub fn trust(mut self, trust: TrustDecision) -> Self {
        self.trust = trust;
        self
    }
}

/// Finds the modules of the configured paths, and nothing else.
pub fn discover_configured_paths(options: &DiscoveryOptions) -> Discovered {
    let mut finder = found::Finder::new(options);
    configured::find(&mut finder);
    finder.finish()
}

/// Finds every module (CONTRACT 2.1): providers first, then plugins, then configured paths. The same real file is found
/// once, by whoever came first. Rules are found too.
pub fn discover_custom_tool_paths(options: &DiscoveryOptions) -> Discovered {
    let mut finder = found::Finder::new(options);
    providers::find(&mut finder);
    plugins::find(&mut finder);
    configured::find(&mut finder);
    rules::find(&mut finder);
    finder.finish()
}
