//! The files that a module's text names in its imports, found without running anything. They count for a module that
//! does not load, because a correction of the module imports them; for one that imports more during a call; and for one that runs
//! in Bun or Node, which import by themselves.

use std::{
    collections::{BTreeSet, VecDeque},
    path::{Path, PathBuf},
};

use toolsmith_host::regular_file::read_regular;

use super::{
    resolve::{FileResolver, Target},
    store::lexical,
    transform::MAX_SOURCE_BYTES,
};
use crate::definitions::Observed;

/// Maximum number of files whose text is read.
const MAX_FILES: usize = 1000;
/// Words before the name of a module.
const KEYWORDS: [&str; 3] = ["from", "import", "require"];

/// Returns the files that a module and the files it imports name, and the paths that decide what those names refer to. Files
/// of installed packages are named, but not read.
pub(crate) fn named_files(module: &Path) -> Vec<PathBuf> {
    let resolver = FileResolver::new();
    let (mut observed, mut found) = (Observed::default(), BTreeSet::new());
    let mut waiting = VecDeque::from([module.to_path_buf()]);
    let mut read = 0;
    while let Some(file) = waiting.pop_front().filter(|_| read < MAX_FILES) {
        read += 1;
        let Ok(bytes) = read_regular(&file, MAX_SOURCE_BYTES as u64) else { continue };
        // Not compiled, which would leave out what only types use: a module may have failed because the compiler takes too long.
        let text = String::from_utf8_lossy(&bytes);
        for name in imported_names(&text) {
            for by_require in [false, true] {
                match resolver.resolve(&file, name, by_require, &mut observed) {
                    Ok(Target::File(path)) => {
                        let is_installed = path.components().any(|part| part.as_os_str() == "node_modules");
                        if found.insert(path.clone()) && !is_installed {
                            waiting.push_back(path);
                        }
                    }
                    Err(_) if name.starts_with('.') => {
                        found.extend(file.parent().map(|folder| lexical(&folder.join(name))));
                    }
                    _ => {}
                }
            }
        }
    }
    found.extend(observed.candidates().cloned());
    found.into_iter().collect()
}

/// Returns the files that a loaded module names in `import(…)` and `require(…)` and has not loaded: a call may load them.
pub(crate) fn later_files(observed: &Observed) -> Vec<PathBuf> {
    let is_own = |file: &Path| file.components().all(|part| part.as_os_str() != "node_modules");
    let naming = observed.sources.iter().filter(|(file, text)| imports_by_call(text) && is_own(file));
    let named: BTreeSet<PathBuf> = naming.flat_map(|(file, _)| named_files(file)).collect();
    named.into_iter().filter(|file| observed.sources.iter().all(|(loaded, _)| loaded != file)).collect()
}

fn imports_by_call(code: &str) -> bool {
    let is_call = |keyword: &str| {
        code.match_indices(keyword)
            .any(|(at, _)| without_comments(&code[at + keyword.len()..]).starts_with('('))
    };
    is_call("import") || is_call("require")
}

/// Returns the texts in quotes that follow a word for an import, also in code that cannot be parsed.
fn imported_names(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for keyword in KEYWORDS {
        for (at, _) in code.match_indices(keyword) {
            let rest = without_comments(&code[at + keyword.len()..]);
            let rest = rest.strip_prefix('(').map_or(rest, without_comments);
            let Some(quote) = rest.chars().next().filter(|c| ['"', '\'', '`'].contains(c)) else { continue };
            let name = rest[1..].split(['\n', quote]).next().unwrap_or_default();
            names.extend(Some(name).filter(|name| !name.is_empty()));
        }
    }
    names
}

/// Returns the code behind spaces and comments.
fn without_comments(code: &str) -> &str {
    let mut code = code.trim_start();
    loop {
        let end = match code.as_bytes() {
            [b'/', b'*', ..] => code.find("*/").map(|at| at + 2),
            [b'/', b'/', ..] => code.find('\n'),
            _ => None,
        };
        let Some(end) = end else { return code };
        code = code[end..].trim_start();
    }
}

#[cfg(test)]
#[path = "named_files_tests.rs"]
mod tests;
