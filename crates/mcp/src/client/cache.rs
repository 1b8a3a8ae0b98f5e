//! Cached definitions: shown at once at the next start and checked against the server when it is connected. The key contains
//! everything the definitions depend on here, so an entry is never used after its configuration changed (CONTRACT 13.2).

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use toolsmith_host::regular_file;

use super::definition::{PromptDefinition, ToolDefinition};
use crate::config::ServerConfig;

/// Larger entries are not kept.
const MAX_BYTES: u64 = 16 << 20;
const FORMAT: u32 = 1;

/// What is known of a server from earlier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CachedServer {
    pub(crate) format: u32,
    /// The server knows only the older lifecycle.
    pub(crate) is_legacy: bool,
    pub(crate) has_resources: bool,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<ToolDefinition>,
    pub(crate) prompts: Vec<PromptDefinition>,
}

/// The folder of all entries; `None` keeps nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinitionCache {
    pub(crate) folder: Option<PathBuf>,
}

impl DefinitionCache {
    fn file(&self, config: &ServerConfig) -> Option<PathBuf> {
        let inputs = format!(
            "{}\0{FORMAT}\0{}\0{:?}\0{:?}\0{}",
            env!("CARGO_PKG_VERSION"),
            config.name,
            config.origin,
            config.transport,
            config.expands,
        );
        let digest = Sha256::digest(inputs.as_bytes());
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Some(self.folder.as_ref()?.join(format!("{name}.json")))
    }

    /// Returns the entry of a server.
    pub(crate) fn load(&self, config: &ServerConfig) -> Option<CachedServer> {
        let bytes = regular_file::read_regular(&self.file(config)?, MAX_BYTES).ok()?;
        let cached: CachedServer = serde_json::from_slice(&bytes).ok()?;
        (cached.format == FORMAT).then_some(cached)
    }

    /// Replaces the entry of a server. A cache that cannot be written is not an error.
    pub(crate) fn store(&self, config: &ServerConfig, mut cached: CachedServer) {
        cached.format = FORMAT;
        let Some(file) = self.file(config) else { return };
        if let Err(error) = write(&file, &cached) {
            tracing::debug!(%error, "MCP definitions were not cached");
        }
    }
}

fn write(file: &Path, cached: &CachedServer) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(cached)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(&bytes)?;
    new.persist(file)?;
    Ok(())
}
