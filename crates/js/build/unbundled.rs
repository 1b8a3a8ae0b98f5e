//! zod as separate files, each a module under its path in the package. It has namespace objects with all exports of a
//! file, which the engine creates in less memory than a bundler can, and every tool with a zod schema uses all of them.
//! The files are unchanged: the engine's resolver follows their relative imports.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use super::read;

/// Files that are imported from outside the package. `*.whole.js` are loaded on first use: see `npm/lazy`.
const ENTRIES: &[&str] = &[
    "index.js",
    "v4/index.js",
    "v4/core/index.js",
    "mini/index.js",
    "v3/index.js",
    "v4/locales/index.whole.js",
    "v4/core/compile.whole.js",
    "v4/classic/from-json-schema.whole.js",
];

/// Returns whether a library is taken from here.
pub(crate) fn serves(name: &str) -> bool {
    name.starts_with("zod/")
}

/// Returns every file of zod that one of the entries needs, with its code, from the folder of packages with lazy parts.
pub(crate) fn zod(lazy: &Path) -> BTreeMap<String, String> {
    let package = lazy.join("node_modules/zod");
    let mut modules = BTreeMap::new();
    let mut wanted: Vec<String> = ENTRIES.iter().map(|file| (*file).to_owned()).collect();
    while let Some(file) = wanted.pop() {
        if modules.contains_key(&file) {
            continue;
        }
        let code = read(&package.join(&file));
        let imports = code.split(" from \".").skip(1).filter_map(|part| part.split_once('"'));
        wanted.extend(imports.map(|(rest, _)| beside(&file, &format!(".{rest}"))));
        modules.insert(file, code);
    }
    modules
}

/// Resolves a relative path in a file.
fn beside(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(name) => parts.extend(name.to_str()),
            _ => {}
        }
    }
    parts.join("/")
}
