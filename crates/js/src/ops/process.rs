//! Processes a tool talks to (`child_process`, `Bun.spawn`): started at once, ended with the tool that started them.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Duration,
};

use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};
use serde::Deserialize;
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::{Instant, sleep_until},
};
use toolsmith_host::{
    exec::{Destination, ExecError, Exit, InputPipe, PathRule, Process, Request, Signaller, Stdin, spawn},
    posix::errno,
};
use toolsmith_tool::{CancelToken, Meter};

use super::{bytes, failure, failure::system_error, runtime::whole};
use crate::instance::{HostError, Settled, ThreadState, Work};

/// How long output is still read after a program that was waited for has ended.
const DRAIN: Duration = Duration::from_millis(250);
/// The same after a program that was stopped, because it exceeded its time or its output.
const DRAIN_AFTER_STOP: Duration = Duration::from_millis(2);

/// The most a tool may wait to be told, whatever it asks to keep.
const MAX_OUTPUT_BYTES: usize = 256 << 20;

/// The kernel's request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpawnRequest {
    file: String,
    args: Vec<String>,
    cwd: Option<String>,
    /// The whole environment.
    env: BTreeMap<String, String>,
    argv0: Option<String>,
    /// For each of the three streams whether it is a pipe.
    pipes: [bool; 3],
    /// For each the open file it goes to instead.
    #[serde(default)]
    files: [Option<i32>; 3],
    #[serde(default)]
    detached: bool,
    /// Arguments are quoted already (Windows).
    #[serde(default)]
    verbatim: bool,
}

impl SpawnRequest {
    fn to_request(&self, state: &ThreadState) -> Request {
        let mut request =
            Request::new(self.file.as_str()).args(self.args.iter().cloned()).meter(&state.meter());
        request.path_rule = PathRule::Tool;
        request.arg0.clone_from(&self.argv0);
        request.verbatim = self.verbatim;
        let cwd = state.cwd();
        request.cwd = Some(self.cwd.as_ref().map_or_else(|| cwd.to_path_buf(), |given| cwd.join(given)));
        request.clear_env = true;
        request.env = self.env.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect();
        let destination = |stream: usize| match self.files[stream].and_then(|fd| state.shared.files.get(fd)) {
            Some(file) => Destination::File(file),
            None if self.pipes[stream] => Destination::Piped,
            None => Destination::Discarded,
        };
        request.stdin = if self.pipes[0] { Stdin::Piped } else { Stdin::Empty };
        request.stdout = destination(1);
        request.stderr = destination(2);
        request
    }

    /// Creates Node's error for a failed start.
    fn failure(&self, error: &ExecError) -> HostError {
        let Some((code, number)) = start_error_code(error) else {
            return HostError::of_class("TypeError", error.to_string()).with("code", "ERR_INVALID_ARG_VALUE");
        };
        let call = format!("spawn {}", self.file);
        HostError::new(format!("{call} {code}"))
            .with("errno", -number)
            .with("code", code)
            .with("syscall", call)
            .with("path", self.file.as_str())
            .with("spawnargs", self.args.clone())
            // What Node leaves to be guessed.
            .with("hint", error.to_string())
    }
}

/// Ways to the processes that run, by the number of the operation that waits for their end.
type Signals = Arc<Mutex<HashMap<u64, Signaller>>>;

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let signals = Signals::default();
    let (own, table) = (Rc::clone(state), Arc::clone(&signals));
    host.set(
        "processStart",
        Func::from(move |ctx: Ctx<'js>, number: f64, json: String| {
            start(&own, &table, whole(number), &json).map_err(|error| failure::throw(&ctx, &error))
        }),
    )?;
    host.set(
        "processSignal",
        Func::from(move |number: f64, signal: i32| {
            let table = signals.lock().unwrap_or_else(PoisonError::into_inner);
            // At once: a tool that ends its processes when the session ends has no later.
            table.get(&whole(number)).is_some_and(|process| process.send(signal))
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "processRun",
        Func::from(
            move |ctx: Ctx<'js>, json: String, input: Option<TypedArray<'js, u8>>| -> Result<Object<'js>> {
                let input = input.map(|input| bytes::copy(&input));
                let ran = run_now(&own, &json, input).map_err(|error| failure::throw(&ctx, &error))?;
                let result = Object::new(ctx.clone())?;
                result.set("pid", ran.pid)?;
                result.set("status", ran.exit.filter(|exit| exit.signal.is_none()).map(|exit| exit.code))?;
                result.set("signal", ran.exit.and_then(|exit| exit.signal))?;
                result.set("failure", ran.failure)?;
                result.set("stdout", bytes::array(&ctx, &ran.stdout)?)?;
                result.set("stderr", bytes::array(&ctx, &ran.stderr)?)?;
                Ok(result)
            },
        ),
    )?;
    let own = Rc::clone(state);
    host.set(
        "sleepNow",
        Func::from(move |milliseconds: f64| {
            let time = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default();
            own.shared.wait_for(|token| async move {
                tokio::select! {
                    () = tokio::time::sleep(time) => {}
                    () = token.forced() => {}
                }
            });
        }),
    )
}

fn parse(state: &ThreadState, json: &str) -> std::result::Result<SpawnRequest, HostError> {
    state.data_limit().read(json).map_err(|error| HostError::of_class("TypeError", error.to_string()))
}

/// Starts a process. The operation `number` settles with its end.
fn start(
    state: &ThreadState,
    signals: &Signals,
    number: u64,
    json: &str,
) -> std::result::Result<String, HostError> {
    let asked = parse(state, json)?;
    let request = asked.to_request(state);
    let mut process = {
        let _runtime = state.shared.engine.runtime.enter();
        spawn(&request).map_err(|error| asked.failure(&error))?
    };
    let streams = &state.shared.streams;
    let started = json!({
        "pid": process.id(),
        "stdin": process.stdin.take().map(|pipe| streams.keep_writer(pipe)),
        "stdout": process.stdout.take().map(|pipe| streams.keep_reader(pipe)),
        "stderr": process.stderr.take().map(|pipe| streams.keep_reader(pipe)),
    });
    signals.lock().unwrap_or_else(PoisonError::into_inner).insert(number, process.signaller());
    let table = Arc::clone(signals);
    let kind = if asked.detached { Work::Detached } else { Work::Process };
    if asked.detached {
        let call = state.shared.current_call.load(Ordering::Relaxed);
        state.shared.operations.detach_after(call, number, process.detacher());
    }
    state.shared.spawn_work(number, kind, move |token| async move {
        let exit = watch(process, &token).await;
        table.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        Settled::Text(json!({ "code": exit.code, "signal": exit.signal }).to_string())
    });
    Ok(started.to_string())
}

/// Waits for the end of a process. When it is to end it is killed with all it started.
async fn watch(mut process: Process, token: &CancelToken) -> Exit {
    let memory = process.watch_memory();
    tokio::select! {
        exit = process.wait() => exit,
        // It watches for ever.
        () = memory => process.wait().await,
        () = token.forced() => process.end(Duration::ZERO).await,
    }
}

/// Outcome of a synchronous process.
struct Ran {
    pid: u32,
    exit: Option<Exit>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// `ETIMEDOUT` or `ENOBUFS`.
    failure: Option<&'static str>,
}

/// Limits of a synchronous process.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunLimits {
    timeout: Option<f64>,
    max_buffer: Option<f64>,
    kill_signal: i32,
}

/// Runs a process to its end while the engine waits.
fn run_now(state: &ThreadState, json: &str, input: Option<Vec<u8>>) -> std::result::Result<Ran, HostError> {
    let mut asked = parse(state, json)?;
    let limits: RunLimits =
        serde_json::from_str(json).map_err(|error| HostError::of_class("TypeError", error.to_string()))?;
    asked.pipes[0] = input.is_some();
    let request = asked.to_request(state);
    let process = {
        let _runtime = state.shared.engine.runtime.enter();
        spawn(&request).map_err(|error| asked.failure(&error))?
    };
    state
        .shared
        .wait_for(|token| run_to_end(process, input.unwrap_or_default(), limits, token, request.meter))
        .ok_or_else(|| HostError::new("The tool was stopped"))
}

async fn run_to_end(
    mut process: Process,
    input: Vec<u8>,
    limits: RunLimits,
    token: CancelToken,
    meter: Meter,
) -> Ran {
    let cap = limits.max_buffer.map_or(MAX_OUTPUT_BYTES, |bytes| {
        usize::try_from(whole(bytes)).unwrap_or(MAX_OUTPUT_BYTES).min(MAX_OUTPUT_BYTES)
    });
    let mut out = Collected::new(process.stdout.take(), cap, &meter);
    let mut err = Collected::new(process.stderr.take(), cap, &meter);
    let mut writing = Box::pin(write_all(process.stdin.take(), input, &meter));
    let mut is_writing = true;
    let mut ran =
        Ran { pid: process.id(), exit: None, stdout: Vec::new(), stderr: Vec::new(), failure: None };
    let timeout = limits
        .timeout
        .filter(|milliseconds| *milliseconds > 0.0)
        .and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok())
        .and_then(|timeout| Instant::now().checked_add(timeout));
    let memory = process.watch_memory();
    tokio::pin!(memory);
    let far = Instant::now() + Duration::from_secs(86400 * 365);
    let mut until = timeout.unwrap_or(far);
    while ran.exit.is_none() || out.is_open() || err.is_open() {
        let fits = tokio::select! {
            fits = out.read(), if out.is_open() => fits,
            fits = err.read(), if err.is_open() => fits,
            () = &mut writing, if is_writing => { is_writing = false; true }
            () = &mut memory => true,
            exit = process.wait(), if ran.exit.is_none() => {
                ran.exit = Some(exit);
                // A program that was stopped may leave others that keep its output open; Node does not wait for them.
                until = Instant::now() + if ran.failure.is_some() { DRAIN_AFTER_STOP } else { DRAIN };
                true
            }
            () = sleep_until(until) => {
                if ran.exit.is_some() {
                    break;
                }
                ran.failure = ran.failure.or(Some("ETIMEDOUT"));
                process.signal(limits.kill_signal);
                until = far;
                true
            }
            () = token.forced() => {
                ran.exit = Some(process.end(Duration::ZERO).await);
                break;
            }
        };
        if !fits && ran.failure.is_none() {
            ran.failure = Some("ENOBUFS");
            process.signal(limits.kill_signal);
        }
    }
    ran.stdout = out.bytes;
    ran.stderr = err.bytes;
    ran
}

async fn write_all(pipe: Option<InputPipe>, bytes: Vec<u8>, meter: &Meter) {
    // A program that does not read it is its own affair.
    if let Some(mut pipe) = pipe
        && pipe.write_all(&bytes).await.is_ok()
    {
        meter.add_written(bytes.len());
    }
}

/// Captured bytes of one output stream.
struct Collected<R> {
    pipe: Option<R>,
    bytes: Vec<u8>,
    cap: usize,
    meter: Meter,
}

impl<R: AsyncRead + Unpin> Collected<R> {
    fn new(pipe: Option<R>, cap: usize, meter: &Meter) -> Self {
        Self { pipe, bytes: Vec::new(), cap, meter: meter.clone() }
    }
    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }
    /// Reads a piece; gives whether it still fits. What does not is dropped.
    async fn read(&mut self) -> bool {
        let Some(pipe) = &mut self.pipe else { return true };
        let mut piece = [0; 16 * 1024];
        match pipe.read(&mut piece).await {
            Ok(count @ 1..) => {
                self.meter.add_read(count);
                let room = self.cap.saturating_sub(self.bytes.len()).min(count);
                self.bytes.extend_from_slice(&piece[..room]);
                room == count
            }
            _ => {
                self.pipe = None;
                true
            }
        }
    }
}

/// Returns the system's name and number for a failed start; `None` if the request itself is invalid.
pub(super) fn start_error_code(error: &ExecError) -> Option<(&'static str, i32)> {
    Some(match error {
        ExecError::Cwd { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
            ("EACCES", errno::EACCES)
        }
        error if error.is_not_found() => ("ENOENT", errno::ENOENT),
        ExecError::NoSuchFile { .. } | ExecError::NoInterpreter { .. } | ExecError::Cwd { .. } => {
            ("ENOENT", errno::ENOENT)
        }
        ExecError::CwdNotAFolder { .. } => ("ENOTDIR", errno::ENOTDIR),
        ExecError::IsAFolder { .. } | ExecError::NotExecutable { .. } => ("EACCES", errno::EACCES),
        ExecError::TooMany { .. } => ("EAGAIN", errno::EAGAIN),
        ExecError::Spawn { source, .. } => {
            let (name, number, _) = system_error(source);
            (name, number)
        }
        _ => return None,
    })
}
