//! All hooks of a working directory, and which of them may run.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use toolsmith_host::{confirmed::Confirmation, location::Protected};
use toolsmith_middleware::hooks::{Check, Handler, Hook, HookEvent, Hooks, HooksOptions, Matcher};
use toolsmith_tool::visible_line;

use super::{
    confirming::HookConfirmations,
    entries::{self, Draft},
    files::{self, HookFile},
    fingerprint::Fingerprint,
    folders,
    references::{self, Surroundings},
};
use crate::{
    discovery::{DiscoveryOptions, Scope},
    home::Home,
    settings::Settings,
    trust::TrustDecision,
    warning::Warning,
};

/// Reason of a hook that is not what was confirmed.
const CHANGED: &str = "it changed since you confirmed it; review it with `toolsmith hooks list` and confirm it with `toolsmith hooks trust HASH`";

/// Reason of a hook whose project lost its trust while the hook was in use.
const UNTRUSTED: &str = "its project is not trusted any more; `toolsmith trust` trusts it, and a new session does without its hooks";

/// Options of discovery.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookOptions {
    /// Working directory.
    pub cwd: PathBuf,
    /// The user's directories.
    pub home: Home,
    /// Settings.
    pub settings: Settings,
    /// Trust in the working directory.
    pub trust: TrustDecision,
}

impl HookOptions {
    /// Creates options with default settings and without trust.
    pub fn new(cwd: impl Into<PathBuf>, home: Home) -> Self {
        let (settings, trust) = (Settings::default(), TrustDecision::default());
        Self { cwd: cwd.into(), home, settings, trust }
    }

    /// Sets the settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the trust decision.
    #[must_use]
    pub fn trust(mut self, trust: TrustDecision) -> Self {
        self.trust = trust;
        self
    }
}

/// State of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookStatus {
    /// It is the user's own and runs.
    User,
    /// The user confirmed it as it is, and it runs.
    Confirmed,
    /// It belongs to a project that is not trusted.
    Untrusted,
    /// The user has not confirmed it.
    New,
    /// It is not what the user confirmed. One that guards calls blocks them until it is confirmed again.
    Changed,
    /// The user declined it.
    Declined,
}

impl HookStatus {
    /// Returns the name in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Confirmed => "confirmed",
            Self::Untrusted => "untrusted",
            Self::New => "new",
            Self::Changed => "changed",
            Self::Declined => "declined",
        }
    }
}

/// A hook, its origin and its state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// The user's or the project's.
    pub scope: Scope,
    /// State.
    pub status: HookStatus,
    /// Hash of everything it runs, if that could be found out.
    pub hash: Option<String>,
    /// Files it runs, as far as they are named.
    pub files: Vec<PathBuf>,
    /// Files of the project that it would run if they existed.
    pub(super) missing: Vec<PathBuf>,
    /// The same for names that are run only if they are files.
    pub(super) missing_files: Vec<PathBuf>,
    /// Programs that decide by files of the project what they run, which the hash does not cover.
    pub uncovered: Vec<String>,
    /// Place in the list of confirmations.
    pub(super) place: String,
}

impl FoundHook {
    /// Returns what it runs, in full.
    pub fn what(&self) -> String {
        match &self.hook.handler {
            Handler::Shell { command } => visible_line(command).into_owned(),
            Handler::Program { program, args } => {
                let words: Vec<String> = std::iter::once(program)
                    .chain(args)
                    .map(|word| visible_line(word).into_owned())
                    .collect();
                words.join(" ")
            }
            Handler::File { path, .. } => visible_line(&path.to_string_lossy()).into_owned(),
            // The person's own entry may have a key in it, and needs no confirmation.
            Handler::Http { .. } if self.status == HookStatus::User => self.hook.label(),
            Handler::Http { url, headers, allowed_env } => {
                let mut text = format!("sends the event to {}", visible_line(url));
                for (name, value) in headers {
                    text.push_str(&format!(", {}: {}", visible_line(name), visible_line(value)));
                }
                if !allowed_env.is_empty() {
                    let names: Vec<String> =
                        allowed_env.iter().map(|name| visible_line(name).into_owned()).collect();
                    text.push_str(&format!(", with the variables {}", names.join(", ")));
                }
                text
            }
            _ => self.hook.label(),
        }
    }
}

/// Result of discovery.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FoundHooks {
    /// All hooks, in the order they run.
    pub hooks: Vec<FoundHook>,
    /// Problems of hook files.
    pub warnings: Vec<Warning>,
    /// Guards in place of hooks that cannot be read, which block calls.
    blocking: Vec<Arc<Hook>>,
    /// Real path of the project.
    pub(super) project: PathBuf,
    options: HooksOptions,
}

impl FoundHooks {
    /// Creates an empty result for a working directory.
    pub fn none(options: &HookOptions) -> Self {
        let project = toolsmith_host::real_path(&options.cwd).unwrap_or_else(|_| options.cwd.clone());
        let run = HooksOptions::new(&options.cwd).home(options.home.user());
        Self { project, options: run, ..Self::default() }
    }

    /// Returns the problems of hook files, and a warning if hooks wait for the user.
    pub fn all_warnings(&self) -> Vec<Warning> {
        let mut warnings = self.warnings.clone();
        let (new, changed): (Vec<_>, Vec<_>) =
            self.waiting().partition(|found| found.status == HookStatus::New);
        let hint = "`toolsmith hooks list` shows them; `toolsmith hooks trust --all` confirms them.";
        let text = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 hook of this project {one}"),
            count => format!("{count} hooks of this project {many}"),
        };
        if !new.is_empty() {
            let text =
                text(new.len(), "does not run until you confirm it", "do not run until you confirm them");
            warnings.push(Warning::new(text).hint(hint));
        }
        if !changed.is_empty() {
            let text =
                text(changed.len(), "changed since you confirmed it", "changed since you confirmed them");
            warnings.push(Warning::new(format!("{text}; calls they guard are blocked")).hint(hint));
        }
        warnings
    }

    /// Returns the hooks that run, and guards in place of those that must not be missing.
    pub fn active(&self) -> Vec<Arc<Hook>> {
        let runs = |found: &&FoundHook| match found.status {
            HookStatus::User | HookStatus::Confirmed => true,
            HookStatus::Changed => found.hook.event == HookEvent::PreToolUse,
            _ => false,
        };
        let found = self.hooks.iter().filter(runs).map(|found| Arc::clone(&found.hook));
        self.blocking.iter().cloned().chain(found).collect()
    }

    /// Returns the hooks that wait for the user's confirmation.
    pub fn waiting(&self) -> impl Iterator<Item = &FoundHook> {
        self.hooks.iter().filter(|found| matches!(found.status, HookStatus::New | HookStatus::Changed))
    }

    /// Returns the hooks of a session.
    pub fn session(&self) -> Hooks {
        Hooks::new(self.active(), self.options.clone())
    }

    /// Protects the files that hooks run: writing them is `exec` (CONTRACT 5.7).
    pub(crate) fn protect(&self, protected: &Protected) {
        for found in &self.hooks {
            protected.add(&found.hook.source);
            found.missing.iter().for_each(|file| protected.add(file));
            found.missing_files.iter().for_each(|file| protected.add_file(file));
            found.files.iter().for_each(|file| protected.add(file));
        }
    }
}

/// Finds the hooks of a working directory. Nothing is run.
pub fn discover_hooks(options: &HookOptions) -> FoundHooks {
    let found = FoundHooks::none(options);
    let mut finder = Finder {
        is_trusted: options.trust.allows(&options.cwd),
        confirmations: HookConfirmations::load(&options.home, &found.project),
        options,
        found,
        faulty: Vec::new(),
    };
    if let Some(problem) = finder.confirmations.problem.take() {
        finder.found.warnings.push(Warning::new(problem));
    }
    finder.folders();
    finder.files();
    finder.settle();
    finder.found
}

/// Returns the directories of file hooks: the user's first.
pub(super) fn folders(project: &Path, home: &Home) -> [(PathBuf, Scope); 2] {
    let (user, project) = (home.toolsmith().join("agent/hooks"), project.join(".toolsmith/hooks"));
    [(user, Scope::User), (project, Scope::Project)]
}

struct Finder<'a> {
    options: &'a HookOptions,
    is_trusted: bool,
    confirmations: HookConfirmations,
    found: FoundHooks,
    /// Places of the project's guards that have a mistake.
    faulty: Vec<String>,
}

impl Finder<'_> {
    /// Finds `hooks/pre` and `hooks/post`: the user's first.
    fn folders(&mut self) {
        let timeout = self.options.settings.hooks.timeout;
        for (folder, scope) in folders(&self.options.cwd, &self.options.home) {
            let within = (scope == Scope::Project).then(|| self.found.project.clone());
            for draft in folders::scan(&folder, within.as_deref(), timeout, &mut self.found.warnings) {
                self.take(draft, scope);
            }
        }
    }

    /// Finds hook files of Toolsmith and compatible agents: the user's first.
    fn files(&mut self) {
        for file in files::hook_files(&self.options.cwd, &self.options.home, &self.options.settings) {
            self.file(&file);
        }
        let options = DiscoveryOptions::new(&self.options.cwd, self.options.home.clone())
            .settings(self.options.settings.clone())
            .trust(self.options.trust.clone());
        for file in files::plugin_files(&options) {
            self.file(&file);
        }
    }

    fn file(&mut self, file: &HookFile) {
        let within = (file.scope == Scope::Project).then_some(self.found.project.as_path());
        let read = match file.read(within) {
            Ok(Some(read)) => read,
            Ok(None) => return,
            Err(problem) => return self.unreadable(file, &problem),
        };
        let parsed = entries::parse(&read, file);
        for problem in parsed.problems {
            // A guard with a mistake must not vanish: in our own files it blocks, in a project if it was confirmed.
            if problem.is_guard && file.is_own() && file.scope == Scope::User {
                self.block(file, &problem.message);
            } else if problem.is_guard && file.scope == Scope::Project {
                self.faulty.push(place(&file.path, HookEvent::PreToolUse, &self.options.cwd));
            }
            self.found.warnings.push(Warning::about(&file.path, problem.message));
        }
        for draft in parsed.drafts {
            self.take(draft, file.scope);
        }
    }

    /// Handles a file that cannot be read. What it guarded stays guarded.
    fn unreadable(&mut self, file: &HookFile, problem: &str) {
        self.found
            .warnings
            .push(Warning::about(&file.path, format!("is not used as a hook file: {problem}")));
        let place = place(&file.path, HookEvent::PreToolUse, &self.options.cwd);
        let was_guarding = self.is_trusted && self.confirmations.has(&place);
        if (file.is_own() && file.scope == Scope::User) || (file.scope == Scope::Project && was_guarding) {
            self.block(file, &format!("its file cannot be read: {problem}"));
        }
    }

    /// Blocks calls in place of a hook that cannot be run.
    fn block(&mut self, file: &HookFile, problem: &str) {
        let handler = Handler::Shell { command: file.path.display().to_string() };
        let mut hook = Hook::new(HookEvent::PreToolUse, handler, &file.path);
        hook.fails_closed = true;
        hook.check = Some(failing(problem.to_owned()));
        self.found.blocking.push(Arc::new(hook));
    }

    fn take(&mut self, draft: Draft, scope: Scope) {
        let Draft { mut hook, definition, problem } = draft;
        let place = place(&hook.source, hook.event, &self.options.cwd);
        let words = references::words(&hook.handler);
        let place_of_files = Surroundings {
            cwd: self.options.cwd.clone(),
            project: self.found.project.clone(),
            home: self.options.home.user().to_path_buf(),
        };
        let fingerprint = Fingerprint::take(&definition, &words, &place_of_files);
        let references = references::find(&words, &place_of_files);
        let missing = references.missing.into_iter().collect();
        let missing_files = references.missing_files.into_iter().collect();
        let (hash, files, uncovered, broken) = match fingerprint {
            Ok(taken) => (Some(taken.hash), taken.files, taken.uncovered, None),
            Err(problem) => (None, references.files.into_iter().collect(), Vec::new(), Some(problem)),
        };
        let (trust, cwd) = (self.options.trust.clone(), self.options.cwd.clone());
        let trusted = move || match trust.allows_now(&cwd) {
            true => Ok(()),
            false => Err(UNTRUSTED.to_owned()),
        };
        let status = match scope {
            Scope::Project if !self.is_trusted => HookStatus::Untrusted,
            Scope::Project => self.confirmations.status(&place, hash.as_deref()),
            _ => HookStatus::User,
        };
        if let Some(problem) = problem.or(broken.filter(|_| scope == Scope::Project)) {
            self.found.warnings.push(Warning::about(&hook.source, format!("({}) {problem}", hook.label())));
            // One that cannot be run blocks like one that fails.
            if hook.fails_closed {
                hook.check = Some(failing(problem));
            } else if scope == Scope::Project {
                hook.check = Some(Arc::new(trusted));
            }
        } else if status == HookStatus::Confirmed {
            let expected = hash.clone();
            let check: Check = Arc::new(move || {
                trusted()?;
                let now = Fingerprint::take(&definition, &words, &place_of_files)?;
                if Some(now.hash) == expected { Ok(()) } else { Err(CHANGED.to_owned()) }
            });
            hook.check = Some(check);
        }
        self.found.hooks.push(FoundHook {
            hook: Arc::new(hook),
            scope,
            status,
            hash,
            files,
            missing,
            missing_files,
            uncovered,
            place,
        });
    }

    /// Recognises hooks that took the place of confirmed ones, and reports confirmed ones that are gone.
    fn settle(&mut self) {
        if !self.is_trusted {
            return;
        }
        let present: Vec<(String, String)> = self
            .found
            .hooks
            .iter()
            .filter_map(|found| Some((found.place.clone(), found.hash.clone()?)))
            .collect();
        let gone: Vec<Confirmation> = self.confirmations.missing(&present);
        for found in self.found.hooks.iter_mut().filter(|found| found.status == HookStatus::New) {
            if gone.iter().any(|gone| gone.place == found.place) {
                found.status = HookStatus::Changed;
            }
        }
        let changed: Vec<String> = self
            .found
            .hooks
            .iter()
            .filter(|found| found.status == HookStatus::Changed)
            .map(|found| found.place.clone())
            .collect();
        for found in self.found.hooks.iter_mut().filter(|found| found.status == HookStatus::Changed) {
            // It was not shared yet.
            if let Some(hook) = Arc::get_mut(&mut found.hook) {
                hook.fails_closed = true;
                hook.check = Some(failing(CHANGED.to_owned()));
                // A change cannot take the guard away either.
                (hook.in_background, hook.once, hook.rule) = (false, false, None);
            }
        }
        let guard = format!(" {}", HookEvent::PreToolUse.as_str());
        for gone in &gone {
            let is_replaced = changed.contains(&gone.place);
            let source = gone.place.strip_suffix(&guard).unwrap_or_default();
            let is_broken = self.faulty.contains(&gone.place)
                || is_displaced(source, &self.options.cwd, &self.found.project);
            let is_covered = self.found.hooks.iter().any(|found| {
                found.status == HookStatus::Changed
                    && found.place == gone.place
                    && gone.matcher.as_deref() == Some(&found.hook.matcher.as_text())
            });
            if gone.place.ends_with(&guard) && (is_replaced || is_broken) && !is_covered {
                self.found.blocking.push(Arc::new(in_place_of(gone)));
            }
            if is_replaced {
                continue;
            }
            let (what, place) = (visible_line(&gone.what), visible_line(&gone.place));
            let text = format!("a hook that you confirmed is gone: {what} ({place})");
            self.found.warnings.push(Warning::new(text).hint("`toolsmith hooks trust` accepts this."));
        }
    }
}

/// Guards the calls that a hook was confirmed for, so that a new matcher or a mistake cannot narrow what is guarded.
fn in_place_of(gone: &Confirmation) -> Hook {
    let handler = Handler::Shell { command: gone.what.clone() };
    let mut hook = Hook::new(HookEvent::PreToolUse, handler, &gone.place);
    hook.matcher = gone.matcher.as_deref().and_then(|text| Matcher::parse(text).ok()).unwrap_or(Matcher::All);
    hook.fails_closed = true;
    hook.check = Some(failing(CHANGED.to_owned()));
    hook
}

fn failing(problem: String) -> Check {
    Arc::new(move || Err(problem.clone()))
}

/// Returns whether something else is in the place of a hook's file: a link that leads nowhere or out of the project, also in
/// place of a directory above it, or a file in place of such a directory. A file that was removed is not displaced.
fn is_displaced(source: &str, cwd: &Path, project: &Path) -> bool {
    let path = cwd.join(source);
    if let Ok(real) = toolsmith_host::real_path(&path) {
        return !real.starts_with(project);
    }
    let above = path.ancestors().take_while(|above| *above != cwd && above.starts_with(cwd));
    above
        .filter_map(|above| Some((above, above.symlink_metadata().ok()?)))
        .any(|(above, about)| about.is_symlink() || (above != path && !about.is_dir()))
}

/// The place of a hook in the list of confirmations: its file and event.
fn place(source: &Path, event: HookEvent, cwd: &Path) -> String {
    let source = source.strip_prefix(cwd).unwrap_or(source);
    format!("{} {}", source.display(), event.as_str())
}

/// Deadlines of event hooks.
pub(super) const OWN_TIMEOUT: Duration = Duration::from_secs(60);
/// Deadline of hooks of other agents.
pub(super) const IMPORTED_TIMEOUT: Duration = Duration::from_secs(600);
