//! Which entries of `PATH` count, for every program that is started by name (CONTRACT 2.8).
//!
//! A directory of a project that is not trusted does not count: what is in it is code of the project. A relative entry leads into
//! whatever directory a program starts in, so it counts only for tools, and only if it leads into a trusted project. The rule
//! holds for the lookup of the program, and for the `PATH` that it passes on, because a program such as `npm` looks up others.
//!
//! Projects are registered for the whole process, as there is one `PATH` for the process: nothing that starts programs can
//! forget the rule.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use super::{error::ExecError, request::Request, system};
use crate::{home_folder, location::leads_to, real_path};

/// `PATH` without an entry. An empty one would stand for the current directory.
const NOWHERE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// The entries of `PATH` that count for a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathRule {
    /// Absolute entries outside of untrusted projects. The process gets a `PATH` of these.
    #[default]
    Safe,
    /// Relative entries too, if they lead into a trusted project; not on Windows. For programs that tools start.
    Tool,
    /// As [`PathRule::Safe`] for the program itself, which gets `PATH` as it is. For shells that run a command of the user or the
    /// model: it finds what it finds in a terminal.
    PassedOn,
}

type Allows = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// A project whose programs count only if they are trusted.
#[derive(Clone)]
struct Project {
    folder: PathBuf,
    allows: Allows,
}

static PROJECTS: RwLock<Vec<Project>> = RwLock::new(Vec::new());

/// Registers a project: programs in it are found by name only while `allows` returns true for their directory. A second
/// registration of the same directory replaces the first. The home directory and those above it are not projects: programs in
/// them are the user's.
pub fn guard_programs(folder: &Path, allows: impl Fn(&Path) -> bool + Send + Sync + 'static) {
    let folder = real_path(folder).unwrap_or_else(|_| folder.to_path_buf());
    let home = home_folder().map(|home| real_path(&home).unwrap_or(home));
    if folder.parent().is_none() || home.is_some_and(|home| home.starts_with(&folder)) {
        return;
    }
    let mut projects = PROJECTS.write().unwrap_or_else(PoisonError::into_inner);
    projects.retain(|project| project.folder != folder);
    projects.push(Project { folder, allows: Arc::new(allows) });
}

/// Returns the entries of this process's `PATH` that count by [`PathRule::Safe`]. Never empty.
pub fn program_path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_else(|| system::DEFAULT_PATH.into());
    Rules::now().filtered(&path, Path::new(""), PathRule::Safe).unwrap_or(path)
}

/// Finds a program by name. Relative entries of `path` start from `cwd`.
///
/// # Errors
/// Fails if there is none, or only such as do not count.
pub fn find_program(name: &str, path: &OsStr, cwd: &Path, rule: PathRule) -> Result<PathBuf, ExecError> {
    Rules::now().find(name, path, cwd, rule, env::var_os("PATHEXT").as_deref())
}

/// A request with its program found.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The file of a program that was given by name; otherwise the path that was given.
    pub(super) program: OsString,
    /// `PATH` for the process, if it is another than the request's.
    pub(super) path: Option<OsString>,
    /// A project is not trusted, so Windows' shell must not look into the current directory either.
    #[cfg_attr(not(windows), expect(dead_code, reason = "only Windows looks there without being told"))]
    pub(super) is_restricted: bool,
}

/// Finds the program of a request.
pub(super) fn resolve(request: &Request) -> Result<Resolved, ExecError> {
    let (rules, rule) = (Rules::now(), request.path_rule);
    let cwd = match &request.cwd {
        Some(cwd) => cwd.clone(),
        None => env::current_dir().unwrap_or_default(),
    };
    let path = request.variable("PATH");
    let program = match system::has_folder(&request.program) {
        true => request.program.clone().into(),
        false => {
            let path = path.as_deref().unwrap_or(system::DEFAULT_PATH.as_ref());
            let extensions = request.variable("PATHEXT");
            rules.find(&request.program, path, &cwd, rule, extensions.as_deref())?.into_os_string()
        }
    };
    let is_passed_on = rule == PathRule::PassedOn;
    let path = path.filter(|_| !is_passed_on).and_then(|path| rules.filtered(&path, &cwd, rule));
    let is_restricted = cfg!(windows) && !is_passed_on && rules.has_untrusted();
    Ok(Resolved { program, path, is_restricted })
}

/// Reason why an entry does not count.
enum Skipped {
    Relative,
    Untrusted(PathBuf),
}

/// The projects at one moment.
struct Rules(Vec<Project>);

impl Rules {
    fn now() -> Self {
        Self(PROJECTS.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn has_untrusted(&self) -> bool {
        self.0.iter().any(|project| !(project.allows)(&project.folder))
    }

    /// Returns the innermost project that a real path lies in.
    fn project(&self, real: &Path) -> Option<&Project> {
        let around = self.0.iter().filter(|project| real.starts_with(&project.folder));
        around.max_by_key(|project| project.folder.components().count())
    }

    /// Returns the untrusted project that a path leads into.
    fn untrusted(&self, path: &Path) -> Option<&Path> {
        // A directory that does not exist yet can be created while the program runs.
        let real = real_path(path).ok().or_else(|| leads_to(path)).unwrap_or_else(|| path.to_path_buf());
        let project = self.project(&real).filter(|project| !(project.allows)(&real));
        project.map(|project| project.folder.as_path())
    }

    /// Returns why an entry does not count.
    fn skipped(&self, entry: &Path, cwd: &Path, rule: PathRule) -> Option<Skipped> {
        if entry.is_absolute() {
            return self.untrusted(entry).map(|project| Skipped::Untrusted(project.to_path_buf()));
        }
        let real = real_path(cwd.join(entry)).ok().filter(|_| rule == PathRule::Tool && !cfg!(windows));
        let project = real.and_then(|real| self.project(&real).map(|project| (project.allows)(&real)));
        (project != Some(true)).then_some(Skipped::Relative)
    }

    fn find(
        &self,
        name: &str,
        path: &OsStr,
        cwd: &Path,
        rule: PathRule,
        extensions: Option<&OsStr>,
    ) -> Result<PathBuf, ExecError> {
        let program = || name.to_owned();
        let (mut passed_over, mut is_plain_file) = (None, false);
        for entry in env::split_paths(path) {
            let folder = cwd.join(&entry);
            let Some(file) = system::named(&folder, name, extensions) else {
                is_plain_file |= cfg!(unix) && entry.is_absolute() && folder.join(name).is_file();
                continue;
            };
            // A link elsewhere that leads into a project is a program of that project too.
            let of_file = || self.untrusted(&file).map(|project| Skipped::Untrusted(project.to_path_buf()));
            match self.skipped(&entry, cwd, rule).or_else(of_file) {
                Some(reason) => passed_over = passed_over.or(Some((entry, reason))),
                None => return Ok(file),
            }
        }
        Err(match passed_over {
            Some((entry, Skipped::Relative)) => ExecError::OnlyInRelativeEntry { program: program(), entry },
            Some((entry, Skipped::Untrusted(project))) => {
                ExecError::OnlyInUntrustedProject { program: program(), entry, project }
            }
            None if is_plain_file => ExecError::NotExecutable { program: program() },
            None => ExecError::NotInPath { program: program() },
        })
    }

    /// Returns the entries that count, if they are not all of them.
    fn filtered(&self, path: &OsStr, cwd: &Path, rule: PathRule) -> Option<OsString> {
        // Without an untrusted project there is nothing to compare absolute entries with.
        let compares = self.has_untrusted();
        let counts = |entry: &PathBuf| match entry.is_absolute() {
            true => !compares || self.skipped(entry, cwd, rule).is_none(),
            false => self.skipped(entry, cwd, rule).is_none(),
        };
        let (kept, dropped): (Vec<_>, Vec<_>) = env::split_paths(path).partition(counts);
        if dropped.is_empty() {
            return None;
        }
        let joined = env::join_paths(kept).unwrap_or_default();
        Some(if joined.is_empty() { NOWHERE.into() } else { joined })
    }
}
