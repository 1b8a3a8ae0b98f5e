//! Discovery of rules: `rules/*.{md,mdc}` in the directories of Toolsmith and compatible agents. If two rules have the
//! same name, the first one is used.
//!
//! A rule is text for the model, like a context file, so it does not need trust. A link out of an untrusted directory
//! is not followed: it would send a file of the user to a provider.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use toolsmith_middleware::rules::Rule;

use super::{
    Scope, ToolSource,
    found::Finder,
    providers::{PROVIDERS, in_home},
};
use crate::small_file;

/// Providers that have rules.
const WITH_RULES: [&str; 4] = ["toolsmith", "omp", "xcsh", "claude"];
/// Maximum number of rules, because they are matched against everything the model writes.
const MAX_RULES: usize = 500;

/// A rule and its origin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundRule {
    /// The rule.
    pub rule: Rule,
    /// Its origin.
    pub source: ToolSource,
}

pub(super) fn find(finder: &mut Finder<'_>) {
    let settings = &finder.options.settings;
    if !settings.rules.enabled {
        return;
    }
    let mut folders = Vec::new();
    for provider in PROVIDERS.iter().filter(|provider| WITH_RULES.contains(&provider.id)) {
        let (true, Some((project, user))) = (settings.discovery.is_on(provider.id), provider.folders) else {
            continue;
        };
        let project = finder.options.project.join(project).join("rules");
        let user = in_home(&finder.options.home, user).join("rules");
        // If the project is the home, both may be the same.
        let is_own = toolsmith_host::real_path(&project)
            .is_ok_and(|real| toolsmith_host::real_path(&user).is_ok_and(|own| own == real));
        let both = [(project, Scope::Project), (user, Scope::User)];
        let both = both.into_iter().skip(usize::from(is_own));
        folders
            .extend(both.map(|(folder, scope)| (folder, ToolSource::new(provider.id, provider.name, scope))));
    }
    if !finder.project_is_trusted() {
        // A rule of a project must not replace one of the user's with the same name.
        folders.sort_by_key(|(_, source)| source.scope != Scope::User);
    }
    let mut names = HashSet::new();
    for (folder, source) in folders {
        for path in files(finder, &folder) {
            take(finder, &mut names, path, &source);
        }
    }
}

/// Returns the files of one directory by name.
fn files(finder: &mut Finder<'_>, folder: &Path) -> Vec<PathBuf> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                finder.warn(folder, format!("cannot be searched for rules: {error}"));
            }
            return Vec::new();
        }
    };
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        !name.starts_with('.') && (name.ends_with(".md") || name.ends_with(".mdc"))
    });
    files.sort();
    files
}

fn take(finder: &mut Finder<'_>, names: &mut HashSet<String>, path: PathBuf, source: &ToolSource) {
    if path.to_str().is_none() {
        finder.warn(&path, "is skipped because its name is not UTF-8");
        return;
    }
    let read = match source.scope {
        Scope::Project => finder.read_project(&path),
        _ => small_file::read(&path),
    };
    let read = read.map_err(|error| error.to_string());
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()));
    let rule = text.and_then(|text| Rule::parse(&path, &text).map_err(|error| error.to_string()));
    match rule {
        Ok(Some(rule)) if finder.rules() >= MAX_RULES => {
            finder.warn(&rule.path, format!("is skipped because there are more than {MAX_RULES} rules"));
        }
        Ok(Some(rule)) => {
            if names.insert(rule.name.clone()) {
                finder.rule(FoundRule { rule, source: source.clone() });
            }
        }
        Ok(None) => {}
        Err(problem) => finder.warn(&path, format!("is not a valid rule: {problem}")),
    }
}
