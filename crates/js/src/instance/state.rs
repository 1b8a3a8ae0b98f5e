//! What an instance's thread knows: shared with other threads (`SharedState`) or its own (`ThreadState`).

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    time::Duration,
};

use tokio::sync::oneshot;
use toolsmith_tool::{CallTape, Figure, Meter, ToolContext, ToolError};

use super::{
    byte_streams::ByteStreams,
    command::{Answer, CallFailure, CallReply, Command, LoadReply},
    cpu_shares::CpuShares,
    frames::{Frames, HeldContexts},
    instance::Instance,
    operations::{HostError, Operations, Settled, Work},
    timers::Timers,
};
use crate::{
    allocator::MemoryUse,
    charge::Charge,
    data_limit::DataLimit,
    engine::EngineShared,
    errors::{LoadError, LoadFailure, SourceLookup, Thrown},
    module::ModuleHost,
    module_request::ImportGate,
    modules::ModuleStore,
    ops::{OpenFiles, Watchers},
    stop::StopFlags,
};

/// How often a thread that waits for an operation looks whether it is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// State shared by the thread and the handles of an instance.
pub(crate) struct SharedState {
    pub(crate) engine: Arc<EngineShared>,
    pub(crate) stop: Arc<StopFlags>,
    pub(crate) memory: Arc<MemoryUse>,
    pub(crate) operations: Operations,
    /// The call that the code running now belongs to; 0 for none. Written by the thread alone.
    pub(crate) current_call: AtomicU32,
    /// Answers of web servers whose bodies are still to be read, by number.
    pub(crate) responses: Mutex<HashMap<u32, reqwest::Response>>,
    /// Pipes and connections.
    pub(crate) streams: ByteStreams,
    /// Files the tool has open.
    pub(crate) files: OpenFiles,
    /// File watchers of the tool.
    pub(crate) watchers: Watchers,
    /// The last number and the waiting ones of questions that components answer later.
    pub(crate) answers: Mutex<(u32, HashMap<u32, oneshot::Sender<serde_json::Value>>)>,
    pub(crate) queue: mpsc::Sender<Command>,
    /// Names the module in logs.
    pub(crate) label: String,
    /// Which files the module may import; all of them without one.
    pub(crate) imports: Option<ImportGate>,
    /// The handle, for what outlives the call that made it.
    pub(crate) handle: OnceLock<Weak<Instance>>,
    /// The module, for what it registers after it was loaded.
    pub(crate) module: Weak<ModuleHost>,
}

impl SharedState {
    /// The handle of this instance.
    pub(crate) fn instance(&self) -> Weak<Instance> {
        self.handle.get().cloned().unwrap_or_default()
    }

    /// Counts memory outside the engine as the tool's.
    pub(crate) fn charge(&self, bytes: usize) -> Result<Charge, HostError> {
        Charge::new(&self.memory, bytes)
    }

    /// Runs an operation on the program's runtime and hands its outcome to the engine.
    pub(crate) fn spawn_operation<F>(
        self: &Arc<Self>,
        number: u64,
        work: impl FnOnce(toolsmith_tool::CancelToken) -> F,
    ) where
        F: Future<Output = Settled> + Send + 'static,
    {
        self.spawn_work(number, Work::Task, work);
    }

    /// The same for work of a kind.
    pub(crate) fn spawn_work<F>(
        self: &Arc<Self>,
        number: u64,
        kind: Work,
        work: impl FnOnce(toolsmith_tool::CancelToken) -> F,
    ) where
        F: Future<Output = Settled> + Send + 'static,
    {
        let token = self.operations.begin(number, self.current_call.load(Ordering::Relaxed), kind);
        let work = work(token);
        let shared = Arc::clone(self);
        self.engine.runtime.spawn(async move {
            let outcome = work.await;
            shared.operations.end(number);
            let (outcome, held) = match shared.charge(outcome.bytes()) {
                Ok(held) => (outcome, Some(held)),
                Err(error) => (Settled::Failed(error), None),
            };
            // The thread may have ended; then nobody waits.
            let _ = shared.queue.send(Command::Settle { number, outcome, held });
        });
    }

    /// Runs an operation on the program's runtime and waits for it on the engine's thread, which does nothing else
    /// meanwhile. Nothing when the runtime is to end first.
    pub(crate) fn wait_for<T, F>(&self, work: impl FnOnce(toolsmith_tool::CancelToken) -> F) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (number, token) = self.operations.begin_unnumbered(self.current_call.load(Ordering::Relaxed));
        let work = work(token.clone());
        let (sender, receiver) = mpsc::channel();
        self.engine.runtime.spawn(async move {
            // Whoever waited may have given up.
            let _ = sender.send(work.await);
        });
        let outcome = loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(outcome) => break Some(outcome),
                Err(mpsc::RecvTimeoutError::Timeout) if self.stop.is_over() => {
                    token.force("the tool was stopped");
                    break None;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break None,
            }
        };
        self.operations.end(number);
        outcome
    }

    /// Hands on what was said on the bus.
    pub(crate) fn hear(&self, channel: &str, json: &str) {
        let _ = self.queue.send(Command::Hear { channel: channel.to_owned(), json: json.to_owned() });
    }

    /// Ends the runtime: what it does fails, what it waits for is ended.
    pub(crate) fn force(&self) {
        self.stop.force();
        self.operations.force_all();
        self.streams.close_all();
        let _ = self.queue.send(Command::Wake);
    }
}

enum Reply {
    Load(PathBuf, oneshot::Sender<LoadReply>),
    Call(oneshot::Sender<CallReply>),
}

/// State owned by the thread.
pub(crate) struct ThreadState {
    pub(crate) shared: Arc<SharedState>,
    pub(crate) modules: Rc<ModuleStore>,
    pub(crate) timers: RefCell<Timers>,
    memory_cap: usize,
    /// Where the tool believes to be; the program itself stays where it is.
    current_dir: RefCell<PathBuf>,
    calls: RefCell<HashMap<u32, (Rc<ToolContext>, Reply)>>,
    /// Contexts of calls that something still refers to, also after their end.
    pub(crate) contexts: HeldContexts,
    /// Follows the embedded engine's promises; a sidecar does that itself.
    pub(crate) frames: OnceCell<Rc<Frames>>,
    /// Divides what the embedded engine uses among its calls.
    pub(crate) shares: Rc<CpuShares>,
    /// Set once the module is loaded, or failed to.
    pub(crate) is_loaded: Cell<bool>,
    /// The number of the load and its tape: what belongs to no call is part of it.
    load: RefCell<Option<(u32, CallTape)>>,
    /// The tape of the last replayed call: it learns what was asked outside of the call.
    pub(crate) replayed: RefCell<Option<CallTape>>,
    /// Set if there are bus listeners.
    pub(crate) hears: Cell<bool>,
    /// Set once a call failed after memory ran out.
    is_worn: Cell<bool>,
    /// Set if callbacks of `process.nextTick` are pending.
    pub(crate) ticks_wait: Cell<bool>,
    /// Set while promises are rejected that nobody handles so far. Calls end after that is decided.
    pub(crate) has_rejections: Cell<bool>,
    /// Outcomes of calls that wait for that.
    waiting: RefCell<Vec<(u32, Answer)>>,
    /// Errors that nobody handled, by the call they occurred in.
    unhandled: RefCell<HashMap<u32, Vec<String>>>,
}

/// Maximum number of unhandled errors that a result mentions.
const MAX_UNHANDLED: usize = 5;

impl ThreadState {
    pub(crate) fn new(shared: Arc<SharedState>, modules: Rc<ModuleStore>, memory_cap: usize) -> Rc<Self> {
        let current_dir = RefCell::new(shared.engine.cwd.clone());
        let shares = Rc::new(CpuShares::new(Arc::clone(&shared.memory)));
        Rc::new(Self {
            shared,
            modules,
            timers: RefCell::default(),
            memory_cap,
            current_dir,
            calls: RefCell::default(),
            contexts: HeldContexts::default(),
            frames: OnceCell::new(),
            shares,
            is_loaded: Cell::new(false),
            load: RefCell::default(),
            replayed: RefCell::default(),
            hears: Cell::new(false),
            is_worn: Cell::new(false),
            ticks_wait: Cell::new(false),
            has_rejections: Cell::new(false),
            waiting: RefCell::default(),
            unhandled: RefCell::default(),
        })
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.shared.engine.cwd
    }

    /// Returns the value of `process.cwd()`.
    pub(crate) fn current_dir(&self) -> PathBuf {
        self.current_dir.borrow().clone()
    }

    pub(crate) fn set_current_dir(&self, folder: PathBuf) {
        *self.current_dir.borrow_mut() = folder;
    }

    /// Bytes the tool may use.
    pub(crate) fn memory_cap(&self) -> usize {
        self.shared.memory.limit().map_or(self.memory_cap, |limit| limit.min(self.memory_cap))
    }

    /// Limits for values of the tool that become data here.
    pub(crate) fn data_limit(&self) -> DataLimit {
        DataLimit::new(self.memory_cap())
    }

    /// Bytes the tool may still use.
    pub(crate) fn memory_left(&self) -> usize {
        self.memory_cap().saturating_sub(self.shared.memory.bytes())
    }

    pub(crate) fn begin_load(
        &self,
        call: u32,
        path: PathBuf,
        tape: Option<CallTape>,
        reply: oneshot::Sender<LoadReply>,
    ) {
        self.load.replace(tape.map(|tape| (call, tape)));
        self.modules.forget_needs();
        self.modules.compiled().begin(&path);
        let context = Rc::new(self.shared.engine.default_context());
        self.shared.operations.begin_call(call);
        self.calls.borrow_mut().insert(call, (context, Reply::Load(path, reply)));
    }

    /// Registers a call; gives its context.
    pub(crate) fn begin_call(
        &self,
        call: u32,
        context: ToolContext,
        reply: oneshot::Sender<CallReply>,
    ) -> Rc<ToolContext> {
        if let Some(tape) = context.tape.as_ref().filter(|tape| tape.is_playing()) {
            self.replayed.replace(Some(tape.clone()));
        }
        let context = Rc::new(context);
        self.shared.operations.begin_call(call);
        // What a sidecar uses is not seen here.
        if self.frames.get().is_some() {
            self.shares.begin(call, &context.meter);
        }
        self.calls.borrow_mut().insert(call, (Rc::clone(&context), Reply::Call(reply)));
        context
    }

    /// The context of a call; the module's own for what belongs to none, such as a timer started while it was loaded.
    pub(crate) fn context(&self, call: u32) -> Rc<ToolContext> {
        if let Some((context, _)) = self.calls.borrow().get(&call) {
            return Rc::clone(context);
        }
        let held = self.contexts.borrow().get(&call).map(Rc::clone);
        held.unwrap_or_else(|| Rc::new(self.shared.engine.default_context()))
    }

    /// The number of the call that the code running now belongs to.
    pub(crate) fn current_call(&self) -> u32 {
        self.shared.current_call.load(Ordering::Relaxed)
    }

    /// The context of that call.
    pub(crate) fn current_context(&self) -> Rc<ToolContext> {
        self.context(self.current_call())
    }

    /// The tape of the code that runs now, and whether it is that of the load.
    pub(crate) fn tape(&self) -> Option<(CallTape, bool)> {
        let call = self.current_call();
        if let Some((load, tape)) = &*self.load.borrow()
            && (call == 0 || call == *load)
        {
            return Some((tape.clone(), true));
        }
        self.context(call).tape.clone().map(|tape| (tape, false))
    }

    /// The meter of that call.
    pub(crate) fn meter(&self) -> Meter {
        self.current_context().meter.clone()
    }

    /// The interface of a call. For 0, that of the call that runs now; where it has none, the module's own.
    pub(crate) fn ui(&self, call: u32) -> std::sync::Arc<dyn toolsmith_tool::Ui> {
        if call != 0 {
            return self.context(call).ui.current();
        }
        let own = self.current_context().ui.current();
        if own.has_ui() { own } else { self.shared.engine.ui.handle().current() }
    }

    /// The calls that have not ended.
    pub(crate) fn outstanding(&self) -> Vec<u32> {
        self.calls.borrow().keys().copied().collect()
    }

    /// Reports an error that nobody handled: in the result of its call, else as a notice.
    pub(crate) fn report_unhandled(&self, call: u32, what: &str, thrown: &Thrown) {
        let stack = thrown.mapped_stack(self).unwrap_or_default();
        tracing::warn!(tool = %self.shared.label, error = %thrown.full_message(), %stack, "{what}");
        let text = thrown.report(what, self);
        let running = self.outstanding();
        let call = match (running.contains(&call), &running[..]) {
            (true, _) => call,
            // Code that belongs to no call, while a single one runs.
            (false, [only]) if call == 0 => *only,
            _ => {
                let own = self.ui(call);
                let ui = if own.has_ui() { own } else { self.shared.engine.ui.handle().current() };
                ui.notify(&text, toolsmith_tool::NoticeLevel::Warning);
                return;
            }
        };
        let mut unhandled = self.unhandled.borrow_mut();
        let list = unhandled.entry(call).or_default();
        if list.len() < MAX_UNHANDLED {
            list.push(text);
        }
    }

    /// Ends the calls that waited for the decision about rejected promises.
    pub(crate) fn finish_waiting(&self) {
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        for (call, answer) in waiting {
            self.finish_with(call, "result", answer);
        }
    }

    /// Hands a call's outcome to whoever waits. `kind` and `payload` are the kernel's.
    pub(crate) fn finish(&self, call: u32, kind: &str, payload: String) {
        self.finish_with(call, kind, Answer::json(payload, self.data_limit(), None));
    }

    /// Hands on an outcome that may be other than JSON.
    pub(crate) fn finish_with(&self, call: u32, kind: &str, mut answer: Answer) {
        let is_call = matches!(self.calls.borrow().get(&call), Some((_, Reply::Call(_))));
        if self.has_rejections.get() && is_call && kind == "result" {
            self.waiting.borrow_mut().push((call, answer));
            return;
        }
        let unhandled = self.unhandled.borrow_mut().remove(&call).unwrap_or_default();
        if kind == "result" {
            answer.add_texts(unhandled);
        }
        let Some((context, reply)) = self.calls.borrow_mut().remove(&call) else {
            return;
        };
        // Read before the limit of the call is lifted.
        let memory_cap = self.memory_cap();
        self.shares.end(call);
        self.shared.operations.end_call(call);
        context.updates.close();
        // Built-in modules that were being loaded when memory ran out stay incomplete, so the next call gets a new engine. A
        // sidecar ends by itself.
        let is_worn = kind != "result" && self.shared.memory.was_refused() && self.frames.get().is_some();
        self.is_worn.set(self.is_worn.get() || is_worn);
        if self.is_worn.get() && self.calls.borrow().is_empty() {
            self.shared.force();
        }
        // Whoever waited may have given up.
        match reply {
            Reply::Load(path, reply) => {
                self.is_loaded.set(true);
                if let Some((_, tape)) = &*self.load.borrow() {
                    tape.set_complete();
                }
                let said = match kind {
                    "result" => {
                        self.modules.compiled().save();
                        Ok(answer.text().to_owned())
                    }
                    _ => Err(Box::new(self.load_error(&path, Thrown::from_json(answer.text())))),
                };
                let lacks = said.as_ref().err().and_then(|error| what_was_missing(&error.message));
                let (files, needs) = (self.modules.loaded_files(), self.modules.needs().or(lacks));
                let observed = self.frames.get().map(|_| Box::new(self.modules.observed()));
                let _ = reply.send(LoadReply { said, files, needs, observed });
            }
            Reply::Call(reply) => {
                let _ = reply.send(match kind {
                    "result" => Ok(answer),
                    "refused" => Err(CallFailure::Refused(answer.read().unwrap_or_default())),
                    _ => Err(CallFailure::Tool(self.tool_error(
                        Thrown::from_json(answer.text()),
                        memory_cap,
                        &context.meter,
                    ))),
                });
            }
        }
    }

    /// Returns whether a thrown value means that memory ran out. Without enough memory for the error itself, the engine
    /// throws other errors or null.
    pub(super) fn is_out_of_memory(&self, thrown: &Thrown) -> bool {
        let refused = self.shared.memory.take_refused();
        match (thrown.class.as_deref(), thrown.message.as_str()) {
            (Some("InternalError"), "out of memory") => true,
            (_, "Invalid error message") | (None, "null") => refused,
            _ => false,
        }
    }

    /// Converts a thrown value. `memory_cap` is the limit that the call had.
    fn tool_error(&self, thrown: Thrown, memory_cap: usize, meter: &Meter) -> ToolError {
        if self.is_out_of_memory(&thrown) {
            if memory_cap < self.memory_cap {
                meter.exceed(Figure::Memory);
            }
            return ToolError::reply(format!(
                "The tool exceeded its memory limit of {} MB",
                memory_cap >> 20
            ));
        }
        thrown.into_tool_error(self)
    }

    fn load_error(&self, path: &Path, thrown: Thrown) -> LoadError {
        let failure = if self.is_out_of_memory(&thrown) {
            LoadFailure::Memory(self.memory_cap)
        } else {
            LoadFailure::Thrown(Box::new(thrown))
        };
        LoadError::from_failure(path, failure, self)
    }
}

impl SourceLookup for ThreadState {
    fn source(&self, name: &str) -> Option<Arc<str>> {
        self.modules.source(name)
    }
}

/// Returns the missing feature of a failed load that another engine has: a used stub, or WebAssembly.
fn what_was_missing(message: &str) -> Option<String> {
    let lacks =
        ["is not available in Toolsmith", "WebAssembly is not defined", "'WebAssembly' is not defined"];
    let line = message.lines().find(|line| lacks.iter().any(|part| line.contains(part)))?;
    Some(line.trim_start_matches("Failed to load tool: ").to_owned())
}
