//! The tier of a write by where it lands (CONTRACT 5.7): `write` inside the working folder and the system's temporary
//! folder, unless the file decides what runs next; `exec` everywhere else; and never what the program keeps for itself.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeSet, HashMap, HashSet},
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use toolsmith_tool::{FileChange, FileTiers, Tier};

use super::{
    anywhere::NamedAnywhere,
    commands::Named,
    git, links,
    resolved_location::Location,
    table::{
        IN_HOME, IN_SYSTEM, OWN_STATE, POINTING_VARIABLES, SYSTEM_DATA, TEMPORARY_IN_HOME, anywhere,
        begins_with, first,
    },
};
use crate::{
    real_path,
    spelling::{fold_components as folded, fold_path},
};

/// Extensions an import tries.
const MODULE_EXTENSIONS: [&str; 8] = ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "json"];

/// Decision about a write by its location.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Data the user can restore.
    Write,
    /// A file elsewhere, or one that decides what runs.
    Exec {
        /// Shown to the person who is asked.
        reason: String,
    },
    /// Tools may not write it at all.
    Refused {
        /// Told to the model, with the command that changes the file.
        reason: String,
    },
}

impl Verdict {
    fn exec(reason: impl Into<String>) -> Self {
        Self::Exec { reason: reason.into() }
    }
}

/// Files and folders that code is loaded from: configured tools, plugins, and every module they import. It is filled while
/// tools are loaded and shared by all who ask. Paths are folded: another spelling may be the same file.
#[derive(Debug, Default)]
pub struct Protected {
    paths: RwLock<BTreeSet<PathBuf>>,
    /// Files by their exact paths.
    files: RwLock<BTreeSet<PathBuf>>,
    modules: RwLock<BTreeSet<PathBuf>>,
    /// Directories with a module somewhere below: their `package.json` and files of their name decide what is imported.
    folders: RwLock<BTreeSet<PathBuf>>,
    /// Ends of the paths of files, and of directories, that count wherever they are.
    endings: RwLock<(BTreeSet<PathBuf>, BTreeSet<PathBuf>)>,
    /// Modules that are not in the sets yet, by their paths and those without links. The first question takes them over: folding them
    /// is most of what a session would cost for each, and many sessions write nothing.
    waiting: Mutex<Vec<(PathBuf, PathBuf)>>,
    sources: RwLock<Vec<Source>>,
}

/// Adds what is to be protected now.
#[derive(Clone)]
struct Source(Arc<dyn Fn(&Protected) + Send + Sync>);

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

impl Protected {
    /// Adds a source, which is called before each decision: what decides about programs may change at any time. It must be fast
    /// if nothing changed.
    pub fn follow(&self, source: impl Fn(&Self) + Send + Sync + 'static) {
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        sources.push(Source(Arc::new(source)));
    }

    /// Calls the sources.
    fn refresh(&self) {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner).clone();
        sources.iter().for_each(|Source(add)| add(self));
    }

    /// Adds a file, or a folder with everything in it and what links in it lead to. It need not exist.
    pub fn add(&self, path: &Path) {
        let linked = links::inside(path);
        let mut paths = self.paths.write().unwrap_or_else(PoisonError::into_inner);
        paths.extend([fold_path(path), fold_path(&real(path))]);
        paths.extend(linked.iter().map(|target| fold_path(target)));
    }

    /// Adds what a command names.
    pub fn add_named(&self, named: &Named) {
        named.files.iter().for_each(|file| self.add_file(file));
        named.trees.iter().for_each(|tree| self.add(tree));
    }

    /// Adds what a command names whose directory is not known.
    pub fn add_named_anywhere(&self, named: &NamedAnywhere) {
        self.add_named(&named.known);
        let mut endings = self.endings.write().unwrap_or_else(PoisonError::into_inner);
        endings.0.extend(named.endings.files.iter().map(|file| fold_path(file)));
        endings.1.extend(named.endings.trees.iter().map(|tree| fold_path(tree)));
    }

    /// Adds a file, which need not exist. Files in a directory of that name are not covered.
    pub fn add_file(&self, path: &Path) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.extend([fold_path(path), fold_path(&real(path))]);
    }

    /// Adds a module that was loaded. Files that would be found in its place by the same import are covered too.
    pub fn add_module(&self, file: &Path) {
        self.add_module_at(file, &real(file));
    }

    /// Adds a module like [`Protected::add_module`] whose path without links is known.
    pub fn add_module_at(&self, file: &Path, real: &Path) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push((file.to_path_buf(), real.to_path_buf()));
    }

    /// Takes over the modules that wait. Whoever asks meanwhile waits until all of them are in the sets.
    fn settle(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for (file, real) in waiting.drain(..) {
            let place = fold_path(&real);
            {
                let mut paths = self.paths.write().unwrap_or_else(PoisonError::into_inner);
                if file != real {
                    paths.insert(fold_path(&file));
                }
                paths.insert(place.clone());
            }
            self.add_folded_import(&place);
        }
    }

    /// Adds paths that decide what imports refer to: where one looked for a module, and manifests that it read. They need
    /// not exist. A package that is a link is covered where the link leads, also if that is nowhere yet.
    pub fn add_candidates<'a>(&self, paths: impl IntoIterator<Item = &'a Path>) {
        let mut folders: HashMap<&Path, PathBuf> = HashMap::new();
        for path in paths {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            let place = match path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
                true => real(path),
                false => folders.entry(folder).or_insert_with(|| real(folder)).join(name),
            };
            // Installed packages are covered wherever they are.
            if is_installed(&place) {
                continue;
            }
            self.add_file(&place);
            // Nobody knows which files a package will have that is not there yet.
            if is_installed(path) && !place.is_dir() {
                let mut paths = self.paths.write().unwrap_or_else(PoisonError::into_inner);
                paths.insert(fold_path(&place));
            }
            // A manifest is found by its whole name.
            if place.extension().is_none_or(|extension| extension != "json") {
                self.add_import(&place);
            }
        }
    }

    /// Adds the place of a module: what an import of it finds first, and what redirects the import.
    fn add_import(&self, place: &Path) {
        self.add_folded_import(&fold_path(place));
    }

    fn add_folded_import(&self, file: &Path) {
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        let stem = |file: &Path| Some(file.parent()?.join(file.file_stem()?));
        let mut stems = vec![stem(file)];
        if file.file_stem().is_some_and(|stem| stem == "index") {
            stems.push(file.parent().map(Path::to_path_buf));
        }
        modules.extend(stems.into_iter().flatten());
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        for folder in file.ancestors().skip(1) {
            // The folders above a known one are known.
            if !folders.insert(folder.to_path_buf()) {
                break;
            }
        }
    }

    fn covers(&self, path: &Path) -> bool {
        self.settle();
        let paths = self.paths.read().unwrap_or_else(PoisonError::into_inner);
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let path = fold_path(path);
        files.contains(&path)
            || path.ancestors().any(|folder| paths.contains(folder))
            || self.covers_ending(&path)
    }

    /// Returns whether a folded path ends with a name that counts in every directory, or is below such a directory.
    fn covers_ending(&self, path: &Path) -> bool {
        let (files, trees) = &*self.endings.read().unwrap_or_else(PoisonError::into_inner);
        files.iter().any(|end| path.ends_with(end))
            || trees.iter().any(|end| path.ancestors().any(|folder| folder.ends_with(end)))
    }

    /// Returns whether an import of a loaded module would find this file: `x.ts` and `x/index.ts` instead of `x.js`.
    fn shadows(&self, path: &Path) -> bool {
        self.settle();
        let path = &fold_path(path);
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        modules.iter().any(|stem| {
            let name = stem.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let own = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_sibling = path.parent() == stem.parent()
                && own.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            let is_index = path.parent() == Some(stem)
                && (own == "package.json" || own.split('.').next() == Some("index"));
            is_sibling || is_index
        }) || self.redirects(path)
    }

    /// Returns whether the file can redirect an import: a `package.json` above a module (`exports`, `imports`, `main`), or a
    /// module with the name of a directory above one, which an import finds first. The path is folded.
    fn redirects(&self, path: &Path) -> bool {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        let is_manifest = path.file_name().is_some_and(|name| name == "package.json")
            && path.parent().is_some_and(|parent| folders.contains(parent));
        let is_module = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| MODULE_EXTENSIONS.contains(&extension));
        is_manifest || (is_module && folders.contains(&path.with_extension("")))
    }
}

/// Decides about writes in one working folder.
#[derive(Clone, Debug)]
pub struct WriteRules {
    root: PathBuf,
    user_home: Option<PathBuf>,
    own_home: Option<PathBuf>,
    /// Folders of our own state that are not in our home.
    state: Vec<PathBuf>,
    protected: Arc<Protected>,
}

impl WriteRules {
    /// For work in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            user_home: None,
            own_home: None,
            state: Vec::new(),
            protected: Arc::default(),
        }
    }

    /// Names the user's home folder.
    #[must_use]
    pub fn user_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.user_home = Some(home.into());
        self
    }

    /// Names the folder of the program's settings, trust, sessions and undo data.
    #[must_use]
    pub fn own_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.own_home = Some(home.into());
        self
    }

    /// Names a folder that only the program itself writes.
    #[must_use]
    pub fn state(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state.push(folder.into());
        self
    }

    /// Shares the files that code is loaded from.
    #[must_use]
    pub fn protected(mut self, protected: Arc<Protected>) -> Self {
        self.protected = protected;
        self
    }

    /// Decides about a write to `real`, which is where the path `asked` leads. Both are absolute.
    pub fn judge(&self, asked: &Path, real: &Path) -> Verdict {
        self.now().judge(asked, real)
    }

    /// The rules as the file system is now, for a number of files.
    pub(super) fn now(&self) -> Now<'_> {
        self.protected.refresh();
        let root = real_path(&self.root).ok();
        let user_home = self.user_home.as_deref().map(real);
        let own_home = self.own_home.as_deref().map(real);
        let temporary = Some(std::env::temp_dir())
            .filter(|folder| folder.is_absolute())
            .and_then(|folder| real_path(folder).ok())
            .filter(|folder| folder.parent().is_some());
        Now { rules: self, linked: OnceCell::new(), root, user_home, own_home, temporary }
    }

    /// Where files that decide what runs really are, when links or settings lead to them.
    fn linked(&self, root: Option<&Path>) -> Vec<(PathBuf, &'static str)> {
        let nested = root.map(links::nested_places).unwrap_or_default();
        let home = self.user_home.as_deref();
        let mut found = links::targets(root, home, self.own_home.as_deref(), &nested);
        for name in POINTING_VARIABLES {
            if let Some(path) = std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute()) {
                found.push((real(&path), "environment of shells"));
            }
        }
        if let Some(root) = root {
            let repositories = nested.iter().filter_map(|(place, _)| match place.ends_with(".git") {
                true => place.parent(),
                false => git::is_repository(place).then_some(place.as_path()),
            });
            let repositories = repositories.chain([root]);
            for pointed in repositories.flat_map(|repository| git::pointed_to(repository, home)) {
                let path = real(&pointed.path);
                // A setting of git that means the whole project does not make all of it git's, only what git runs there.
                if root.starts_with(&path) {
                    let code = pointed.code().into_iter().flat_map(|file| [real(&file), file]);
                    found.extend(code.map(|file| (file, "git")));
                    continue;
                }
                found.extend(links::in_git_folder(&path).into_iter().map(|target| (target, "git")));
                found.push((path, "git"));
            }
        }
        found
    }
}

/// The rules with every link resolved.
pub(super) struct Now<'a> {
    rules: &'a WriteRules,
    root: Option<PathBuf>,
    user_home: Option<PathBuf>,
    own_home: Option<PathBuf>,
    temporary: Option<PathBuf>,
    /// Looked for when it matters: it takes a walk through the project.
    linked: OnceCell<Vec<(PathBuf, &'static str)>>,
}

impl Now<'_> {
    pub(super) fn judge(&self, asked: &Path, real: &Path) -> Verdict {
        self.judge_with(asked, real, &|path| path.exists())
    }

    /// Decides about one file of a change; `exists` counts the other files of the change as written.
    fn judge_with(&self, asked: &Path, real: &Path, exists: &dyn Fn(&Path) -> bool) -> Verdict {
        if let Some(verdict) = self.own(real) {
            return verdict;
        }
        if !self.is_inside(real) {
            return Verdict::exec("the file is outside the working directory");
        }
        match self.decides_what_runs(asked, real, exists) {
            Some(what) => Verdict::exec(format!("the file decides what runs ({what})")),
            None => Verdict::Write,
        }
    }

    /// Decides about files of our own.
    fn own(&self, file: &Path) -> Option<Verdict> {
        let refused = |how: &str| {
            let reason =
                format!("{} is Toolsmith's own data, which tools may not write: {how}", file.display());
            Some(Verdict::Refused { reason })
        };
        if self.rules.state.iter().any(|folder| is_below(file, &real(folder))) {
            return refused("it is written by the program only");
        }
        let home = self.own_home.as_ref()?;
        let below = below(file, home);
        for (name, how) in OWN_STATE {
            let is_linked = || is_below(file, &real(&home.join(name.trim_end_matches('*'))));
            if below.as_ref().is_some_and(|below| begins_with(below, name)) || is_linked() {
                return refused(how);
            }
        }
        below
            .is_some()
            .then(|| Verdict::exec("the file is in Toolsmith's own directory and decides what runs"))
    }

    fn is_inside(&self, file: &Path) -> bool {
        let is_in = |folder: &Option<PathBuf>| folder.as_ref().is_some_and(|folder| file.starts_with(folder));
        if is_in(&self.root) {
            return true;
        }
        // A temporary folder that has the home in it does not make the home temporary.
        let in_home = is_in(&self.user_home)
            && !self
                .temporary
                .as_ref()
                .zip(self.user_home.as_ref())
                .is_some_and(|(temporary, home)| temporary != home && temporary.starts_with(home));
        is_in(&self.temporary) && !in_home
    }

    fn decides_what_runs(
        &self,
        asked: &Path,
        file: &Path,
        exists: &dyn Fn(&Path) -> bool,
    ) -> Option<&'static str> {
        // The path as it was asked for counts too: `.husky/pre-commit` is a hook wherever `.husky` leads.
        let paths = if asked == file { &[file][..] } else { &[file, asked] };
        if let Some(what) = paths.iter().find_map(|path| anywhere(&folded(path))) {
            return Some(what);
        }
        if let Some(what) = self.in_home(file).or_else(|| in_system(file, self.root.as_deref())) {
            return Some(what);
        }
        let linked = self.linked.get_or_init(|| {
            let mut found = self.rules.linked(self.root.as_deref());
            // What is elsewhere is asked about anyway.
            let has_root = |path: &Path| {
                [&self.root, &self.temporary].into_iter().flatten().any(|root| root.starts_with(path))
            };
            found.retain(|(path, _)| self.is_inside(path) || has_root(path));
            found
        });
        if let Some((_, what)) = linked.iter().find(|(linked, _)| is_below(file, linked)) {
            return Some(what);
        }
        let protected = &self.rules.protected;
        if protected.covers(file) || protected.covers(asked) || protected.shadows(file) {
            return Some("code of a tool");
        }
        let root = self.root.as_deref()?;
        git::is_in_bare_repository(file, root, exists).then_some("git")
    }

    fn in_home(&self, file: &Path) -> Option<&'static str> {
        let home = self.user_home.as_ref()?;
        // Work in the home itself, or above it: everything that starts with a dot is somebody's settings.
        let above = self.root.as_ref().filter(|root| home.starts_with(root));
        let is_hidden = |folder: &Path| {
            below(file, folder)
                .and_then(|below| below.into_iter().next())
                .is_some_and(|first| first.starts_with('.'))
        };
        if above.is_some_and(|root| is_hidden(root)) {
            return Some("settings of the user");
        }
        let below = below(file, home)?;
        if above.is_some() && below.first().is_some_and(|first| first.starts_with('.')) {
            return Some("settings of the user");
        }
        if begins_with(&below, TEMPORARY_IN_HOME) {
            return None;
        }
        first(IN_HOME, &below)
    }
}

impl FileTiers for WriteRules {
    fn tier_of(&self, files: &[FileChange]) -> Result<Tier, String> {
        let now = self.now();
        let mut tier = Tier::Write;
        // Files that are harmless one by one may make a repository together. A change may have thousands of files, most of them
        // in the same directories.
        let written = files.iter().filter(|file| file.content.is_some());
        let written: HashSet<&Path> = written.flat_map(|file| file.target.ancestors()).collect();
        let looked_at = RefCell::new(HashMap::<PathBuf, bool>::new());
        let exists = |path: &Path| {
            if written.contains(path) {
                return true;
            }
            let known = looked_at.borrow().get(path).copied();
            known.unwrap_or_else(|| {
                let exists = path.exists();
                looked_at.borrow_mut().insert(path.to_path_buf(), exists);
                exists
            })
        };
        for file in files {
            match now.judge_with(&file.path, &file.target, &exists) {
                Verdict::Write => {}
                Verdict::Exec { .. } => tier = Tier::Exec,
                Verdict::Refused { reason } => return Err(reason),
            }
        }
        Ok(tier)
    }
}

/// Returns the category of a file of the system. `root` is the working folder.
fn in_system(file: &Path, root: Option<&Path>) -> Option<&'static str> {
    let parts = |path: &Path| below(path, path.ancestors().last()?);
    let file = parts(file)?;
    first(IN_SYSTEM, &file).or_else(|| {
        let root = root.and_then(parts).unwrap_or_default();
        let is_around_root =
            |pattern: &str| root.len() > pattern.split('/').count() && begins_with(&root, pattern);
        let (what, patterns) = SYSTEM_DATA.first()?;
        patterns
            .iter()
            .any(|pattern| begins_with(&file, pattern) && !is_around_root(pattern))
            .then_some(*what)
    })
}

/// A path without links, as far as that can be found out.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = real_path(path) {
        return real;
    }
    Location::resolve(path).map_or_else(|_| path.to_path_buf(), |place| place.real_path().to_path_buf())
}

/// Returns whether a path leads through a directory of installed packages.
fn is_installed(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "node_modules")
}

/// The folded components of `file` below `folder`. Case is ignored, as some file systems do.
fn below(file: &Path, folder: &Path) -> Option<Vec<String>> {
    let (file, folder) = (folded(file), folded(folder));
    file.starts_with(&folder).then(|| file[folder.len()..].to_vec())
}

fn is_below(file: &Path, folder: &Path) -> bool {
    below(file, folder).is_some()
}
