//! Discovery of skills: the directories of Toolsmith and compatible agents in the project and in the home, installed plugins,
//! and configured paths. If two skills have the same name, the first one is used.
//!
//! A skill is text for the model, like a rule, so it does not need trust. In a project that is not trusted, links that lead
//! out are not followed, and its skills do not replace those of the user.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use super::{SKILL_FILE, Skill};
use crate::{
    discovery::{DiscoveryOptions, Scope, ToolSource, expand_path},
    home::Home,
    plugins::{InstalledPlugin, InstalledPlugins, installed_plugins},
    project_root::project_folders,
    small_file,
    warning::Warning,
};

/// Maximum depth of skills in a directory, and maximum number of directories searched.
const MAX_DEPTH: usize = 6;
const MAX_FOLDERS: usize = 2000;
/// Largest SKILL.md.
const MAX_BYTES: usize = 1 << 20;
/// Faults that are reported one by one.
const MAX_WARNINGS: usize = 50;

/// Directories with skills: provider, its name, directory in a project and in the home.
const PLACES: &[(&str, &str, &str, &str)] = &[
    ("toolsmith", "Toolsmith", ".toolsmith", ".toolsmith/agent"),
    ("agents", "Agent Skills", ".agents", ".agents"),
    ("omp", "OMP", ".omp", ".omp/agent"),
    ("pi", "pi", ".pi", ".pi/agent"),
    ("xcsh", "xcsh", ".xcsh", ".xcsh/agent"),
    ("claude", "Claude Code", ".claude", ".claude"),
    ("codex", "OpenAI Codex", ".codex", ".codex"),
];

/// Skills with unique names.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Skills {
    /// The skills, in order of precedence.
    pub list: Vec<Skill>,
    /// Faults of skills, and skills that are not used.
    pub warnings: Vec<Warning>,
    by_name: HashMap<String, usize>,
}

impl Skills {
    /// Returns a skill by its name. That of a plugin's skill may be given without the plugin if it is unique.
    pub fn get(&self, name: &str) -> Option<&Skill> {
        if let Some(skill) = self.by_name.get(name).and_then(|at| self.list.get(*at)) {
            return Some(skill);
        }
        let is_meant = |skill: &&Skill| skill.name.rsplit_once(':').is_some_and(|(_, short)| short == name);
        let mut meant = self.list.iter().filter(is_meant);
        meant.next().filter(|_| meant.next().is_none())
    }
}

impl Skills {
    /// Adds the skills at paths that extensions of the session named.
    pub(crate) fn with_paths(&self, paths: &[PathBuf]) -> Self {
        let seen = self.list.iter().filter_map(|skill| toolsmith_host::real_path(&skill.file).ok()).collect();
        let mut search = Search { disabled: &[], seen, found: self.clone(), left_out: 0 };
        for path in paths {
            let is_file = path.file_name().is_some_and(|name| name == SKILL_FILE);
            let folder = path.parent().filter(|_| is_file).unwrap_or(path).to_path_buf();
            let source = ToolSource::new("extension", "Extension", Scope::Given);
            search.root(&Root { folder, source, within: None, plugin: None });
        }
        search.finish()
    }
}

/// A directory that is searched.
struct Root<'a> {
    folder: PathBuf,
    source: ToolSource,
    /// Files must really lie in this directory.
    within: Option<PathBuf>,
    /// Plugin whose name its skills carry.
    plugin: Option<&'a InstalledPlugin>,
}

/// Finds the skills of a working directory.
pub fn discover_skills(options: &DiscoveryOptions) -> Skills {
    let disabled = &options.settings.skills.disabled;
    let mut search = Search { disabled, seen: HashSet::new(), found: Skills::default(), left_out: 0 };
    if options.settings.skills.enabled {
        let plugins = installed_plugins(options);
        for root in roots(options, &plugins) {
            search.root(&root);
        }
    }
    search.finish()
}

fn roots<'a>(options: &DiscoveryOptions, plugins: &'a InstalledPlugins) -> Vec<Root<'a>> {
    let is_on = |provider: &str| options.settings.discovery.is_on(provider);
    let places = || PLACES.iter().filter(|(provider, ..)| is_on(provider));
    let folders: Vec<&Path> = project_folders(&options.cwd, &options.home).collect();
    let top = folders.last().copied().unwrap_or(&options.cwd);
    let own: Vec<(PathBuf, ToolSource)> = places()
        .map(|(provider, name, _, user)| {
            (in_home(&options.home, user).join("skills"), ToolSource::new(provider, name, Scope::User))
        })
        .collect();
    let is_own = |folder: &Path| {
        let real = toolsmith_host::real_path(folder);
        real.is_ok_and(|real| {
            own.iter().any(|(own, _)| toolsmith_host::real_path(own).is_ok_and(|own| own == real))
        })
    };
    let mut roots = Vec::new();
    for folder in &folders {
        for (provider, name, project, _) in places() {
            let folder = folder.join(project).join("skills");
            if folder.exists() && !is_own(&folder) {
                let source = ToolSource::new(provider, name, Scope::Project);
                let within = (!options.trust.allows(&folder)).then(|| top.to_path_buf());
                roots.push(Root { folder, source, within, plugin: None });
            }
        }
    }
    let own = own.into_iter().map(|(folder, source)| Root { folder, source, within: None, plugin: None });
    roots.extend(own);
    roots.extend(plugins.enabled().flat_map(roots_of_plugin));
    for path in &options.settings.skills.paths {
        let folder = expand_path(path, &options.cwd, &options.home);
        // A setting of the user may lead into whatever project is worked in.
        let within = options.untrusted_bounds(&folder, top);
        let scope = if within.is_some() { Scope::Project } else { Scope::Given };
        let source = ToolSource::new("config", "Config", scope).detail("skills.paths");
        roots.push(Root { folder, source, within, plugin: None });
    }
    // An untrusted project must not replace a skill of the user.
    roots.sort_by_key(|root| root.source.scope == Scope::Project && root.within.is_some());
    roots
}

fn roots_of_plugin(plugin: &InstalledPlugin) -> impl Iterator<Item = Root<'_>> {
    plugin.contents().skills.iter().map(|folder| Root {
        folder: folder.clone(),
        source: plugin.source.clone(),
        within: Some(plugin.folder.clone()),
        plugin: Some(plugin),
    })
}

/// Finds the skills of one plugin.
pub(crate) fn skills_of_plugin(plugin: &InstalledPlugin) -> Skills {
    let mut search = Search { disabled: &[], seen: HashSet::new(), found: Skills::default(), left_out: 0 };
    for root in roots_of_plugin(plugin) {
        search.root(&root);
    }
    search.finish()
}

fn in_home(home: &Home, relative: &str) -> PathBuf {
    match Path::new(relative).strip_prefix(".toolsmith") {
        Ok(rest) => home.toolsmith().join(rest),
        Err(_) => home.user().join(relative),
    }
}

struct Search<'a> {
    disabled: &'a [String],
    /// Real paths of files that were read.
    seen: HashSet<PathBuf>,
    found: Skills,
    /// Warnings that are not reported one by one.
    left_out: usize,
}

impl Search<'_> {
    fn root(&mut self, root: &Root<'_>) {
        let mut folders = vec![(root.folder.clone(), 0)];
        let mut searched = 0;
        while let Some((folder, depth)) = folders.pop() {
            searched += 1;
            if searched > MAX_FOLDERS {
                let message = format!("has more than {MAX_FOLDERS} directories; the rest is not searched");
                return self.warn(&root.folder, message);
            }
            let mut below = Vec::new();
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    let is_missing =
                        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                    if !is_missing || root.source.is_configured() {
                        self.warn(&folder, format!("cannot be searched for skills: {error}"));
                    }
                    continue;
                }
            };
            let mut is_skill = false;
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                if name == SKILL_FILE {
                    is_skill = true;
                    break;
                }
                let is_hidden = name.to_string_lossy().starts_with('.') || name == "node_modules";
                let is_folder = kind.is_dir() || (kind.is_symlink() && self.may_follow(&entry.path(), root));
                if is_folder && !is_hidden && depth < MAX_DEPTH {
                    below.push(entry.path());
                }
            }
            if is_skill {
                self.take(&folder.join(SKILL_FILE), root);
                continue;
            }
            below.sort_by(|a, b| b.cmp(a));
            folders.extend(below.into_iter().map(|folder| (folder, depth + 1)));
        }
    }

    /// Returns whether a link is to a directory that may be searched.
    fn may_follow(&self, link: &Path, root: &Root<'_>) -> bool {
        let Ok(real) =
            toolsmith_host::real_path(link).and_then(|real| Ok((fs::metadata(&real)?.is_dir(), real)))
        else {
            return false;
        };
        let is_inside = root.within.as_ref().is_none_or(|within| {
            toolsmith_host::real_path(within).is_ok_and(|within| real.1.starts_with(within))
        });
        real.0 && is_inside
    }

    fn take(&mut self, file: &Path, root: &Root<'_>) {
        let Ok(real) = toolsmith_host::real_path(file) else {
            return self.warn(file, "is not a valid skill: it is a link that leads nowhere");
        };
        if !self.seen.insert(real) {
            return;
        }
        // The file belongs to its directory: it may be a link, but not to a place outside of it.
        let folder = file.parent().unwrap_or(file);
        let within = match root.source.scope {
            Scope::User if root.plugin.is_none() => folder.to_path_buf(),
            _ => root.within.clone().unwrap_or_else(|| folder.to_path_buf()),
        };
        let read = small_file::read_within(file, &within).map_err(|error| error.to_string());
        let text = read.and_then(|bytes| match bytes.len() > MAX_BYTES {
            true => Err(format!("it is larger than {} MB", MAX_BYTES >> 20)),
            false => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
        });
        let (mut skill, faults) = match text.and_then(|text| Skill::parse(file, &text, &root.source)) {
            Ok(parsed) => parsed,
            Err(problem) => return self.warn(file, format!("is not a valid skill: {problem}")),
        };
        if let Some(plugin) = root.plugin {
            if plugin.is_disabled("skills", &skill.name) {
                return;
            }
            skill.name = format!("{}:{}", plugin.prefix(), skill.name);
        }
        for fault in faults {
            self.warn(file, format!("has a fault: {fault}"));
        }
        if self.disabled.contains(&skill.name) {
            return;
        }
        if let Some(first) = self.found.by_name.get(&skill.name).and_then(|at| self.found.list.get(*at)) {
            let first = first.file.display().to_string();
            return self.warn(file, format!("is not used: {first} has the same name"));
        }
        self.found.by_name.insert(skill.name.clone(), self.found.list.len());
        self.found.list.push(skill);
    }

    fn warn(&mut self, path: &Path, message: impl Into<String>) {
        match self.found.warnings.len() < MAX_WARNINGS {
            true => self.found.warnings.push(Warning::about(path, message)),
            false => self.left_out += 1,
        }
    }

    fn finish(mut self) -> Skills {
        if self.left_out > 0 {
            let message = format!("{} more skills have faults", self.left_out);
            self.found
                .warnings
                .push(Warning::new(message).hint("`toolsmith skills check` checks one directory."));
        }
        self.found
    }
}
