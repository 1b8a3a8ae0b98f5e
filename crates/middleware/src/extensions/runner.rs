//! The modules in load order, and calls of their handlers: deadline, failures, suspension.

use std::{
    fmt,
    path::{Path, PathBuf},
    pin::pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::runtime::Handle;
use toolsmith_agent::CallDeadline;
use toolsmith_llm::Message;
use toolsmith_tool::{CancelToken, Extension, ToolContext, ToolError, panics::catching};

use super::{context_event::Conversations, pump::Pump};

/// Time a handler that missed its deadline has to stop.
const STOPPING: Duration = Duration::from_secs(1);

/// Reason of a module whose project lost its trust.
const UNTRUSTED: &str = "its project is not trusted any more; `toolsmith trust` trusts it, and a new session does without the extension";

/// Limits of handlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtensionLimits {
    /// Deadline of a handler. Open dialogs stop the clock.
    pub handler: Duration,
    /// Deadline of a handler at the end of the session.
    pub shutdown: Duration,
    /// Number of consecutive failures after which a module is suspended.
    pub failures: u32,
}

impl Default for ExtensionLimits {
    fn default() -> Self {
        Self { handler: Duration::from_secs(30), shutdown: Duration::from_secs(2), failures: 3 }
    }
}

impl ExtensionLimits {
    /// Sets the deadline of a handler.
    #[must_use]
    pub fn handler(mut self, time: Duration) -> Self {
        self.handler = time;
        self
    }

    /// Sets the deadline of a handler at the end of the session.
    #[must_use]
    pub fn shutdown(mut self, time: Duration) -> Self {
        self.shutdown = time;
        self
    }
}

/// A module in a session.
pub(super) struct Module {
    pub(super) extension: Arc<dyn Extension>,
    failures: AtomicU32,
    suspended: AtomicBool,
    /// It may no longer run.
    revoked: AtomicBool,
    pub(super) conversations: tokio::sync::Mutex<Conversations>,
}

impl Module {
    /// Returns the name for messages: the file's name, or its directory's for an index file.
    pub(super) fn name(&self) -> String {
        self.extension.path().display().to_string()
    }

    /// Returns whether it looks at tool calls before they are made.
    fn is_guard(&self) -> bool {
        self.extension.listens_to("tool_call")
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.suspended.load(Ordering::Relaxed)
    }
}

type Notify = Box<dyn Fn(String) + Send + Sync>;
type Permit = Box<dyn Fn(&Path) -> bool + Send + Sync>;

struct Inner {
    modules: RwLock<Arc<[Arc<Module>]>>,
    limits: ExtensionLimits,
    notify: Mutex<Option<Notify>>,
    permit: OnceLock<Permit>,
    pump: Pump,
    /// Messages for the next prompt.
    next_turn: Mutex<Vec<Message>>,
}

/// The extensions of a session. Clones are the same.
#[derive(Clone)]
pub struct Extensions {
    inner: Arc<Inner>,
}

/// A handle that does not keep the extensions alive.
#[derive(Clone)]
pub struct WeakExtensions {
    inner: Weak<Inner>,
}

impl WeakExtensions {
    /// Returns the extensions, if they are still there.
    pub fn upgrade(&self) -> Option<Extensions> {
        self.inner.upgrade().map(|inner| Extensions { inner })
    }
}

impl fmt::Debug for WeakExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakExtensions")
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<_> = self.modules().iter().map(|module| module.name()).collect();
        f.debug_struct("Extensions").field("modules", &paths).finish_non_exhaustive()
    }
}

impl Extensions {
    /// Creates the extensions of a session, in load order. Must be called on a tokio runtime.
    pub fn new(modules: Vec<Arc<dyn Extension>>, limits: ExtensionLimits) -> Self {
        let pump = Pump::new(Handle::try_current().ok());
        let inner = Inner {
            modules: RwLock::new(Arc::from([])),
            limits,
            notify: Mutex::default(),
            permit: OnceLock::new(),
            pump,
            next_turn: Mutex::default(),
        };
        let extensions = Self { inner: Arc::new(inner) };
        extensions.replace(modules);
        extensions
    }

    /// Returns a handle that does not keep the extensions alive.
    pub fn downgrade(&self) -> WeakExtensions {
        WeakExtensions { inner: Arc::downgrade(&self.inner) }
    }

    /// Sets the test whether a module may run, by its path. The first call counts.
    pub fn set_permit(&self, permit: impl Fn(&Path) -> bool + Send + Sync + 'static) {
        let _ = self.inner.permit.set(Box::new(permit));
    }

    fn may_run(&self, module: &Module) -> bool {
        let is_permitted = || self.inner.permit.get().is_none_or(|permit| permit(module.extension.path()));
        !module.revoked.load(Ordering::Relaxed) && is_permitted()
    }

    /// Marks the modules that may no longer run. One that guards tool calls blocks them from now on. Returns the guards.
    pub fn revoke(&self, is_revoked: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let modules = self.modules();
        let revoked = modules.iter().filter(|module| is_revoked(module.extension.path()));
        let revoked = revoked.inspect(|module| module.revoked.store(true, Ordering::Relaxed));
        revoked
            .filter(|module| module.is_guard())
            .map(|module| module.extension.path().to_path_buf())
            .collect()
    }

    /// Replaces the modules, as a reload does. Those that stay keep their state. Guards that may no longer run stay, unless they
    /// may run again.
    pub fn replace(&self, modules: Vec<Arc<dyn Extension>>) {
        let before = self.inner.modules.read().unwrap_or_else(PoisonError::into_inner).clone();
        let is_new = |guard: &Module| modules.iter().any(|new| new.path() == guard.extension.path());
        let is_kept = |module: &&Arc<Module>| {
            module.revoked.load(Ordering::Relaxed) && module.is_guard() && !is_new(module)
        };
        let kept: Vec<Arc<Module>> = before.iter().filter(is_kept).cloned().collect();
        let modules = modules.into_iter().map(|extension| {
            if let Some(same) = before.iter().find(|module| Arc::ptr_eq(&module.extension, &extension)) {
                return Arc::clone(same);
            }
            Arc::new(Module {
                extension,
                failures: AtomicU32::new(0),
                suspended: AtomicBool::new(false),
                revoked: AtomicBool::new(false),
                conversations: tokio::sync::Mutex::default(),
            })
        });
        *self.inner.modules.write().unwrap_or_else(PoisonError::into_inner) =
            kept.into_iter().chain(modules).collect();
    }

    /// Sets who receives notices for the user.
    pub fn set_notify(&self, notify: impl Fn(String) + Send + Sync + 'static) {
        *self.inner.notify.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(notify));
    }

    /// Returns the modules that may run, in load order.
    pub fn list(&self) -> Vec<Arc<dyn Extension>> {
        let modules = self.modules();
        modules
            .iter()
            .filter(|module| self.may_run(module))
            .map(|module| Arc::clone(&module.extension))
            .collect()
    }

    /// Returns the limits.
    pub fn limits(&self) -> &ExtensionLimits {
        &self.inner.limits
    }

    /// Returns whether a module has a handler for the event.
    pub fn listens_to(&self, event: &str) -> bool {
        self.modules().iter().any(|module| module.extension.listens_to(event))
    }

    pub(super) fn modules(&self) -> Arc<[Arc<Module>]> {
        Arc::clone(&self.inner.modules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the modules that handle the event now.
    pub(super) fn listening(&self, event: &str) -> Vec<Arc<Module>> {
        let modules = self.modules();
        modules.iter().filter(|module| module.extension.listens_to(event)).cloned().collect()
    }

    pub(super) fn notice(&self, message: String) {
        match &*self.inner.notify.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(notify) => notify(message),
            None => tracing::warn!(message, "An extension failed"),
        }
    }

    /// Notifies all modules of an event, in load order. Failures become notices. Waits for earlier events first.
    pub async fn notify(&self, event: &str, payload: Value, context: &ToolContext) {
        self.inner.pump.flush().await;
        self.deliver(event, payload, context).await;
    }

    /// Notifies those modules that `is_wanted` selects.
    pub async fn notify_some(
        &self,
        event: &str,
        payload: Value,
        context: &ToolContext,
        is_wanted: impl Fn(&dyn Extension) -> bool + Send,
    ) {
        self.inner.pump.flush().await;
        for module in self.listening(event) {
            if is_wanted(module.extension.as_ref()) {
                // A failure was reported; the others are notified nevertheless.
                let _ = self.call(&module, event, payload.clone(), context.clone()).await;
            }
        }
    }

    /// Keeps a message for the next prompt.
    pub fn keep_for_next_turn(&self, message: Message) {
        self.inner.next_turn.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    pub(super) fn take_for_next_turn(&self) -> Vec<Message> {
        std::mem::take(&mut *self.inner.next_turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notifies without waiting for earlier events.
    pub(super) async fn deliver(&self, event: &str, payload: Value, context: &ToolContext) {
        for module in self.listening(event) {
            // A failure was reported; the others are notified nevertheless.
            let _ = self.call(&module, event, payload.clone(), context.clone()).await;
        }
    }

    /// Asks all modules and returns each answer that is not null, in load order.
    pub async fn ask(&self, event: &str, payload: Value, context: &ToolContext) -> Vec<Value> {
        self.inner.pump.flush().await;
        let mut answers = Vec::new();
        for module in self.listening(event) {
            match self.call(&module, event, payload.clone(), context.clone()).await {
                Ok(Value::Null) | Err(_) => {}
                Ok(answer) => answers.push(answer),
            }
        }
        answers
    }

    /// Notifies without waiting. Events arrive in the order they were sent.
    pub fn send(
        &self,
        event: &'static str,
        payload: impl FnOnce() -> Value,
        context: impl FnOnce() -> ToolContext,
    ) {
        if self.listens_to(event) {
            self.inner.pump.push(self, event, payload(), context());
        }
    }

    /// Waits until events that were sent have been handled.
    pub async fn flush(&self) {
        self.inner.pump.flush().await;
    }

    /// Notifies all modules of the end of the session, at once and each within its own short deadline.
    pub async fn shutdown(&self, payload: Value, context: &ToolContext) {
        self.inner.pump.flush().await;
        let event = "session_shutdown";
        let calls = self.listening(event).into_iter().map(|module| {
            let (own, payload, context) = (self.clone(), payload.clone(), context.clone());
            tokio::spawn(async move {
                let limit = own.inner.limits.shutdown;
                let _ = own.call_within(&module, event, payload, context, limit).await;
            })
        });
        for call in calls.collect::<Vec<_>>() {
            let _ = call.await;
        }
    }

    /// Calls the handlers of one module within the usual deadline.
    pub(super) async fn call(
        &self,
        module: &Module,
        event: &str,
        payload: Value,
        context: ToolContext,
    ) -> Result<Value, String> {
        self.call_within(module, event, payload, context, self.inner.limits.handler).await
    }

    async fn call_within(
        &self,
        module: &Module,
        event: &str,
        payload: Value,
        context: ToolContext,
        limit: Duration,
    ) -> Result<Value, String> {
        if !self.may_run(module) {
            return Err(UNTRUSTED.to_owned());
        }
        if module.is_suspended() {
            return Err(format!("it is suspended after {} failures in a row", self.inner.limits.failures));
        }
        let outer = context.cancel.clone();
        let cancel = outer.child();
        let deadline = CallDeadline::new(limit);
        let ui = deadline.interface(context.ui.clone(), cancel.clone());
        let context = context.with_cancel(cancel.clone()).with_ui(ui).with_event(event);
        let outcome = within(module, event, payload, context, &deadline, &cancel, limit).await;
        match outcome {
            Ok(value) => {
                module.failures.store(0, Ordering::Relaxed);
                Ok(value)
            }
            // The run was stopped, which is not the module's fault.
            Err(error) if outer.is_cancelled() => Err(error),
            Err(error) => {
                self.failed(module, event, &error);
                Err(error)
            }
        }
    }

    /// Reports a failure, and suspends a module that fails again and again.
    fn failed(&self, module: &Module, event: &str, error: &str) {
        let (name, most) = (module.name(), self.inner.limits.failures);
        tracing::warn!(module = name, event, error, "An extension's handler failed");
        let failures = module.failures.fetch_add(1, Ordering::Relaxed) + 1;
        self.notice(format!("Extension {name}: its {event} handler failed: {error}"));
        if failures >= most && !module.suspended.swap(true, Ordering::Relaxed) {
            let guards = if module.extension.listens_to("tool_call") {
                " Because it guards tool calls, all tool calls are blocked."
            } else {
                ""
            };
            self.notice(format!(
                "Extension {name} failed {most} times in a row and is suspended for this session.{guards} To run without \
                 it, add its name to extensions.disabled."
            ));
        }
    }
}

async fn within(
    module: &Module,
    event: &str,
    payload: Value,
    context: ToolContext,
    deadline: &CallDeadline,
    cancel: &CancelToken,
    limit: Duration,
) -> Result<Value, String> {
    let mut work = pin!(catching(module.extension.handle(event, payload, context)));
    let outcome = tokio::select! {
        biased;
        outcome = &mut work => outcome,
        () = deadline.over() => {
            cancel.cancel(format!("the handler took longer than {limit:?}"));
            // The module's engine is being stopped. The next call must not meet it while it stops.
            let _ = tokio::time::timeout(STOPPING, work).await;
            return Err(format!("timed out after {limit:?}"));
        }
    };
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(reason(error)),
        Err(panic) => Err(panic),
    }
}

fn reason(error: ToolError) -> String {
    match error {
        ToolError::Reply(failure) => failure.message,
        other => other.to_string(),
    }
}
