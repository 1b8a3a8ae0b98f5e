//! The dependency budget: every package costs compile time and is code to trust.

use std::collections::BTreeSet;

use crate::cargo::Metadata;

/// Maximum number of packages in a default build, including ours.
const BUDGET: usize = 450;

pub(crate) fn check(metadata: &Metadata) -> Option<String> {
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
