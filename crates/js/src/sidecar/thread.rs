//! The thread of an instance in a sidecar: forwards commands and answers the kernel's requests.

use std::{
    cell::RefCell,
    collections::HashMap,
    rc::Rc,
    sync::{Arc, atomic::Ordering},
};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{
    message::{Said, Told},
    pipes::{Pipes, Queue},
    runtime::SidecarRuntime,
};
use crate::{
    charge::out_of_memory,
    compiled::CompiledFiles,
    instance::{CallKind, Command, Drawn, Settled, SharedState, ThreadState},
    limits::Limits,
    modules::ModuleStore,
    ops,
};

/// Resident memory that Bun or Node itself may have, beside the memory of the module.
const RUNTIME_BYTES: u64 = 128 << 20;

/// Runs an instance until its end.
pub(crate) fn run(
    shared: &Arc<SharedState>,
    limits: &Limits,
    queue: &Queue,
    runtime: &SidecarRuntime,
) -> Result<(), String> {
    let modules =
        ModuleStore::new(Arc::clone(&shared.stop), shared.imports.clone(), CompiledFiles::default());
    let state = ThreadState::new(Arc::clone(shared), modules, limits.memory);
    let started = runtime.request(state.cwd(), limits).and_then(|(request, folder)| {
        Ok((Pipes::start(shared, &request, limits.memory, RUNTIME_BYTES)?, folder))
    });
    // The folder is there until the sidecar has read it.
    let (pipes, _folder) = match started {
        Ok(pipes) => pipes,
        Err(error) => {
            return Err(refuse(&state, queue, &format!("{} failed to start: {error}", runtime.kind)));
        }
    };
    let thread = Thread { state, pipes, drawing: RefCell::default(), name: runtime.kind.to_string() };
    while let Ok(command) = queue.recv() {
        if !thread.obey(command) || thread.state.shared.stop.is_forced() {
            break;
        }
    }
    Ok(())
}

/// Fails all waiting requests, because the sidecar could not be started.
fn refuse(state: &ThreadState, queue: &Queue, error: &str) -> String {
    state.shared.stop.force();
    while let Ok(command) = queue.try_recv() {
        if let Command::Load { call, path, reply, .. } = command {
            state.begin_load(call, path, None, reply);
            state.finish(call, "thrown", json!({ "message": error }).to_string());
        }
    }
    error.to_owned()
}

struct Thread {
    state: Rc<ThreadState>,
    pipes: Pipes,
    /// Waiting render requests, by number.
    drawing: RefCell<(u64, HashMap<u64, oneshot::Sender<Drawn>>)>,
    name: String,
}

impl Thread {
    fn tell(&self, function: &'static str, args: Vec<Value>) {
        self.pipes.tell(Told::Do { function, args, reply: None }.to_line());
    }

    fn draw(&self, function: &'static str, args: Vec<Value>, reply: Option<oneshot::Sender<Drawn>>) {
        let mut drawing = self.drawing.borrow_mut();
        drawing.0 += 1;
        let number = drawing.0;
        if let Some(reply) = reply {
            // Requests that are no longer awaited are dropped.
            drawing.1.retain(|_, waiting| !waiting.is_closed());
            drawing.1.insert(number, reply);
        }
        self.pipes.tell(Told::Do { function, args, reply: Some(number) }.to_line());
    }

    /// Executes a command; returns whether to continue.
    fn obey(&self, command: Command) -> bool {
        match command {
            Command::Load { call, path, reply, .. } => {
                let name = path.to_string_lossy().into_owned();
                self.state.begin_load(call, path, None, reply);
                self.tell("startLoad", vec![call.into(), name.into()]);
            }
            Command::Start { call, kind, context, reply } => {
                let context = self.state.begin_call(call, *context, reply);
                self.state.contexts.borrow_mut().insert(call, context);
                let (function, args) = start(call, kind);
                self.tell(function, args);
            }
            Command::Abort { call, reason } => self.tell("abortCall", vec![call.into(), reason.into()]),
            Command::Render { number, what, width, payload, reply } => {
                let args = vec![number.into(), what.into(), width.into(), payload.into()];
                self.draw("render", args, Some(reply));
            }
            Command::View { number, what, payload, reply } => {
                self.draw("view", vec![number.into(), what.into(), payload.into()], reply);
            }
            Command::RenderExtension { number, kind, width, payload, reply } => {
                let args = vec![number.into(), kind.into(), width.into(), payload.into()];
                self.draw("renderExtension", args, Some(reply));
            }
            Command::TaskUpdate { number, json } => self.tell("taskUpdate", vec![number.into(), json.into()]),
            Command::Settle { number, outcome, .. } => self.tell("settle", settle(number, outcome)),
            Command::Hear { channel, json } => {
                if self.state.hears.get() {
                    self.tell("hear", vec![channel.into(), json.into()]);
                }
            }
            Command::ForgetPending { number } => self.tell("forgetPending", vec![number.into()]),
            Command::Said { line, room } => {
                self.hear(&line);
                drop(room);
            }
            Command::Gone { reason } => {
                self.give_up(&reason);
                return false;
            }
            Command::OverMemory => {
                self.give_up_with(&out_of_memory().to_json());
                return false;
            }
            Command::Wake => {}
        }
        true
    }

    /// Handles a line from the sidecar.
    fn hear(&self, line: &str) {
        match self.state.data_limit().read(line) {
            Ok(Said::Host { host, args, ask, call }) => {
                self.state.shared.current_call.store(call, Ordering::Relaxed);
                let outcome = ops::answer_remote(&self.state, &host, args);
                match ask {
                    Some(number) => self.pipes.tell(Told::answer(number, outcome).to_line()),
                    None => {
                        if let Err(error) = outcome {
                            tracing::warn!(tool = %self.state.shared.label, error = %error.message, "A sidecar's request failed");
                        }
                    }
                }
            }
            Ok(Said::Drawn { drawn, kind, payload }) => {
                let Some(reply) = self.drawing.borrow_mut().1.remove(&drawn) else { return };
                let _ = reply.send(Drawn::read(&kind, &payload, self.state.data_limit()));
            }
            Err(error) => {
                tracing::warn!(tool = %self.state.shared.label, %error, "A sidecar sent an invalid message");
            }
        }
    }

    /// The process exited: fails all waiting requests.
    fn give_up(&self, reason: &str) {
        let message = format!(
            "The tool's {} process exited during this call ({reason}). Its side effects may be incomplete, and its state in \
             memory is lost. The next call starts it afresh.",
            self.name
        );
        self.give_up_with(&json!({ "message": message }).to_string());
    }

    fn give_up_with(&self, thrown: &str) {
        self.state.shared.stop.force();
        for call in self.state.outstanding() {
            self.state.finish(call, "thrown", thrown.to_owned());
        }
    }
}

/// Returns the kernel function for a call, and its arguments.
fn start(call: u32, kind: CallKind) -> (&'static str, Vec<Value>) {
    match kind {
        CallKind::Execute { number, tool_call_id, arguments } => {
            ("startCall", vec![call.into(), number.into(), tool_call_id.into(), arguments.to_string().into()])
        }
        CallKind::Resolve { number, what, reason } => {
            ("resolvePending", vec![call.into(), number.into(), what.into(), reason.into()])
        }
        CallKind::Session { number, event } => {
            ("tellSession", vec![call.into(), number.into(), event.into()])
        }
        CallKind::Extension { number, what, name, payload } => {
            ("startExtension", vec![call.into(), number.into(), what.into(), name.into(), payload.into()])
        }
        CallKind::Approval { number, what, arguments } => {
            ("askApproval", vec![call.into(), number.into(), what.into(), arguments.into()])
        }
        CallKind::State { number } => ("readState", vec![call.into(), number.into()]),
    }
}

/// Returns the arguments for the outcome of an operation. A sidecar never starts operations that return bytes.
fn settle(number: u64, outcome: Settled) -> Vec<Value> {
    match outcome {
        Settled::Nothing => vec![number.into(), true.into()],
        Settled::Text(text) => vec![number.into(), true.into(), text.into()],
        Settled::Bytes(bytes) => vec![number.into(), true.into(), String::from_utf8_lossy(&bytes).into()],
        Settled::Failed(error) => vec![number.into(), false.into(), error.to_json().into()],
    }
}
