//! Runs, model requests and tool calls as spans.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolsmith_agent::{AgentEvent, CallEnd, CallMonitor, CallOutcome, RunEnd, TurnContext, TurnHook};
use toolsmith_llm::{AssistantMessage, Message, StopReason, Usage};
use toolsmith_tool::CallMetrics;

use super::{
    config::Config,
    exporter::Exporter,
    metrics::{Instrument, Point},
    span::{CLIENT, INTERNAL, Span, SpanId, TraceId, random_id},
};

/// Longest time that the end of a session waits for what was not sent yet.
const FLUSH: Duration = Duration::from_millis(500);

/// `error.type` of an error without a name of its own, as the semantic conventions define it.
const OTHER: &str = "_OTHER";

/// Reports runs, model requests and tool calls to an OTLP endpoint. Clones are the same reporter.
#[derive(Clone)]
pub struct Telemetry {
    shared: Arc<Shared>,
}

struct Shared {
    exporter: Exporter,
    current: Mutex<Current>,
}

/// Spans in progress.
#[derive(Default)]
struct Current {
    session: String,
    run: Option<Run>,
    /// Start of the model request.
    request: Option<SystemTime>,
}

#[derive(Clone, Copy)]
struct Run {
    trace: TraceId,
    id: SpanId,
    start: SystemTime,
}

impl Telemetry {
    /// Starts to report if a variable names an endpoint (`OTEL_EXPORTER_OTLP_ENDPOINT`). Needs a tokio runtime around it.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let exporter = Exporter::start(Config::read(variable)?);
        Some(Self { shared: Arc::new(Shared { exporter, current: Mutex::default() }) })
    }

    /// Sends what was not sent yet, for half a second at most.
    pub async fn flush(&self) {
        self.shared.exporter.flush(FLUSH).await;
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a span below the current run, or as a trace of its own.
    fn send(&self, name: String, kind: u8, start: SystemTime, part: SpanPart) {
        let (run, session) = {
            let current = self.current();
            (current.run, current.session.clone())
        };
        let mut attributes = part.attributes;
        if !session.is_empty() {
            attributes.push(("gen_ai.conversation.id", json!(session)));
        }
        self.shared.exporter.send(Span {
            trace: run.map_or_else(random_id, |run| run.trace),
            id: random_id(),
            parent: run.map(|run| run.id),
            name,
            kind,
            start,
            end: SystemTime::now().max(start),
            attributes,
            error: part.error,
            points: part.points,
        });
    }

    fn request_ended(&self, message: &AssistantMessage) {
        let Some(start) = self.current().request.take() else { return };
        let seconds = seconds_since(start);
        let attributes = vec![
            ("gen_ai.operation.name", json!("chat")),
            ("gen_ai.provider.name", json!(message.provider)),
            ("gen_ai.request.model", json!(message.model)),
        ];
        let mut points = vec![Point {
            instrument: Instrument::OperationDuration,
            value: seconds,
            attributes: attributes.clone(),
        }];
        for (kind, tokens) in [("input", message.usage.prompt_tokens()), ("output", message.usage.output)] {
            let mut attributes = attributes.clone();
            attributes.push(("gen_ai.token.type", json!(kind)));
            let value = tokens as f64;
            points.push(Point { instrument: Instrument::TokenUsage, value, attributes });
        }
        let error = match message.stop_reason {
            StopReason::Error => Some("error".to_owned()),
            StopReason::Aborted => Some("aborted".to_owned()),
            _ => None,
        };
        let mut own = attributes;
        own.extend(usage_attributes(&message.usage));
        own.push(("gen_ai.response.finish_reasons", json!([message.stop_reason])));
        let name = format!("chat {}", message.model);
        self.send(name, CLIENT, start, SpanPart { attributes: own, error, points });
    }

    fn run_ended(&self, end: &RunEnd, usage: &Usage) {
        let (run, session) = {
            let mut current = self.current();
            (current.run.take(), current.session.clone())
        };
        let Some(run) = run else { return };
        let mut attributes =
            vec![("gen_ai.operation.name", json!("invoke_agent")), ("gen_ai.agent.name", json!("toolsmith"))];
        if !session.is_empty() {
            attributes.push(("gen_ai.conversation.id", json!(session)));
        }
        attributes.extend(usage_attributes(usage));
        let error = match end {
            RunEnd::Completed => None,
            RunEnd::Aborted { .. } => Some("aborted".to_owned()),
            RunEnd::Failed { class, .. } => Some((*class).to_owned()),
            RunEnd::Limit { .. } => Some("limit".to_owned()),
            RunEnd::Fatal { .. } => Some("fatal".to_owned()),
            _ => Some(OTHER.to_owned()),
        };
        self.shared.exporter.send(Span {
            trace: run.trace,
            id: run.id,
            parent: None,
            name: "invoke_agent toolsmith".to_owned(),
            kind: INTERNAL,
            start: run.start,
            end: SystemTime::now().max(run.start),
            attributes,
            error,
            points: Vec::new(),
        });
    }
}

/// The parts in which spans differ.
struct SpanPart {
    attributes: Vec<(&'static str, Value)>,
    error: Option<String>,
    points: Vec<Point>,
}

fn usage_attributes(usage: &Usage) -> [(&'static str, Value); 2] {
    [
        ("gen_ai.usage.input_tokens", json!(usage.prompt_tokens())),
        ("gen_ai.usage.output_tokens", json!(usage.output)),
    ]
}

/// Seconds since a time; zero if the clock was set back.
fn seconds_since(start: SystemTime) -> f64 {
    start.elapsed().unwrap_or_default().as_secs_f64()
}

impl CallMonitor for Telemetry {
    fn ended(&self, outcome: &mut CallOutcome, started: SystemTime) {
        let tool = json!(outcome.name);
        let attributes = vec![("gen_ai.operation.name", json!("execute_tool")), ("gen_ai.tool.name", tool)];
        let duration = outcome.duration.as_secs_f64();
        let mut points = vec![Point {
            instrument: Instrument::OperationDuration,
            value: duration,
            attributes: attributes.clone(),
        }];
        let mut own = attributes.clone();
        own.push(("gen_ai.tool.call.id", json!(outcome.id)));
        own.push(("gen_ai.tool.type", json!("function")));
        if let Some(metrics) = &outcome.metrics {
            own.extend(figures(metrics));
            points.extend(measured(metrics, &attributes[1..]));
        }
        let error = outcome.is_error().then(|| error_type(&outcome.end).to_owned());
        let name = format!("execute_tool {}", outcome.name);
        self.send(name, INTERNAL, started, SpanPart { attributes: own, error, points });
    }
}

/// The figures of a call as attributes; unknown ones are left out.
fn figures(metrics: &CallMetrics) -> impl Iterator<Item = (&'static str, Value)> {
    [
        ("toolsmith.tool.cpu_time_us", metrics.cpu_us),
        ("toolsmith.tool.peak_memory_bytes", metrics.peak_memory_bytes),
        ("toolsmith.tool.read_bytes", metrics.read_bytes),
        ("toolsmith.tool.written_bytes", metrics.written_bytes),
        ("toolsmith.tool.requests", metrics.requests),
        ("toolsmith.tool.processes", metrics.processes),
        ("toolsmith.tool.output_bytes", Some(metrics.output_bytes)),
        ("toolsmith.tool.result_tokens", Some(metrics.result_tokens)),
    ]
    .into_iter()
    .filter_map(|(key, figure)| Some((key, json!(figure?))))
}

fn measured(metrics: &CallMetrics, tool: &[(&'static str, Value)]) -> Vec<Point> {
    let point = |instrument, value: Option<u64>, scale: f64, direction: Option<&str>| {
        let mut attributes = tool.to_vec();
        attributes.extend(direction.map(|direction| ("toolsmith.io.direction", json!(direction))));
        let value = value? as f64 / scale;
        Some(Point { instrument, value, attributes })
    };
    [
        point(Instrument::CpuTime, metrics.cpu_us, 1e6, None),
        point(Instrument::Io, metrics.read_bytes, 1.0, Some("read")),
        point(Instrument::Io, metrics.written_bytes, 1.0, Some("write")),
        point(Instrument::Requests, metrics.requests, 1.0, None),
        point(Instrument::Processes, metrics.processes, 1.0, None),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn error_type(end: &CallEnd) -> &'static str {
    match end {
        CallEnd::Answered => "tool_error",
        CallEnd::UnknownTool => "unknown_tool",
        CallEnd::InvalidArguments => "invalid_arguments",
        CallEnd::Blocked => "blocked",
        CallEnd::Denied => "denied",
        CallEnd::DuplicateId => "duplicate_id",
        CallEnd::Stopped(_) => "stopped",
        CallEnd::TimedOut(_) => "timeout",
        CallEnd::OverBudget => "over_budget",
        CallEnd::Panicked => "panic",
        CallEnd::Fatal => "fatal",
        _ => OTHER,
    }
}

#[async_trait]
impl TurnHook for Telemetry {
    async fn run_started(&self, context: &TurnContext) {
        self.current().session = context.tool_context().session.session_id();
    }

    fn on_event(&self, event: &AgentEvent) {
        match event {
            AgentEvent::AgentStart => {
                let run = Run { trace: random_id(), id: random_id(), start: SystemTime::now() };
                self.current().run = Some(run);
            }
            AgentEvent::MessageStart { message: Message::Assistant(_) } => {
                self.current().request = Some(SystemTime::now());
            }
            AgentEvent::MessageEnd { message: Message::Assistant(message) } => self.request_ended(message),
            AgentEvent::AgentEnd { end, usage, .. } => self.run_ended(end, usage),
            _ => {}
        }
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry").finish_non_exhaustive()
    }
}
