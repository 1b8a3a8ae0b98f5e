//! Versions of the built-in libraries, from their lock file.

use std::{fs, path::Path};

use super::prepare::read;

/// Writes `libraries.rs`: names and versions of the packages that `npm/package.json` names, in its order.
pub(crate) fn write(out: &Path) {
    let manifest = read(Path::new("npm/package.json"));
    let dependencies = manifest.split_once("\"dependencies\"").and_then(|(_, rest)| rest.split_once('}'));
    let (dependencies, _) = dependencies.unwrap_or_else(|| panic!("npm/package.json has no dependencies"));
    // The manifest has exact versions, one dependency on each line.
    let versions: Vec<(&str, &str)> = dependencies
        .lines()
        .skip(1)
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(": "))
        .map(|(name, version)| (name.trim_matches('"'), version.trim_matches('"')))
        .collect();
    let path = out.join("libraries.rs");
    fs::write(&path, format!("&{versions:?}")).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
