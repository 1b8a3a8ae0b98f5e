//! Sending in the background. A run never waits for it: spans are dropped if too many wait, and a failed export is logged and
//! not repeated.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout, timeout_at},
};
use toolsmith_llm::JsonPost;

use super::{
    config::{Config, Signal},
    metrics::metrics_json,
    span::{Span, pair},
};

/// Time for which spans are collected.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of spans of one export.
const BATCH: usize = 256;
/// Maximum number of spans that wait; more are dropped.
const WAITING: usize = 2048;
/// Maximum size of a response that is read.
const RESPONSE_BYTES: usize = 4096;

enum Item {
    Span(Box<Span>),
    Flush(oneshot::Sender<()>),
}

/// The queue of the task that sends.
#[derive(Clone, Debug)]
pub(super) struct Exporter {
    queue: mpsc::Sender<Item>,
}

impl Exporter {
    /// Starts the task. It ends with the last clone of the exporter.
    pub(super) fn start(config: Config) -> Self {
        let (queue, items) = mpsc::channel(WAITING);
        tokio::spawn(run(config, items));
        Self { queue }
    }

    pub(super) fn send(&self, span: Span) {
        if self.queue.try_send(Item::Span(Box::new(span))).is_err() {
            tracing::debug!("A span was dropped: the OTLP endpoint is too slow");
        }
    }

    /// Sends what waits, but takes no longer than `limit`.
    pub(super) async fn flush(&self, limit: Duration) {
        let (done, is_done) = oneshot::channel();
        if self.queue.try_send(Item::Flush(done)).is_ok() && timeout(limit, is_done).await.is_err() {
            tracing::warn!("Telemetry was not sent completely: the OTLP endpoint is too slow");
        }
    }
}

async fn run(config: Config, mut items: mpsc::Receiver<Item>) {
    let post = JsonPost::default();
    let mut since = SystemTime::now();
    while let Some(first) = items.recv().await {
        let (mut spans, mut waiting) = (Vec::new(), Vec::new());
        let until = Instant::now() + INTERVAL;
        let mut next = Some(first);
        while let Some(item) = next {
            match item {
                Item::Span(span) => spans.push(*span),
                Item::Flush(done) => waiting.push(done),
            }
            let is_full = !waiting.is_empty() || spans.len() >= BATCH;
            next = if is_full { None } else { timeout_at(until, items.recv()).await.ok().flatten() };
        }
        let now = SystemTime::now();
        if !spans.is_empty() {
            export(&post, &config, &spans, since, now).await;
            since = now;
        }
        for done in waiting {
            // Whoever waited may have given up.
            let _ = done.send(());
        }
    }
}

async fn export(post: &JsonPost, config: &Config, spans: &[Span], since: SystemTime, now: SystemTime) {
    let resource: Vec<Value> = config.resource.iter().map(|(key, value)| pair(key, &json!(value))).collect();
    let resource = json!({ "attributes": resource });
    let scope = json!({ "name": "toolsmith", "version": env!("CARGO_PKG_VERSION") });
    let traces = config.traces.as_ref().map(|signal| {
        let spans: Vec<Value> = spans.iter().map(Span::to_json).collect();
        let spans = json!([{ "scope": scope, "spans": spans }]);
        (signal, json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": spans }] }))
    });
    let metrics = config.metrics.as_ref().map(|signal| {
        let metrics = metrics_json(spans.iter().flat_map(|span| &span.points), since, now);
        let metrics = json!([{ "scope": scope, "metrics": metrics }]);
        (signal, json!({ "resourceMetrics": [{ "resource": resource, "scopeMetrics": metrics }] }))
    });
    for (signal, body) in traces.into_iter().chain(metrics) {
        send(post, signal, &body, config.timeout).await;
    }
}

async fn send(post: &JsonPost, signal: &Signal, body: &Value, limit: Duration) {
    let body = body.to_string().into_bytes();
    let sent = post.send(&signal.url, signal.headers.clone(), body, limit, RESPONSE_BYTES);
    let outcome = match timeout(limit, sent).await {
        Ok(outcome) => outcome.map(drop),
        Err(_) => Err(format!("no answer within {limit:?}")),
    };
    if let Err(error) = outcome {
        tracing::warn!(%error, "Telemetry could not be sent to the OTLP endpoint");
    }
}
