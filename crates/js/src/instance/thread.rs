//! The thread of an instance: creates the runtime, processes the queue, and ends when told to or when no handle is
//! left.

use std::{
    cell::RefCell,
    rc::{Rc, Weak},
    sync::{Arc, mpsc},
    time::Instant,
};

use rquickjs::{CaughtError, Context, Ctx, Error, Function, Persistent, Runtime, Value};
use toolsmith_tool::ToolContext;

use super::{
    command::{CallKind, Command, Drawn},
    frames::Frames,
    kernel::Kernel,
    operations::Settled,
    spin,
    state::{SharedState, ThreadState},
};
use crate::{
    allocator::CappedAllocator, charge::out_of_memory, compiled::CompiledFiles, definitions::Definitions,
    errors::Thrown, limits::Limits, modules::ModuleStore,
};

/// The queue is checked after this many jobs, so that an endless promise chain cannot hide an abort.
const JOBS_BETWEEN_LOOKS: usize = 256;

/// Bytes a runtime allocates before its first garbage collection. Loading a schema library creates no garbage.
const GC_THRESHOLD: usize = 8 << 20;

/// Runs an instance until its end.
pub(crate) fn run(
    shared: Arc<SharedState>,
    limits: &Limits,
    queue: &mpsc::Receiver<Command>,
) -> Result<(), String> {
    let allocator = CappedAllocator::new(Arc::clone(&shared.stop), Arc::clone(&shared.memory), limits.memory);
    let failed = |error: Error| format!("the engine failed to start: {error}");
    let runtime = Runtime::new_with_alloc(allocator).map_err(failed)?;
    runtime.set_max_stack_size(limits.stack);
    runtime.set_gc_threshold(GC_THRESHOLD);
    let stop = Arc::clone(&shared.stop);
    runtime.set_interrupt_handler(Some(Box::new(move || stop.should_interrupt())));
    let compiled = CompiledFiles::new(shared.engine.definitions.as_ref().map(Definitions::compiled));
    let modules = ModuleStore::new(Arc::clone(&shared.stop), shared.imports.clone(), compiled);
    let (resolve, load) = modules.hooks();
    runtime.set_loader(resolve, load);
    let context = Context::full(&runtime).map_err(failed)?;
    let state = ThreadState::new(shared, modules, limits.memory);
    let rejections = Rejections::watch(&runtime, Rc::downgrade(&state));
    let (frames, kernel) = context
        .with(|ctx| {
            let frames = Frames::install(
                &ctx,
                Arc::clone(&state.shared),
                Rc::clone(&state.shares),
                Rc::clone(&state.contexts),
            )?;
            let _ = state.frames.set(Rc::clone(&frames));
            Ok((frames, Kernel::boot(&ctx, &state)?))
        })
        .map_err(failed)?;

    let mut thread = Thread { runtime, context, state, frames, kernel, rejections, limits };
    thread.work_off(queue);
    thread.tear_down();
    Ok(())
}

/// Reason for entering the engine.
enum Entry {
    /// A call or a load begins.
    Call(u32, Option<Rc<ToolContext>>),
    /// Something that belongs to no call, or whose frame JavaScript knows.
    Callback,
}

struct Thread<'l> {
    runtime: Runtime,
    context: Context,
    state: Rc<ThreadState>,
    frames: Rc<Frames>,
    kernel: Kernel,
    rejections: Rc<Rejections>,
    limits: &'l Limits,
}

impl Thread<'_> {
    fn work_off(&mut self, queue: &mpsc::Receiver<Command>) {
        loop {
            let due = self.state.timers.borrow_mut().next_due();
            let command = match (spin::for_a_moment(|| queue.try_recv().ok()), due) {
                (Some(command), _) => Ok(command),
                (None, None) => queue.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
                (None, Some(due)) => queue.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            self.state.shares.resume();
            match command {
                Ok(command) => self.obey(command),
                Err(mpsc::RecvTimeoutError::Timeout) => self.fire_timers(),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            self.run_jobs(queue);
            self.state.shares.pause(self.state.current_call());
            if self.state.shared.stop.is_forced() {
                return;
            }
        }
    }

    /// Runs pending jobs until there are none: callbacks of `nextTick` first, then promise jobs, as in Node.
    fn run_jobs(&self, queue: &mpsc::Receiver<Command>) {
        let stop = &self.state.shared.stop;
        let mut count = 0_usize;
        self.run_ticks();
        while !stop.is_forced() {
            match self.runtime.execute_pending_job() {
                Ok(true) => count += 1,
                Ok(false) if self.run_ticks() => {}
                Ok(false) => break,
                Err(failed) => failed.0.with(|ctx| self.job_failed(&ctx)),
            }
            self.context.with(|ctx| self.frames.after_job(&ctx));
            if count.is_multiple_of(JOBS_BETWEEN_LOOKS)
                && let Ok(command) = queue.try_recv()
            {
                self.obey(command);
            }
        }
        self.context.with(|ctx| self.report_rejections(&ctx));
        self.state.finish_waiting();
    }

    /// Reports the error of a job. If memory ran out, the code that waits for the job would wait forever, so the calls in
    /// progress end. Other errors have no other destination than the log.
    fn job_failed(&self, ctx: &Ctx<'_>) {
        let thrown = self.describe_caught(ctx);
        if !self.state.is_out_of_memory(&Thrown::from_json(&thrown)) {
            return self.log(0, &thrown, "A callback failed");
        }
        for call in self.state.outstanding() {
            self.state.finish(call, "thrown", out_of_memory().to_json());
        }
    }

    /// Runs the callbacks of `nextTick`; returns whether there were any.
    fn run_ticks(&self) -> bool {
        let waited = self.state.ticks_wait.replace(false);
        if waited {
            self.call_builtin("toolsmith:node/process", "runTicks");
        }
        waited
    }

    /// Calls a function of a loaded built-in module.
    fn call_builtin(&self, module: &str, function: &str) {
        self.context.with(|ctx| {
            let call = || -> rquickjs::Result<()> {
                let exports = self.state.modules.builtin_exports(&ctx, module)?;
                exports.get::<_, Function<'_>>(function)?.call(())
            };
            if call().is_err() {
                self.log_caught(&ctx, 0, "A callback failed");
            }
        });
    }

    fn fire_timers(&self) {
        // Bounded, so that a timer that restarts itself does not delay the queue.
        for _ in 0..64 {
            let Some(number) = self.state.timers.borrow_mut().take_due() else {
                return;
            };
            self.context.with(|ctx| {
                let module = self.frames.module(&ctx);
                if self.frames.within(&ctx, &module, || self.kernel.fire_timer(&ctx, number)).is_err() {
                    self.log_caught(&ctx, 0, "A timer's callback failed");
                }
            });
        }
    }

    fn obey(&self, command: Command) {
        match command {
            Command::Load { call, path, tape, reply } => {
                let name = path.to_string_lossy().into_owned();
                self.state.begin_load(call, path, tape, reply);
                self.enter(Entry::Call(call, None), |ctx| self.kernel.start_load(ctx, call, &name));
            }
            Command::Start { call, kind, context, reply } => {
                let context = self.state.begin_call(call, *context, reply);
                self.enter(Entry::Call(call, Some(context)), |ctx| match kind {
                    CallKind::Execute { number, tool_call_id, arguments } => {
                        self.kernel.start_call(ctx, call, number, &tool_call_id, &arguments)
                    }
                    CallKind::Resolve { number, what, reason } => {
                        self.kernel.resolve_pending(ctx, call, number, what, &reason)
                    }
                    CallKind::Session { number, event } => {
                        self.kernel.tell_session(ctx, call, number, &event)
                    }
                    CallKind::Extension { number, what, name, payload } => {
                        self.kernel.start_extension(ctx, call, number, what, &name, payload)
                    }
                    CallKind::Approval { number, what, arguments } => {
                        self.kernel.ask_approval(ctx, call, number, what, &arguments)
                    }
                    CallKind::State { number } => self.kernel.read_state(ctx, call, number),
                });
            }
            Command::Abort { call, reason } => {
                self.enter(Entry::Callback, |ctx| self.kernel.abort_call(ctx, call, &reason))
            }
            Command::Render { number, what, width, payload, reply } => {
                let _ = reply.send(self.draw(|ctx| self.kernel.render(ctx, number, what, width, &payload)));
            }
            Command::RenderExtension { number, kind, width, payload, reply } => {
                let drawn = self.draw(|ctx| self.kernel.render_extension(ctx, number, kind, width, &payload));
                let _ = reply.send(drawn);
            }
            Command::TaskUpdate { number, json } => {
                self.enter(Entry::Callback, |ctx| self.kernel.task_update(ctx, number, &json))
            }
            Command::View { number, what, payload, reply } => {
                let drawn = self.draw(|ctx| self.kernel.view(ctx, number, what, &payload));
                if let Some(reply) = reply {
                    let _ = reply.send(drawn);
                }
            }
            Command::Settle { number, outcome, held } => {
                // The engine counts its own copy.
                drop(held);
                self.settle(number, outcome);
            }
            Command::Hear { channel, json } => {
                if self.state.hears.get() {
                    self.enter(Entry::Callback, |ctx| self.kernel.hear(ctx, &channel, &json));
                }
            }
            Command::ForgetPending { number } => {
                self.enter(Entry::Callback, |ctx| self.kernel.forget_pending(ctx, number))
            }
            // Only sidecars say these.
            Command::Said { .. } | Command::Gone { .. } | Command::OverMemory | Command::Wake => {}
        }
    }

    /// Runs a function of the kernel, in the frame of the call it starts or in the module's own. What it throws ends the
    /// call, if it starts one.
    fn enter(&self, entry: Entry, run: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<()>) {
        self.context.with(|ctx| {
            let (call, frame) = match entry {
                Entry::Call(call, context) => (call, self.frames.begin(&ctx, call, context)),
                Entry::Callback => (0, Ok(self.frames.module(&ctx))),
            };
            let outcome = frame.and_then(|frame| self.frames.within(&ctx, &frame, || run(&ctx)));
            if outcome.is_err() {
                let thrown = self.describe_caught(&ctx);
                if call == 0 {
                    self.log(0, &thrown, "A callback failed");
                } else {
                    self.state.finish(call, "thrown", thrown);
                }
            }
        });
    }

    /// Settles an operation. That fails only if no memory is left. The code that waits for it would then wait forever, so the
    /// calls in progress end.
    fn settle(&self, number: u64, outcome: Settled) {
        self.context.with(|ctx| {
            let module = self.frames.module(&ctx);
            if self.frames.within(&ctx, &module, || self.kernel.settle(&ctx, number, outcome)).is_err() {
                let thrown = self.describe_caught(&ctx);
                for call in self.state.outstanding() {
                    self.state.finish(call, "thrown", thrown.clone());
                }
            }
        });
    }

    /// Renders within the render deadline.
    fn draw(&self, run: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<(String, String)>) -> Drawn {
        let stop = &self.state.shared.stop;
        stop.limit(self.limits.render);
        let outcome = self.context.with(|ctx| {
            let module = self.frames.module(&ctx);
            self.frames.within(&ctx, &module, || run(&ctx)).map_err(|_| self.describe_caught(&ctx))
        });
        if stop.take_expired() {
            return Drawn::Failed(format!("it took longer than {:?}", self.limits.render));
        }
        match outcome {
            Ok((kind, payload)) => Drawn::read(&kind, &payload, self.state.data_limit()),
            Err(thrown) => Drawn::Failed(Thrown::from_json(&thrown).full_message()),
        }
    }

    /// Returns the pending exception, as described by the kernel.
    fn describe_caught(&self, ctx: &Ctx<'_>) -> String {
        let thrown = ctx.catch();
        match self.kernel.describe(ctx, thrown) {
            Ok(json) => json,
            Err(error) => {
                let message = CaughtError::from_error(ctx, error).to_string();
                serde_json::json!({ "message": message }).to_string()
            }
        }
    }

    fn log_caught(&self, ctx: &Ctx<'_>, call: u32, what: &str) {
        let thrown = self.describe_caught(ctx);
        self.log(call, &thrown, what);
    }

    fn log(&self, call: u32, thrown: &str, what: &str) {
        // Everything fails while the runtime is being stopped.
        if self.state.shared.stop.is_forced() {
            return;
        }
        self.state.report_unhandled(call, what, &Thrown::from_json(thrown));
    }

    fn report_rejections(&self, ctx: &Ctx<'_>) {
        self.state.has_rejections.set(false);
        for (call, reason) in self.rejections.take() {
            let Ok(reason) = reason.restore(ctx) else { continue };
            if let Ok(json) = self.kernel.describe(ctx, reason) {
                self.log(call, &json, "Unhandled promise rejection");
            }
        }
    }

    fn tear_down(self) {
        let Self { runtime, context, state, frames, kernel, rejections, .. } = self;
        context.with(|ctx| frames.clear(&ctx));
        drop(frames);
        drop(kernel);
        rejections.take();
        state.modules.clear();
        drop(state);
        drop(context);
        drop(runtime);
    }
}

/// A rejected promise: the call it belongs to, the promise, and the reason.
type Rejection = (u32, Persistent<Value<'static>>, Persistent<Value<'static>>);

/// Unhandled rejections. A handler may still be attached before the jobs are done.
#[derive(Default)]
struct Rejections {
    list: RefCell<Vec<Rejection>>,
}

impl Rejections {
    /// Maximum number kept, so that an endless loop of rejections cannot fill the memory.
    const MAX: usize = 100;

    fn watch(runtime: &Runtime, state: Weak<ThreadState>) -> Rc<Self> {
        let list = Rc::new(Self::default());
        let watching = Rc::downgrade(&list);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
            let (Some(list), Some(state)) = (watching.upgrade(), state.upgrade()) else { return };
            let mut list = list.list.borrow_mut();
            if handled {
                list.retain(|(_, known, _)| known.clone().restore(&ctx).is_ok_and(|known| known != promise));
            } else if list.len() < Self::MAX {
                list.push((
                    state.current_call(),
                    Persistent::save(&ctx, promise),
                    Persistent::save(&ctx, reason),
                ));
            }
            state.has_rejections.set(!list.is_empty());
        })));
        list
    }

    fn take(&self) -> Vec<(u32, Persistent<Value<'static>>)> {
        self.list.borrow_mut().drain(..).map(|(call, _, reason)| (call, reason)).collect()
    }
}
