//! Telemetry over OTLP/HTTP with JSON bodies: spans and metrics of runs, model requests and tool calls, with the names of the
//! GenAI semantic conventions. It is configured by the standard `OTEL_*` variables alone, never by settings, so that no
//! project can choose where it is sent.
//!
//! Neither arguments nor results nor messages are part of it.

mod config;
mod exporter;
mod metrics;
mod recorder;
mod span;

pub use recorder::Telemetry;
