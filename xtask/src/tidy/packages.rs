//! Rules for packages. Every package costs compile time and is code to trust, so there is a budget. The versions that
//! `toolsmith --version` prints are those of the lock file; they are written in the source, because a package has no lock
//! file of the workspace to read at build time.

use std::{collections::BTreeSet, fs};

use anyhow::{Context, Result};

use crate::cargo::{Metadata, root};

/// Maximum number of packages in a default build, including ours.
const BUDGET: usize = 450;

pub(crate) fn check_budget(metadata: &Metadata) -> Option<String> {
    let count = count_shipped(metadata);
    (count > BUDGET).then(|| format!("Cargo.lock: a build needs {count} packages; the budget is {BUDGET}"))
}

fn count_shipped(metadata: &Metadata) -> usize {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut queue: Vec<&str> = metadata
        .workspace_members
        .iter()
        .map(String::as_str)
        .filter(|id| metadata.name(id) != "xtask")
        .collect();
    while let Some(id) = queue.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = metadata.resolve.nodes.iter().find(|node| node.id == id);
        let deps = node.into_iter().flat_map(|node| &node.deps);
        queue.extend(deps.filter(|dep| dep.ships()).map(|dep| dep.pkg.as_str()));
    }
    seen.len()
}

/// The file with the list.
const FILE: &str = "crates/cli/src/versions.rs";

pub(crate) fn check_versions(metadata: &Metadata) -> Result<Vec<String>> {
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
