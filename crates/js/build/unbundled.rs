//! zod as separate files, each a module. It has namespace objects with all exports of a file, which the engine creates
//! in less memory than a bundler can, and every tool with a zod schema uses all of them.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use super::{bytecode::Source, lazy};

/// Files imported under another name, each as (name of the built-in module, file of the package).
const ENTRIES: &[(&str, &str)] = &[
    ("zod", "index.js"),
    ("zod-v4", "v4/index.js"),
    ("zod-v4-core", "v4/core/index.js"),
    ("zod-mini", "mini/index.js"),
    ("zod-v3", "v3/index.js"),
    // Parts loaded on first use, and their replacements: see `npm/lazy`.
    ("zod-locales", "v4/locales/index.whole.js"),
    ("zod-compile", "v4/core/compile.whole.js"),
    ("zod-from-json-schema", "v4/classic/from-json-schema.whole.js"),
];

/// Returns whether a library is taken from here.
pub(crate) fn serves(name: &str) -> bool {
    ENTRIES.iter().any(|(entry, _)| *entry == name)
}

/// Returns every file of zod that one of the entries needs.
pub(crate) fn zod(libraries: &Path) -> Vec<Source> {
    let package = lazy::lay_over(libraries).join("node_modules/zod");
    let mut modules = BTreeMap::new();
    let mut wanted: Vec<String> = ENTRIES.iter().map(|(_, file)| (*file).to_owned()).collect();
    while let Some(file) = wanted.pop() {
        if modules.contains_key(&file) {
            continue;
        }
        let mut code = String::new();
        let text = Source::read(&package.join(&file));
        for (index, part) in text.split(" from \".").enumerate() {
            if index == 0 {
                code.push_str(part);
                continue;
            }
            let (rest, after) = part.split_once('"').unwrap_or((part, ""));
            let imported = beside(&file, &format!(".{rest}"));
            code.push_str(&format!(" from \"{}\"{after}", name_of(&imported)));
            wanted.push(imported);
        }
        modules.insert(file, code);
    }
    modules.into_iter().map(|(file, code)| Source { name: name_of(&file), code }).collect()
}

fn name_of(file: &str) -> String {
    match ENTRIES.iter().find(|(_, entry)| *entry == file) {
        Some((name, _)) => format!("toolsmith:npm/{name}"),
        None => format!("toolsmith:npm/zod/{}", file.trim_end_matches(".js")),
    }
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
