//! Tests of the queue to a client that reads slowly, or not at all.

use std::sync::mpsc;

use serde_json::Value;
use toolsmith_tool::ToolResult;

use super::*;

/// Writes nothing until it is let, and keeps what was written.
struct Gate {
    open: mpsc::Receiver<()>,
    is_open: bool,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_open {
            self.open.recv().map_err(io::Error::other)?;
            self.is_open = true;
        }
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn gated() -> (Arc<Outgoing>, mpsc::Sender<()>, Arc<Mutex<Vec<u8>>>) {
    let (opener, open) = mpsc::channel();
    let written = Arc::default();
    let outgoing = Outgoing::start(Gate { open, is_open: false, written: Arc::clone(&written) }).unwrap();
    (outgoing, opener, written)
}

fn update(bytes: usize) -> AgentEvent {
    AgentEvent::ToolExecutionUpdate {
        tool_call_id: "c".to_owned(),
        tool_name: "t".to_owned(),
        partial_result: ToolResult::text("x".repeat(bytes)),
    }
}

fn lines(written: &Mutex<Vec<u8>>) -> Vec<Value> {
    let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn updates_are_left_out_first_and_counted() {
    let (outgoing, opener, written) = gated();
    for _ in 0..20 {
        outgoing.send_event(&update(1 << 20));
    }
    outgoing.send_event(&AgentEvent::Notice { message: "kept".to_owned() });
    opener.send(()).unwrap();
    outgoing.finish().await;
    let lines = lines(&written);
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let updates = types.iter().filter(|kind| **kind == "tool_execution_update").count();
    assert_eq!(types[updates..], ["notice", "events_dropped"], "{types:?}");
    assert_eq!(lines[updates + 1]["count"], 20 - updates);
    assert!(updates >= 8, "{updates}");
}

#[tokio::test]
async fn a_client_that_never_reads_is_given_up() {
    let (outgoing, _opener, _) = gated();
    let line = AgentEvent::Notice { message: "x".repeat(1 << 20) };
    for _ in 0..=TOO_MUCH >> 20 {
        assert!(!outgoing.gone().is_cancelled());
        outgoing.send_event(&line);
    }
    outgoing.send_event(&line);
    assert!(outgoing.gone().reason().unwrap().contains("does not read"));
    assert_eq!(outgoing.lock().bytes, 0);
    // Nobody waits for it any more.
    outgoing.room().await;
    outgoing.finish().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_of_a_long_queue_is_given_up() {
    let (outgoing, _opener, _) = gated();
    let line = AgentEvent::Notice { message: "x".repeat(1 << 20) };
    // A short queue may wait for as long as the client likes.
    outgoing.send_event(&line);
    outgoing.room_within(Duration::ZERO).await;
    assert!(!outgoing.gone().is_cancelled());
    while outgoing.lock().bytes <= PLENTY {
        outgoing.send_event(&line);
    }
    outgoing.room_within(Duration::ZERO).await;
    assert!(outgoing.gone().reason().unwrap().contains("has read nothing"), "{:?}", outgoing.gone().reason());
}

#[tokio::test]
async fn a_client_that_reads_a_long_line_slowly_is_reading() {
    /// Lets one write through for each permission.
    struct Slow(mpsc::Receiver<()>);
    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(io::Error::other)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (permit, permits) = mpsc::channel();
    let outgoing = Outgoing::start(Slow(permits)).unwrap();
    outgoing.send_event(&AgentEvent::Notice { message: "x".repeat(PLENTY + 1) });
    for writes in 1..10 {
        permit.send(()).unwrap();
        outgoing.until(|state| state.writes == writes).await;
        assert!(outgoing.lock().bytes > PLENTY, "the line is not written yet");
    }
    let room = outgoing.room_within(Duration::MAX);
    for _ in 0..=PLENTY / CHUNK {
        permit.send(()).unwrap();
    }
    room.await;
    assert!(!outgoing.gone().is_cancelled(), "{:?}", outgoing.gone().reason());
}

#[tokio::test]
async fn a_closed_pipe_is_noticed() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let outgoing = Outgoing::start(Closed).unwrap();
    outgoing.send_event(&AgentEvent::AgentStart);
    outgoing.gone().cancelled().await;
    assert!(outgoing.gone().reason().unwrap().contains("gone"));
}
