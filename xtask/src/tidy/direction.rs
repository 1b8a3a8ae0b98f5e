//! Checks that a crate depends only on crates of lower levels.

use crate::cargo::{Dependency, Metadata};

/// Level of each crate, lowest first. Crates of the same level do not depend on each other.
const LEVELS: &[&[&str]] = &[
    &["toolsmith-intl", "toolsmith-text", "toolsmith-tool"],
    &["toolsmith-host"],
    &["toolsmith-builtins", "toolsmith-js", "toolsmith-llm", "toolsmith-mcp"],
    &["toolsmith-session"],
    &["toolsmith-agent"],
    &["toolsmith-middleware"],
    &["toolsmith"],
    &["toolsmith-tui"],
    &["toolsmith-cli"],
];

/// Development crates; nothing that ships may depend on them.
const DEVELOPMENT: &[&str] = &["toolsmith-testkit", "xtask"];

/// Returns whether a crate is for development only.
pub(crate) fn is_development(name: &str) -> bool {
    DEVELOPMENT.contains(&name)
}

fn level(name: &str) -> Option<usize> {
    LEVELS.iter().position(|names| names.contains(&name))
}

pub(crate) fn check(metadata: &Metadata) -> Vec<String> {
    let mut broken = Vec::new();
    for id in &metadata.workspace_members {
        let name = metadata.name(id);
        if level(name).is_none() && !is_development(name) {
            broken.push(format!("{name}: has no level; give it one in xtask/src/tidy/direction.rs"));
            continue;
        }
        let Some(node) = metadata.resolve.nodes.iter().find(|node| node.id == *id) else {
            continue;
        };
        let inside = node.deps.iter().filter(|dep| metadata.workspace_members.contains(&dep.pkg));
        broken.extend(inside.filter_map(|dep| check_one(name, metadata.name(&dep.pkg), dep)));
    }
    broken
}

fn check_one(name: &str, target: &str, dependency: &Dependency) -> Option<String> {
    let own = level(name)?;
    if is_development(target) {
        return dependency.ships().then(|| {
            format!("{name}: depends on {target}, which is for development; make it a dev-dependency")
        });
    }
    let other = level(target)?;
    (other >= own).then(|| {
        format!("{name} (level {own}): depends on {target} (level {other}); dependencies point downward only")
    })
}

#[cfg(test)]
#[path = "direction_tests.rs"]
mod tests;
