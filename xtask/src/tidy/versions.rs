//! The versions that `toolsmith --version` prints are those of the lock file. They are written in the source, because a
//! package has no lock file of the workspace to read at build time.

use std::fs;

use anyhow::{Context, Result};

use crate::cargo::{Metadata, root};

/// The file with the list.
const FILE: &str = "crates/cli/src/versions.rs";

pub(crate) fn check(metadata: &Metadata) -> Result<Vec<String>> {
    let text = fs::read_to_string(root().join(FILE)).context(FILE)?;
    let is_locked = |(name, version): &(&str, &str)| {
        metadata.packages.iter().any(|package| package.name == *name && package.version == *version)
    };
    let stale = listed(&text).into_iter().filter(|listed| !is_locked(listed));
    Ok(stale.map(|(name, version)| format!("{FILE}: Cargo.lock does not have {name} {version}")).collect())
}

/// Returns the entries of the list: `("name", "version"),`.
fn listed(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("(\"")?.strip_suffix("\"),")?.split_once("\", \""))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn entries_are_read_from_the_source() {
        let text = "const CRATES: &[(&str, &str)] = &[\n    (\"oxc\", \"0.146.0\"),\n];\n";
        assert_eq!(listed(text), [("oxc", "0.146.0")]);
    }
}
