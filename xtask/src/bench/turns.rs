//! The CPU time of a turn early and late in a session, against a model server that does as little as possible.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{
    peers,
    program::Program,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "The agent";
/// Turns whose CPU time is reported, and how many before each are part of the figure.
const PLACES: [usize; 2] = [100, 2_000];
const WINDOW: usize = 50;
/// Budget in milliseconds.
const TURN: f64 = 2.0;

/// CPU time of the agent at each request, in the order of requests.
type Marks = Arc<Mutex<Vec<Duration>>>;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let folder = peers::folder()?.join("turns");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("a.txt"), "hello\n".repeat(20))?;
    let turns = PLACES[1] + 1;
    println!("turns: CPU time of turns of one session that reads a file {turns} times");
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let (marks, process) = (Marks::default(), Arc::new(AtomicU32::new(0)));
    let (kept_marks, known) = (Arc::clone(&marks), Arc::clone(&process));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (marks, process) = (Arc::clone(&kept_marks), Arc::clone(&known));
            // A connection ends with the agent.
            thread::spawn(move || serve(stream, &marks, &process, turns));
        }
    });
    let mut command = program.start(&folder);
    command
        .args(["-p", "go", "--provider", "openai-chat", "--base-url", &url, "--model", "m", "--max-turns"])
        .arg((turns + 5).to_string());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    process.store(child.id(), Ordering::SeqCst);
    ensure!(child.wait()?.success(), "the agent failed");
    let marks = marks.lock().unwrap_or_else(PoisonError::into_inner).clone();
    ensure!(marks.len() >= turns, "only {} of {turns} requests came", marks.len());
    for place in PLACES {
        let mut sample = Sample::default();
        for pair in marks.windows(2).take(place).skip(place - WINDOW) {
            // A thread that ended takes its time with it.
            sample.push(pair[1].saturating_sub(pair[0]));
        }
        let milliseconds = sample.median().as_secs_f64() * 1000.0;
        println!("  turn {place:>5}: {}   {}", describe(&sample), verdict(milliseconds, TURN));
        report.figure(
            SUBJECT,
            format!("CPU time of turn {place} of a session, by the {WINDOW} turns before it"),
            describe(&sample),
            Some(kept(milliseconds <= TURN, format!("≤ {TURN} ms"))),
        );
    }
    Ok(())
}

/// Answers the requests of one connection: each with a call of `read`, the last with a text.
fn serve(stream: TcpStream, marks: &Marks, process: &AtomicU32, turns: usize) -> Result<()> {
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0_u64;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().context("the length of a request is a number")?;
            }
        }
        std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink())?;
        let turn = {
            let mut marks = marks.lock().unwrap_or_else(PoisonError::into_inner);
            marks.push(cpu_time(process.load(Ordering::SeqCst)));
            marks.len()
        };
        let mut delta = json!({ "content": format!("Reading it again, number {turn}.") });
        let mut reason = "stop";
        if turn < turns {
            let function = json!({ "name": "read", "arguments": "{\"path\":\"a.txt\"}" });
            delta["tool_calls"] = json!([{ "index": 0, "id": format!("call_{turn}"), "type": "function", "function": function }]);
            reason = "tool_calls";
        }
        let first = json!({ "choices": [{ "index": 0, "delta": delta }] });
        let last = json!({
            "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5 },
        });
        let body = format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n");
        write!(
            writer,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        writer.flush()?;
    }
}

/// Returns the CPU time of all threads of a process, which the system counts in nanoseconds.
fn cpu_time(process: u32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}
