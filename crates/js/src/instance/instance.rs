//! The handle to an instance: starts its thread, sends commands, and stops it in escalating steps.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
};

use tokio::{sync::oneshot, time::timeout};
use toolsmith_tool::{CallTape, CancelToken, Figure, Stop, ToolContext, ToolError};

use super::{
    byte_streams::ByteStreams,
    command::{CallFailure, CallKind, CallReply, Command, Drawn, LoadReply},
    operations::Operations,
    spin,
    state::SharedState,
    thread as engine_thread,
};
use crate::{
    allocator::MemoryUse,
    engine::EngineShared,
    errors::{LoadError, LoadFailure, SourceLookup},
    limits::Limits,
    module::ModuleHost,
    module_request::ImportGate,
    ops::{OpenFiles, Watchers},
    sidecar::{self, SidecarRuntime},
    stop::StopFlags,
};

/// Stack reserved beyond the engine's own, for native code.
const EXTRA_STACK: usize = 3 << 20;

/// Start options of an instance.
#[derive(Clone)]
pub(crate) struct InstanceOptions {
    pub(crate) engine: Arc<EngineShared>,
    pub(crate) limits: Limits,
    /// Label of the module in logs and thread names.
    pub(crate) label: String,
    /// Which files the module may import; all of them without one.
    pub(crate) imports: Option<ImportGate>,
    /// The module, for what it registers after it was loaded.
    pub(crate) module: Weak<ModuleHost>,
}

/// Engine of an instance.
#[derive(Clone, Debug)]
pub(crate) enum Runner {
    Embedded,
    Sidecar(SidecarRuntime),
}

/// A running instance. Its thread ends when the last handle is dropped.
pub(crate) struct Instance {
    shared: Arc<SharedState>,
    limits: Limits,
    next_call: AtomicU32,
    /// Triggered by the thread when it has ended.
    ended: CancelToken,
}

/// A requested load.
pub(crate) struct StartedLoad {
    path: PathBuf,
    answer: oneshot::Receiver<LoadReply>,
}

/// Signals the end of the thread on every exit path.
struct EndOfThread {
    ended: CancelToken,
    engine: Arc<EngineShared>,
}

impl Drop for EndOfThread {
    fn drop(&mut self) {
        self.engine.threads.fetch_sub(1, Ordering::SeqCst);
        self.ended.cancel("ended");
    }
}

impl Drop for Instance {
    /// Nothing can reach it any more, so it is stopped.
    fn drop(&mut self) {
        self.shared.force();
    }
}

impl Instance {
    /// Starts a thread with a new runtime.
    pub(crate) fn start(options: &InstanceOptions, runner: Runner) -> Result<Arc<Self>, LoadFailure> {
        let (sender, queue) = mpsc::channel();
        let shared = Arc::new(SharedState {
            engine: Arc::clone(&options.engine),
            stop: Arc::new(StopFlags::default()),
            memory: Arc::new(MemoryUse::new(options.limits.memory)),
            operations: Operations::default(),
            current_call: AtomicU32::new(0),
            responses: Mutex::default(),
            answers: Mutex::default(),
            streams: ByteStreams::default(),
            files: OpenFiles::default(),
            watchers: Watchers::default(),
            queue: sender,
            label: options.label.clone(),
            imports: options.imports.clone(),
            handle: OnceLock::new(),
            module: options.module.clone(),
        });
        let ended = CancelToken::new();
        let guard = EndOfThread { ended: ended.clone(), engine: Arc::clone(&options.engine) };
        options.engine.threads.fetch_add(1, Ordering::SeqCst);
        options.engine.join_bus(&shared);
        let (thread_shared, limits) = (Arc::clone(&shared), options.limits.clone());
        thread::Builder::new()
            .name(format!("tool {}", short_label(&options.label)))
            .stack_size(options.limits.stack + EXTRA_STACK)
            .spawn(move || {
                let _guard = guard;
                let outcome = match runner {
                    Runner::Embedded => engine_thread::run(thread_shared, &limits, &queue),
                    Runner::Sidecar(runtime) => sidecar::run(&thread_shared, &limits, &queue, &runtime),
                };
                if let Err(error) = outcome {
                    tracing::error!(%error, "An engine ended early");
                }
            })
            .map_err(|error| LoadFailure::Engine(format!("could not start a thread: {error}")))?;
        let instance = Arc::new(Self {
            shared: Arc::clone(&shared),
            limits: options.limits.clone(),
            next_call: AtomicU32::new(1),
            ended,
        });
        let _ = shared.handle.set(Arc::downgrade(&instance));
        Ok(instance)
    }

    /// Returns whether calls can still be made.
    pub(crate) fn is_alive(&self) -> bool {
        !self.shared.stop.is_forced() && !self.ended.is_cancelled()
    }

    fn new_call(&self) -> u32 {
        self.next_call.fetch_add(1, Ordering::Relaxed)
    }

    fn send(&self, command: Command) {
        // The thread may have ended; the caller then sees that the reply was dropped.
        let _ = self.shared.queue.send(command);
    }

    /// Imports a module and runs its factory, within the load deadline. A module that misses it, or crashes its
    /// runtime, ends the instance.
    pub(crate) async fn load(&self, path: &Path, tape: Option<CallTape>) -> LoadReply {
        let started = self.start_load(path, tape);
        self.finish_load(started).await.unwrap_or_else(|path| {
            let failure = LoadFailure::Engine("its engine stopped during loading".to_owned());
            LoadReply::failed(LoadError::from_failure(&path, failure, &NoSources))
        })
    }

    /// Requests a load; the thread handles it after earlier commands. A tape records it, or plays a recording back.
    pub(crate) fn start_load(&self, path: &Path, tape: Option<CallTape>) -> StartedLoad {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Load { call: self.new_call(), path: path.to_path_buf(), tape, reply });
        StartedLoad { path: path.to_path_buf(), answer }
    }

    /// Waits for a load. The deadline starts here, so loads are awaited in the order they were requested. Returns the
    /// path if the instance ended before it was started.
    pub(crate) async fn finish_load(&self, started: StartedLoad) -> Result<LoadReply, PathBuf> {
        let StartedLoad { path, answer } = started;
        match timeout(self.limits.load, answer).await {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(_)) => Err(path),
            Err(_) => {
                self.force().await;
                let failure = LoadFailure::Deadline(self.limits.load);
                Ok(LoadReply::failed(LoadError::from_failure(&path, failure, &NoSources)))
            }
        }
    }

    /// Makes a call and, when it is cancelled, escalates: signal, grace time, force (CONTRACT 4.6).
    pub(crate) async fn call(self: &Arc<Self>, kind: CallKind, context: ToolContext) -> CallReply {
        let (cancel, meter) = (context.cancel.clone(), context.meter.clone());
        if cancel.is_cancelled() {
            return Err(CallFailure::Tool(ToolError::stopped(Stop::NotStarted)));
        }
        let call = self.new_call();
        let (reply, mut answer) = oneshot::channel();
        self.send(Command::Start { call, kind, context: Box::new(context), reply });
        if let Some(outcome) = spin::for_a_moment(|| answer.try_recv().ok()) {
            return outcome;
        }
        let mut waiting = Waiting { instance: Arc::clone(self), call, answer: Some(answer) };
        let outcome = tokio::select! {
            biased;
            outcome = waiting.answer() => Some(outcome),
            () = cancel.cancelled() => None,
        };
        match (outcome, waiting.answer.take()) {
            (Some(outcome), _) => outcome.unwrap_or_else(|_| Err(engine_gone())),
            (None, Some(answer)) => {
                let outcome = self.stop_call(call, answer, &cancel).await;
                // A thread that still runs has not said what it used.
                if !self.is_alive() && !self.ended.is_cancelled() {
                    meter.forget(Figure::Cpu);
                    meter.forget(Figure::Memory);
                }
                outcome
            }
            (None, None) => Err(engine_gone()),
        }
    }

    /// Escalation for a call in progress.
    async fn stop_call(
        &self,
        call: u32,
        mut answer: oneshot::Receiver<CallReply>,
        cancel: &CancelToken,
    ) -> CallReply {
        let reason = cancel.reason().unwrap_or_default();
        self.send(Command::Abort { call, reason: reason.clone() });
        let settled = tokio::select! {
            biased;
            outcome = &mut answer => Some(outcome),
            () = cancel.forced() => None,
            () = tokio::time::sleep(self.limits.grace) => None,
        };
        match settled {
            // It finished, or returned a result despite the abort.
            Some(Ok(Ok(answer))) => Ok(answer),
            Some(Ok(Err(failure))) => {
                self.shared.operations.force_processes(call);
                let note = match failure {
                    CallFailure::Tool(ToolError::Reply(failure)) if failure.message != reason => {
                        Some(failure.message)
                    }
                    _ => (!reason.is_empty()).then_some(reason),
                };
                Err(CallFailure::Tool(ToolError::Stopped { stop: Stop::Stopped, note }))
            }
            Some(Err(_)) => Err(engine_gone()),
            None => {
                self.force().await;
                let lost = "its in-memory state is lost; the next call starts a new engine";
                let note = if reason.is_empty() { lost.to_owned() } else { format!("{reason}; {lost}") };
                Err(CallFailure::Tool(ToolError::Stopped { stop: Stop::Forced, note: Some(note) }))
            }
        }
    }

    /// Ends the runtime and waits briefly for its thread. A thread that does not end is abandoned and counted; it ends
    /// when the engine next checks its flags.
    pub(crate) async fn force(&self) {
        self.shared.force();
        if timeout(self.limits.stop, self.ended.cancelled()).await.is_ok() {
            return;
        }
        let (engine, ended) = (Arc::clone(&self.shared.engine), self.ended.clone());
        engine.abandoned.fetch_add(1, Ordering::SeqCst);
        tracing::warn!(tool = %self.shared.label, "A tool's thread could not be stopped in time and was abandoned");
        let runtime = engine.runtime.clone();
        runtime.spawn(async move {
            ended.cancelled().await;
            engine.abandoned.fetch_sub(1, Ordering::SeqCst);
        });
    }

    pub(super) fn shared(&self) -> &SharedState {
        &self.shared
    }

    /// Renders a call or result; `None` if the tool is too busy.
    pub(crate) async fn draw(
        &self,
        number: u32,
        what: &'static str,
        width: usize,
        payload: String,
    ) -> Option<Drawn> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Render { number, what, width, payload, reply });
        timeout(self.limits.render * 2, answer).await.ok()?.ok()
    }

    /// Renders a message or an entry with the renderer an extension registered.
    pub(crate) async fn draw_extension(
        &self,
        number: u32,
        kind: &'static str,
        width: usize,
        payload: String,
    ) -> Option<Drawn> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::RenderExtension { number, kind, width, payload, reply });
        timeout(self.limits.render * 2, answer).await.ok()?.ok()
    }

    /// Renders a component a tool shows, or passes input to it.
    pub(crate) async fn view(&self, number: u32, what: &'static str, payload: String) -> Option<Drawn> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::View { number, what, payload, reply: Some(reply) });
        timeout(self.limits.render * 2, answer).await.ok()?.ok()
    }

    /// Reports that a pending action will never be used.
    pub(crate) fn forget_pending(&self, number: u32) {
        self.send(Command::ForgetPending { number });
    }
}

fn engine_gone() -> CallFailure {
    CallFailure::Tool(ToolError::reply(
        "The tool's engine was stopped during this call, because of another call or its limits. Its side effects may be incomplete. \
         The next call starts it afresh.",
    ))
}

/// A call in progress. Dropping it before it ends stops it in the background, with the same escalation.
struct Waiting {
    instance: Arc<Instance>,
    call: u32,
    answer: Option<oneshot::Receiver<CallReply>>,
}

impl Waiting {
    async fn answer(&mut self) -> Result<CallReply, oneshot::error::RecvError> {
        let Some(answer) = &mut self.answer else {
            return std::future::pending().await;
        };
        let outcome = answer.await;
        self.answer = None;
        outcome
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(answer) = self.answer.take() else { return };
        let (instance, call) = (Arc::clone(&self.instance), self.call);
        let cancel = CancelToken::new();
        cancel.cancel("the caller is gone");
        let runtime = instance.shared.engine.runtime.clone();
        runtime.spawn(async move {
            let _ = instance.stop_call(call, answer, &cancel).await;
        });
    }
}

/// For errors of a runtime that is gone together with its sources.
struct NoSources;

impl SourceLookup for NoSources {
    fn source(&self, _name: &str) -> Option<Arc<str>> {
        None
    }
}

fn short_label(label: &str) -> String {
    Path::new(label)
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().chars().take(10).collect())
}
