//! Finds case files and their modules.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use super::case::Case;

const EXTENSIONS: &[&str] = &["ts", "mts", "js", "mjs", "cts", "cjs"];
const SUFFIX: &str = ".case.json";
/// Maximum search depth below a given directory.
const MAX_DEPTH: usize = 12;

/// Returns the case files of a path: itself, those below a directory, or those beside a module.
pub(super) fn cases_at(path: &Path) -> Result<Vec<PathBuf>> {
    let found = fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut cases = Vec::new();
    if found.is_dir() {
        walk(path, 0, &mut cases);
    } else if is_case(path) {
        cases.push(path.to_path_buf());
    } else if is_module(path) {
        cases = cases_beside(path);
    } else {
        bail!("{} is neither a case file nor a module", path.display());
    }
    cases.sort();
    Ok(cases)
}

/// Returns the case files of a module.
pub(super) fn cases_beside(module: &Path) -> Vec<PathBuf> {
    let Some(folder) = module.parent() else { return Vec::new() };
    let stem = stem_of(module);
    let belongs = |path: &PathBuf| {
        let name = name_of(path);
        is_case(path) && (stem == "index" || name.split('.').next() == Some(stem.as_str()))
    };
    let mut cases: Vec<PathBuf> =
        entries(folder).into_iter().chain(entries(&folder.join("cases"))).filter(belongs).collect();
    cases.sort();
    cases
}

/// Returns the module of a case.
pub(super) fn module_of(file: &Path, case: &Case) -> Result<PathBuf> {
    let own = file.parent().unwrap_or_else(|| Path::new("."));
    if let Some(module) = &case.module {
        return Ok(own.join(module));
    }
    let folder =
        if own.file_name().is_some_and(|name| name == "cases") { own.parent().unwrap_or(own) } else { own };
    let name = name_of(file);
    let first = name.split('.').next().unwrap_or_default();
    for stem in [first, "index"] {
        for extension in EXTENSIONS {
            let module = folder.join(format!("{stem}.{extension}"));
            if module.is_file() {
                return Ok(module);
            }
        }
    }
    bail!("no module beside it: neither {first}.ts nor index.ts in {}. Set \"module\".", folder.display())
}

fn walk(folder: &Path, depth: usize, cases: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        let name = name_of(&path);
        // Links are not followed, so there are no cycles.
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
        if is_folder && depth < MAX_DEPTH && name != "node_modules" && name != ".git" {
            walk(&path, depth + 1, cases);
        } else if !is_folder && is_case(&path) {
            cases.push(path);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map_or_else(|_| Vec::new(), |list| list.flatten().map(|entry| entry.path()).collect())
}

fn is_case(path: &Path) -> bool {
    let in_cases = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "cases");
    let name = name_of(path);
    name.ends_with(SUFFIX) || in_cases && name.ends_with(".json")
}

fn is_module(path: &Path) -> bool {
    let name = name_of(path);
    !name.ends_with(".d.ts")
        && path.extension().is_some_and(|given| EXTENSIONS.iter().any(|known| given == *known))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn stem_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
