//! The figures of a call: known ones are right, unknown ones are absent.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use serde_json::json;
use toolsmith_agent::{CallEnd, CallLimit, CallLimits, CallMonitor, CallOutcome, CallRequest, Dispatcher};
use toolsmith_builtins::register_built_in_tools;
use toolsmith_llm::{Message, ToolResultMessage};
use toolsmith_testkit::agent::{Probe, dispatching, yolo};
use toolsmith_tool::{ContentBlock, Registry};

use crate::place::Place;

#[tokio::test]
async fn c13_built_in_tools_count_the_bytes_they_read_and_write() {
    let place = Place::new();
    let text = "line\n".repeat(100_000);
    place.write("a.txt", &text);
    let read = place.call("read", json!({ "path": "a.txt" })).await.metrics.unwrap();
    assert!(read.read_bytes.unwrap() >= text.len() as u64, "{read:?}");
    assert_eq!((read.written_bytes, read.requests, read.processes), (Some(0), Some(0), Some(0)));
    assert_eq!(read.peak_memory_bytes, None, "it cannot be told from the program's");
    assert!(read.cpu_us.is_some());

    let found = place.call("grep", json!({ "pattern": "nothing like it" })).await.metrics.unwrap();
    assert_eq!(found.read_bytes, Some(text.len() as u64));
    let written = place.call("write", json!({ "path": "b.txt", "content": "12345" })).await.metrics.unwrap();
    assert_eq!(written.written_bytes, Some(5));
    let edit = json!({ "path": "b.txt", "edits": [{ "oldText": "12", "newText": "" }] });
    let edited = place.call("edit", edit).await.metrics.unwrap();
    assert_eq!((edited.read_bytes, edited.written_bytes), (Some(5), Some(3)));
}

#[tokio::test]
async fn c13_bash_counts_its_process_and_does_not_know_its_requests() {
    let place = Place::new();
    let outcome =
        place.call("bash", json!({ "command": "printf 12345; head -c 100000 /dev/zero | wc -c" })).await;
    let metrics = outcome.metrics.unwrap();
    assert_eq!((metrics.processes, metrics.requests), (Some(1), None));
    assert_eq!(metrics.read_bytes, Some("12345100000\n".len() as u64));
    assert!(metrics.cpu_us.is_some() && metrics.peak_memory_bytes.unwrap() > 0, "{metrics:?}");
}

#[tokio::test]
async fn c13_the_result_is_measured_whole_and_as_the_model_gets_it() {
    let place = Place::new();
    let outcome = place.call("bash", json!({ "command": "head -c 400000 /dev/zero | tr '\\0' x" })).await;
    let metrics = outcome.metrics.unwrap();
    assert!(metrics.output_bytes >= 400_000, "{metrics:?}");
    assert!(metrics.result_tokens < 20_000, "{metrics:?}");
    assert!(metrics.wall_us > 0);
}

#[tokio::test]
async fn c13_a_call_that_never_reached_its_tool_has_no_figures() {
    let dispatcher = dispatching([Probe::echo("echo")]).build();
    assert_eq!(dispatcher.call(CallRequest::new("1", "nothing", "{}")).await.metrics, None);
    assert_eq!(dispatcher.call(CallRequest::new("2", "echo", "[[[")).await.metrics, None);
    let metrics = dispatcher.call(CallRequest::new("3", "echo", r#"{"text":"a"}"#)).await.metrics.unwrap();
    assert_eq!((metrics.cpu_us, metrics.processes), (None, None), "nobody declared them");
}

#[tokio::test]
async fn c13_figures_are_part_of_the_message_and_a_foreign_field_of_the_name_does_no_harm() {
    let mut message = ToolResultMessage::new("1", "t", vec![ContentBlock::text("x")]);
    message.metrics = Place::new().call("ls", json!({})).await.metrics;
    let json = serde_json::to_value(Message::ToolResult(message.clone())).unwrap();
    assert!(json["metrics"]["wallUs"].is_u64(), "{json}");
    let Message::ToolResult(read) = serde_json::from_value(json.clone()).unwrap() else { panic!("{json}") };
    assert_eq!(read, message);
    for foreign in [json!("fast"), json!([1, 2]), json!({ "wallUs": "long" }), json!(null)] {
        let mut json = json.clone();
        json["metrics"] = foreign;
        let Message::ToolResult(read) = serde_json::from_value(json.clone()).unwrap() else {
            panic!("{json}")
        };
        assert_eq!((read.metrics, read.content.len()), (None, 1));
    }
}

/// Limits calls, and notes what it sees.
#[derive(Default)]
struct Watch {
    limits: CallLimits,
    refuse: bool,
    seen: Mutex<Vec<(String, CallEnd)>>,
}

impl CallMonitor for Watch {
    fn starting(&self, tool: &str) -> Result<CallLimits, String> {
        if self.refuse { Err(format!("No {tool} today.")) } else { Ok(self.limits.clone()) }
    }

    fn ended(&self, outcome: &mut CallOutcome, _started: SystemTime) {
        self.seen.lock().unwrap().push((outcome.name.clone(), outcome.end.clone()));
    }
}

fn watched(place: &Place, watch: Watch) -> (Dispatcher, Arc<Watch>) {
    let watch = Arc::new(watch);
    let mut registry = Registry::new();
    register_built_in_tools(&mut registry, &place.root, None).unwrap();
    let monitor = Arc::clone(&watch) as Arc<dyn CallMonitor>;
    (Dispatcher::builder(registry).approval(yolo()).monitor(monitor).build(), watch)
}

#[tokio::test]
async fn c13_a_call_over_its_time_is_stopped_although_it_makes_progress() {
    let place = Place::new();
    let mut limits = CallLimits::default();
    limits.time = Some(CallLimit::new(Duration::from_millis(300), "It took too long (budget.call.time)."));
    let (dispatcher, watch) = watched(&place, Watch { limits, ..Watch::default() });
    let arguments = json!({ "command": "while :; do echo tick; sleep 0.05; done" });
    let outcome = dispatcher.call(CallRequest::new("1", "bash", arguments)).await;
    assert_eq!(outcome.end, CallEnd::OverBudget);
    assert!(outcome.result.joined_text().contains("It took too long (budget.call.time)."), "{outcome:?}");
    assert_eq!(*watch.seen.lock().unwrap(), [("bash".to_owned(), CallEnd::OverBudget)]);
}

#[tokio::test]
async fn c13_a_call_over_its_memory_is_stopped_with_its_processes() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let place = Place::new();
    let mut limits = CallLimits::default();
    limits.memory = Some(CallLimit::new(32 << 20, "Too much memory (budget.call.memory)."));
    let (dispatcher, _) = watched(&place, Watch { limits, ..Watch::default() });
    let hold = "{ head -c 67108864 /dev/zero; sleep 1000; } | tail -c 67108864 > /dev/null";
    let outcome = dispatcher.call(CallRequest::new("1", "bash", json!({ "command": hold }))).await;
    assert_eq!(outcome.end, CallEnd::OverBudget);
    assert!(outcome.result.joined_text().contains("budget.call.memory"), "{outcome:?}");
}

#[tokio::test]
async fn c13_a_monitor_can_refuse_a_call_before_it_runs() {
    let place = Place::new();
    let (dispatcher, watch) = watched(&place, Watch { refuse: true, ..Watch::default() });
    let write = json!({ "path": "a", "content": "x" });
    let outcome = dispatcher.call(CallRequest::new("1", "write", write)).await;
    assert_eq!((outcome.end, outcome.metrics), (CallEnd::OverBudget, None));
    assert_eq!(outcome.result.joined_text(), "No write today.");
    assert!(!place.path("a").exists());
    assert_eq!(watch.seen.lock().unwrap().len(), 1);
}
