//! Names of remote tools for models: `mcp__SERVER__TOOL`, at most 64 characters of the set every provider accepts.

use sha2::{Digest as _, Sha256};

/// Maximum length that all providers accept.
const MAX_CHARS: usize = 64;
/// Hexadecimal digits of the hash that makes a shortened name unique.
const HASH_CHARS: usize = 8;

/// Returns the name under which a server's tool is registered.
pub fn tool_name(server: &str, tool: &str) -> String {
    let name = format!("mcp__{}__{}", clean(server), clean(tool));
    // A name that had to be changed could be that of another tool, unless a hash tells them apart.
    let is_exact = clean(tool) == tool;
    if name.len() <= MAX_CHARS && is_exact {
        return name;
    }
    let hash = hash(&format!("{server}\0{tool}"));
    let kept: String = name.chars().take(MAX_CHARS - HASH_CHARS - 1).collect();
    format!("{kept}_{hash}")
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Returns the first hexadecimal digits of the SHA-256 of a text.
fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(HASH_CHARS / 2).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
