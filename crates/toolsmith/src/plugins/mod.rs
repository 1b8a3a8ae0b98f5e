//! Plugins: packages of tools, extensions, skills, commands, hooks and MCP servers. This module reads their manifests, knows
//! which are installed, and installs them. Modules of plugins are found by `discovery`, like all others.

mod contents;
mod copy;
mod describe;
mod error;
mod fetch;
mod inside;
mod installed;
mod lock;
mod manifest;
mod marketplace;
mod source;
mod store;

pub use contents::{PluginContents, PluginFeature, PluginServer};
pub use error::PluginError;
pub(crate) use inside::{NotInside, expand_patterns, inside};
pub(crate) use installed::with_plugin_root;
pub use installed::{InstalledPlugin, InstalledPlugins, installed_plugins};
pub use lock::{LockedMarketplace, LockedPlugin, PluginLock};
pub(crate) use manifest::{ManifestFault, package_manifest, read_package};
pub use manifest::{PluginManifest, read_plugin};
pub use marketplace::Marketplace;
pub use source::PluginSource;
pub use store::{PluginStore, StagedPlugin};
