//! The hooks of a session, and running them: at most eight at once, each under its deadline, failures reported.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use serde_json::Value;
use tokio::{
    sync::Semaphore,
    task::{JoinHandle, JoinSet},
};
use toolsmith_builtins::ReadNames;
use toolsmith_llm::JsonPost;
use toolsmith_tool::{CancelToken, ToolContext};

use super::{
    answer::{Answer, Permission},
    command::{Ran, Surroundings, run_hook},
    definition::{Hook, HookEvent},
    names::Paths,
};

/// Maximum number of hooks that run at once.
const MAX_PARALLEL: usize = 8;

/// Place and environment of hooks.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HooksOptions {
    /// Working directory.
    pub cwd: PathBuf,
    /// The user's home directory, for `~` in paths of calls.
    pub home: Option<PathBuf>,
}

impl HooksOptions {
    /// Creates options for a working directory.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self { cwd: cwd.into(), ..Self::default() }
    }

    /// Sets the user's home directory.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }
}

/// One run of a hook.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookRun {
    /// Exit code and output, or the reason why it did not run to its end.
    pub ran: Result<Ran, String>,
    /// Its answer, or the reason why it counts as failed.
    pub answer: Result<Answer, String>,
    /// It was not run because it is not what was confirmed.
    pub failed_check: bool,
}

type Notify = Box<dyn Fn(String) + Send + Sync>;

struct Inner {
    hooks: RwLock<Arc<[Arc<Hook>]>>,
    cwd: String,
    paths: Paths,
    room: Semaphore,
    post: JsonPost,
    notify: Mutex<Option<Notify>>,
    /// Ends hooks that nobody waits for.
    background: Mutex<CancelToken>,
    /// Texts for the model, sent with the next prompt.
    context: Mutex<Vec<String>>,
    /// Hooks of the start of the session, which run while the session is being used.
    starting: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    /// The file of `CLAUDE_ENV_FILE`, which scripts expect to exist. What they write to it has no effect.
    env_file: OnceLock<Option<tempfile::NamedTempFile>>,
}

/// The hooks of a session. Clones are the same.
#[derive(Clone)]
pub struct Hooks {
    inner: Arc<Inner>,
}

impl Hooks {
    /// Creates the hooks of a session.
    pub fn new(hooks: Vec<Arc<Hook>>, options: HooksOptions) -> Self {
        let paths = Paths::new(&options.cwd, options.home.as_deref());
        let inner = Inner {
            hooks: RwLock::new(hooks.into()),
            cwd: options.cwd.to_string_lossy().into_owned(),
            paths,
            room: Semaphore::new(MAX_PARALLEL),
            post: JsonPost::default(),
            notify: Mutex::default(),
            background: Mutex::new(CancelToken::new()),
            context: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            env_file: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Replaces the hooks, for events from now on.
    pub fn replace(&self, hooks: Vec<Arc<Hook>>) {
        *self.inner.hooks.write().unwrap_or_else(PoisonError::into_inner) = hooks.into();
    }

    /// Sets who receives messages for the person.
    pub fn set_notify(&self, notify: impl Fn(String) + Send + Sync + 'static) {
        *self.inner.notify.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(notify));
    }

    /// Sets the names that `read` opens besides paths, so that hooks see the file behind them. The first call counts.
    pub fn set_read_names(&self, names: Arc<dyn ReadNames>) {
        let _ = self.inner.paths.names.set(names);
    }

    /// Returns the hooks.
    pub fn list(&self) -> Arc<[Arc<Hook>]> {
        Arc::clone(&self.inner.hooks.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether there is a hook for the event.
    pub fn has(&self, event: HookEvent) -> bool {
        self.list().iter().any(|hook| hook.event == event)
    }

    /// Returns the hooks of an event in order.
    pub(super) fn of(&self, event: HookEvent) -> Vec<Arc<Hook>> {
        self.list().iter().filter(|hook| hook.event == event).cloned().collect()
    }

    /// Returns the hooks of an event that match one of the names, identical handlers once.
    pub(super) fn matching(&self, event: HookEvent, names: &[&str]) -> Vec<Arc<Hook>> {
        let mut hooks = self.of(event);
        hooks.retain(|hook| hook.matcher.matches(names));
        distinct(hooks)
    }

    pub(super) fn cwd(&self) -> &str {
        &self.inner.cwd
    }

    pub(super) fn paths(&self) -> &Paths {
        &self.inner.paths
    }

    /// Notifies the person.
    pub(super) fn notice(&self, message: String) {
        match &*self.inner.notify.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(notify) => notify(message),
            None => tracing::warn!(message, "A hook has a message"),
        }
    }

    /// Keeps a text for the model until the next prompt.
    pub(super) fn keep_context(&self, texts: Vec<String>) {
        self.inner.context.lock().unwrap_or_else(PoisonError::into_inner).extend(texts);
    }

    pub(super) fn take_context(&self) -> Vec<String> {
        std::mem::take(&mut *self.inner.context.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) async fn set_starting(&self, task: JoinHandle<()>) {
        if let Some(earlier) = self.inner.starting.lock().await.replace(task) {
            earlier.abort();
        }
    }

    /// Waits for the hooks of the start of the session.
    pub(super) async fn started(&self, cancel: &CancelToken) {
        let Some(mut task) = self.inner.starting.lock().await.take() else { return };
        tokio::select! {
            _ = &mut task => {}
            () = cancel.cancelled() => task.abort(),
        }
    }

    /// Ends hooks that nobody waits for.
    pub(super) async fn end_background(&self) {
        if let Some(task) = self.inner.starting.lock().await.take() {
            task.abort();
        }
        let mut background = self.inner.background.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *background, CancelToken::new()).force("the session ended");
    }

    /// Runs one hook with a payload, whatever its matcher, and returns everything about the run.
    pub async fn run(
        &self,
        hook: &Hook,
        event: HookEvent,
        payload: &Value,
        env: Vec<(String, String)>,
        cancel: &CancelToken,
    ) -> HookRun {
        if let Some(check) = hook.check.clone() {
            let checked = tokio::task::spawn_blocking(move || check()).await;
            if let Err(problem) = checked.unwrap_or_else(|error| Err(error.to_string())) {
                return HookRun { ran: Err(problem.clone()), answer: Err(problem), failed_check: true };
            }
        }
        // The semaphore is never closed.
        let _place = self.inner.room.acquire().await;
        let mut env = env;
        env.push(("TOOLSMITH_CWD".to_owned(), self.inner.cwd.clone()));
        env.push(("CLAUDE_PROJECT_DIR".to_owned(), self.inner.cwd.clone()));
        if event == HookEvent::SessionStart
            && let Some(file) = self.inner.env_file.get_or_init(|| tempfile::NamedTempFile::new().ok())
        {
            env.push(("CLAUDE_ENV_FILE".to_owned(), file.path().to_string_lossy().into_owned()));
        }
        let surroundings = Surroundings { cwd: &self.inner.cwd, env };
        let input = format!("{payload}\n").into_bytes();
        let ran = run_hook(hook, input, &surroundings, &self.inner.post, cancel).await;
        let answer = match &ran {
            Ok(ran) => Answer::read(hook, event, ran),
            Err(problem) => Err(problem.clone()),
        };
        HookRun { ran, answer, failed_check: false }
    }

    /// Runs one hook. Messages and failures are reported; a failure that blocks is an answer.
    pub(super) async fn answer(
        &self,
        hook: &Hook,
        event: HookEvent,
        payload: &Value,
        env: Vec<(String, String)>,
        cancel: &CancelToken,
    ) -> Answer {
        let run = self.run(hook, event, payload, env, cancel).await;
        match run.answer {
            Ok(mut answer) => {
                for message in answer.messages.drain(..) {
                    self.notice(message);
                }
                for warning in answer.warnings.drain(..) {
                    self.notice(format!("Hook {}: {warning}", hook.label()));
                }
                answer
            }
            // A guard that is not what was confirmed must neither run nor vanish.
            Err(problem) => {
                let blocks = hook.fails_closed || run.failed_check;
                let answer = Answer::of_failure(event, blocks.then(|| failed(hook, &problem)));
                // A hook that cannot run is reported once, unless it blocks something.
                let is_new = !run.failed_check || !hook.was_reported() || answer.denies();
                if is_new && !cancel.is_cancelled() {
                    let text = failed(hook, &problem);
                    self.notice(match blocks {
                        true => text,
                        false => format!("{text} ({}); continuing without it", event.as_str()),
                    });
                }
                answer
            }
        }
    }

    /// Runs event hooks at once and returns their answers in the order they arrived. Those in the background are only started.
    pub(super) async fn answers(
        &self,
        event: HookEvent,
        jobs: Vec<(usize, Arc<Hook>, Value)>,
        env: impl Fn(&Hook) -> Vec<(String, String)>,
        cancel: &CancelToken,
    ) -> Vec<(usize, Answer)> {
        let mut running = JoinSet::new();
        for (at, hook, payload) in jobs {
            if !hook.take_turn() {
                continue;
            }
            let (own, env) = (self.clone(), env(&hook));
            if hook.in_background {
                let background = self.inner.background.lock().unwrap_or_else(PoisonError::into_inner).clone();
                tokio::spawn(async move { own.answer(&hook, event, &payload, env, &background).await });
                continue;
            }
            let cancel = cancel.clone();
            running.spawn(async move { (at, own.answer(&hook, event, &payload, env, &cancel).await) });
        }
        let mut answers = Vec::new();
        while let Some(ended) = running.join_next().await {
            match ended {
                Ok(answer) => answers.push(answer),
                // A hook that cannot be run to its end must not count as one that agreed.
                Err(error) => {
                    let problem = format!("A hook failed: {error}");
                    let permission = Some(Permission::Deny);
                    answers.push((
                        usize::MAX,
                        Answer { permission, reason: Some(problem), ..Answer::default() },
                    ));
                }
            }
        }
        answers
    }

    /// Runs the hooks of an event that is not about a call, and merges their answers.
    pub(super) async fn fire(
        &self,
        event: HookEvent,
        subject: &str,
        fields: Value,
        context: &ToolContext,
        cancel: &CancelToken,
    ) -> Answer {
        let jobs: Vec<(usize, Arc<Hook>, Value)> = self
            .matching(event, &[subject])
            .into_iter()
            .enumerate()
            .map(|(at, hook)| {
                let mut payload = super::payload::common(event, &self.inner.cwd, context);
                if let Value::Object(fields) = &fields {
                    payload.extend(fields.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                (at, hook, Value::Object(payload))
            })
            .collect();
        let session = context.session.session_id().replace('\0', "");
        let env = |_: &Hook| {
            vec![
                ("TOOLSMITH_EVENT".to_owned(), event.as_str().to_owned()),
                ("TOOLSMITH_SESSION".to_owned(), session.clone()),
            ]
        };
        let mut merged = Answer::default();
        for (_, answer) in self.answers(event, jobs, env, cancel).await {
            merged.merge(answer);
        }
        merged
    }
}

fn failed(hook: &Hook, problem: &str) -> String {
    format!("Hook {} failed: {problem}", hook.label())
}

/// Keeps the first of several hooks that would run the same thing.
pub(super) fn distinct(hooks: Vec<Arc<Hook>>) -> Vec<Arc<Hook>> {
    let mut kept: Vec<Arc<Hook>> = Vec::new();
    for hook in hooks {
        // Those whose failure or answer counts differently are not the same.
        let is_same = |other: &Arc<Hook>| {
            (other.dialect, other.fails_closed, other.in_background)
                == (hook.dialect, hook.fails_closed, hook.in_background)
                && other.handler == hook.handler
        };
        if !kept.iter().any(is_same) {
            kept.push(hook);
        }
    }
    kept
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("hooks", &self.list()).finish_non_exhaustive()
    }
}
