//! Spans and their JSON form.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::metrics::Point;

/// A span of the program itself.
pub(super) const INTERNAL: u8 = 1;
/// A span of a request to another service.
pub(super) const CLIENT: u8 = 3;
/// The status of a failed span.
const ERROR: u8 = 2;

/// Id of a trace.
pub(super) type TraceId = [u8; 16];
/// Id of a span.
pub(super) type SpanId = [u8; 8];

/// A finished span, and the measurements that belong to it.
#[derive(Debug)]
pub(super) struct Span {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) kind: u8,
    pub(super) start: SystemTime,
    pub(super) end: SystemTime,
    pub(super) attributes: Vec<(&'static str, Value)>,
    /// Class of the error, if it failed.
    pub(super) error: Option<String>,
    pub(super) points: Vec<Point>,
}

impl Span {
    pub(super) fn to_json(&self) -> Value {
        let mut attributes: Vec<Value> =
            self.attributes.iter().map(|(key, value)| pair(key, value)).collect();
        if let Some(error) = &self.error {
            attributes.push(pair("error.type", &json!(error)));
        }
        let mut span = json!({
            "traceId": hex(&self.trace),
            "spanId": hex(&self.id),
            "name": self.name,
            "kind": self.kind,
            "startTimeUnixNano": nanoseconds(self.start),
            "endTimeUnixNano": nanoseconds(self.end),
            "attributes": attributes,
            "status": if self.error.is_some() { json!({ "code": ERROR }) } else { json!({}) },
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = hex(parent).into();
        }
        span
    }
}

/// An attribute. 64-bit numbers are text in the protocol's JSON.
pub(super) fn pair(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": any_value(value) })
}

fn any_value(value: &Value) -> Value {
    match value {
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        Value::Array(values) => {
            let values: Vec<Value> = values.iter().map(any_value).collect();
            json!({ "arrayValue": { "values": values } })
        }
        Value::String(text) => json!({ "stringValue": text }),
        other => json!({ "stringValue": other.to_string() }),
    }
}

/// The time as the protocol has it. A clock before 1970 counts as 1970.
pub(super) fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Random bytes; zeros are no valid id.
pub(super) fn random_id<const N: usize>() -> [u8; N] {
    let mut id = [1; N];
    // Without a random source the ids repeat, and the run goes on.
    let _ = getrandom::fill(&mut id);
    if id == [0; N] { [1; N] } else { id }
}
