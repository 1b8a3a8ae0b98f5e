//! The process of a sidecar and its pipes, on the program's runtime: what it says goes into the instance's queue.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc as channel, oneshot};
use toolsmith_host::exec::{OutputPipe, Process, Request, spawn};

use crate::{
    engine::EngineShared,
    instance::{Command, SharedState},
};

/// Lines of this size are read whatever the limit of the module is.
const LEAST_LINE: usize = 1 << 20;
/// Bytes of lines that a permit stands for.
const PERMIT_BYTES: usize = 1 << 10;
/// Maximum size of captured standard error, used to explain an exit.
const LAST_WORDS: usize = 4 << 10;

/// A running sidecar. Dropping it kills the process with everything it started.
pub(super) struct Pipes {
    lines: channel::UnboundedSender<String>,
    _end: oneshot::Sender<()>,
}

impl Pipes {
    /// Starts a sidecar that may have `memory` bytes of resident memory, and `own` for Bun or Node itself. Lines that wait to be
    /// handled have at most `memory` bytes too; a longer one ends the sidecar as too much memory does.
    pub(super) fn start(
        shared: &Arc<SharedState>,
        request: &Request,
        memory: usize,
        own: u64,
    ) -> Result<Self, String> {
        let engine: &EngineShared = &shared.engine;
        let _entered = engine.runtime.enter();
        let mut process = spawn(request).map_err(|error| error.to_string())?;
        let (lines, mut outgoing) = channel::unbounded_channel::<String>();
        if let Some(mut stdin) = process.stdin.take() {
            engine.runtime.spawn(async move {
                while let Some(line) = outgoing.recv().await {
                    if stdin.write_all(line.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
        let last_words = Arc::new(Mutex::new(String::new()));
        let said = process.stdout.take().map(|pipe| {
            let (queue, max) = (shared.queue.clone(), memory.max(LEAST_LINE));
            engine.runtime.spawn(async move {
                let take = |line, room| queue.send(Command::Said { line, room }).is_ok();
                if read_lines(pipe, max, take).await == ReadEnd::TooLong {
                    let _ = queue.send(Command::OverMemory);
                }
            })
        });
        let complained = process.stderr.take().map(|pipe| {
            let (words, label) = (Arc::clone(&last_words), shared.label.clone());
            engine.runtime.spawn(async move {
                let take = |line: String, _| {
                    tracing::info!(target: "tool", tool = %label, "{line}");
                    remember(&words, &line);
                    true
                };
                read_lines(pipe, memory.max(LEAST_LINE), take).await;
            })
        });
        let (end, ended) = oneshot::channel();
        let queue = shared.queue.clone();
        engine.runtime.spawn(async move {
            let how = match watch(process, ended, memory as u64 + own).await {
                End::Exited(how) => how,
                End::OverMemory => {
                    let _ = queue.send(Command::OverMemory);
                    return;
                }
                End::Unwanted => return,
            };
            // Everything it said comes before its end.
            for reader in [said, complained].into_iter().flatten() {
                let _ = reader.await;
            }
            let words = last_words.lock().unwrap_or_else(PoisonError::into_inner).trim().to_owned();
            let reason = if words.is_empty() { how } else { format!("{how}: {words}") };
            let _ = queue.send(Command::Gone { reason });
        });
        Ok(Self { lines, _end: end })
    }

    /// Tells it something.
    pub(super) fn tell(&self, line: String) {
        // When it is gone, that is said by another way.
        let _ = self.lines.send(line);
    }
}

/// Reasons for the end of a sidecar.
enum End {
    /// It exited by itself, as described.
    Exited(String),
    OverMemory,
    /// Nobody wants it any more.
    Unwanted,
}

/// Waits until it ends by itself, has too much memory, or until nobody wants it any more.
async fn watch(mut process: Process, ended: oneshot::Receiver<()>, memory: u64) -> End {
    let over = process.over_memory(memory);
    let end = tokio::select! {
        exit = process.wait() => return End::Exited(match exit.signal {
            Some(signal) => format!("killed by signal {signal}"),
            None => format!("exit code {}", exit.code),
        }),
        () = over => End::OverMemory,
        _ = ended => End::Unwanted,
    };
    process.force_end();
    process.wait().await;
    end
}

fn permits(bytes: usize) -> usize {
    bytes / PERMIT_BYTES + 1
}

/// Reasons for the end of reading.
#[derive(PartialEq, Eq)]
enum ReadEnd {
    Ended,
    TooLong,
}

/// Reads lines until the end, or until nobody wants them. Lines that were taken and not handled have at most `max` bytes; each
/// has its part of them until it is handled.
async fn read_lines(
    mut pipe: OutputPipe,
    max: usize,
    mut take: impl FnMut(String, Option<OwnedSemaphorePermit>) -> bool + Send,
) -> ReadEnd {
    let room = Arc::new(Semaphore::new(permits(max)));
    let room_for = |line: &[u8]| {
        let permits = u32::try_from(permits(line.len())).unwrap_or(u32::MAX);
        Arc::clone(&room).acquire_many_owned(permits)
    };
    let mut buffer = vec![0; 64 << 10];
    let mut line: Vec<u8> = Vec::new();
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        for part in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if line.len() > max {
                return ReadEnd::TooLong;
            }
            if line.last() == Some(&b'\n') {
                line.pop();
                let held = room_for(&line).await.ok();
                if !take(into_text(std::mem::take(&mut line)), held) {
                    return ReadEnd::Ended;
                }
            }
        }
    }
    if !line.is_empty() {
        let held = room_for(&line).await.ok();
        take(into_text(line), held);
    }
    ReadEnd::Ended
}

fn into_text(line: Vec<u8>) -> String {
    String::from_utf8(line).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn remember(words: &Mutex<String>, line: &str) {
    let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
    words.push_str(line);
    words.push('\n');
    let excess = words.len().saturating_sub(LAST_WORDS);
    if excess > 0 {
        let cut = (excess..=words.len()).find(|at| words.is_char_boundary(*at)).unwrap_or(0);
        words.drain(..cut);
    }
}

/// The queue's receiving end, as the thread has it.
pub(super) type Queue = mpsc::Receiver<Command>;
