//! Measurements, and the histograms and sums that are made of them. Each export has what was measured since the last one
//! (delta temporality), so nothing has to be kept between two.

use std::{collections::BTreeMap, time::SystemTime};

use serde_json::{Value, json};

use super::span::{nanoseconds, pair};

/// Measurements since the last export.
const DELTA: u8 = 1;
/// Bounds for tokens, as the semantic conventions have them.
const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
/// Bounds for durations in seconds, likewise.
const SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// An instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Instrument {
    TokenUsage,
    OperationDuration,
    CpuTime,
    Io,
    Requests,
    Processes,
}

impl Instrument {
    /// Name, unit and description; bounds for a histogram, `None` for a sum.
    fn describe(self) -> (&'static str, &'static str, &'static str, Option<&'static [f64]>) {
        match self {
            Self::TokenUsage => {
                ("gen_ai.client.token.usage", "{token}", "Tokens of a model request", Some(TOKENS))
            }
            Self::OperationDuration => (
                "gen_ai.client.operation.duration",
                "s",
                "Duration of a model request or tool call",
                Some(SECONDS),
            ),
            Self::CpuTime => ("toolsmith.tool.cpu.time", "s", "CPU time of tool calls", None),
            Self::Io => ("toolsmith.tool.io", "By", "Bytes that tool calls read and wrote", None),
            Self::Requests => ("toolsmith.tool.requests", "{request}", "Requests of tool calls", None),
            Self::Processes => ("toolsmith.tool.processes", "{process}", "Processes of tool calls", None),
        }
    }
}

/// One measurement.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) instrument: Instrument,
    pub(super) value: f64,
    pub(super) attributes: Vec<(&'static str, Value)>,
}

/// Measurements with the same attributes.
struct Series {
    attributes: Vec<Value>,
    values: Vec<f64>,
}

/// Returns the metrics of these measurements.
pub(super) fn metrics_json<'a>(
    points: impl Iterator<Item = &'a Point>,
    since: SystemTime,
    until: SystemTime,
) -> Vec<Value> {
    let mut all: BTreeMap<Instrument, BTreeMap<String, Series>> = BTreeMap::new();
    for point in points {
        let attributes: Vec<Value> = point.attributes.iter().map(|(key, value)| pair(key, value)).collect();
        let key = Value::from(attributes.clone()).to_string();
        let series = all.entry(point.instrument).or_default().entry(key);
        series.or_insert_with(|| Series { attributes, values: Vec::new() }).values.push(point.value);
    }
    let (since, until) = (nanoseconds(since), nanoseconds(until));
    let metric = |(instrument, series): (Instrument, BTreeMap<String, Series>)| {
        let (name, unit, description, bounds) = instrument.describe();
        let data_points: Vec<Value> = series
            .into_values()
            .map(|series| {
                let sum: f64 = series.values.iter().sum();
                let mut point = json!({
                    "attributes": series.attributes, "startTimeUnixNano": since, "timeUnixNano": until,
                });
                match bounds {
                    Some(bounds) => {
                        point["count"] = series.values.len().to_string().into();
                        point["sum"] = json!(sum);
                        point["bucketCounts"] = buckets(&series.values, bounds).into();
                        point["explicitBounds"] = json!(bounds);
                    }
                    None => point["asDouble"] = json!(sum),
                }
                point
            })
            .collect();
        let mut metric = json!({ "name": name, "unit": unit, "description": description });
        let data = json!({ "aggregationTemporality": DELTA, "dataPoints": data_points });
        match bounds {
            Some(_) => metric["histogram"] = data,
            None => {
                metric["sum"] = data;
                metric["sum"]["isMonotonic"] = true.into();
            }
        }
        metric
    };
    all.into_iter().map(metric).collect()
}

/// Counts values by bucket: up to each bound, and above the last.
fn buckets(values: &[f64], bounds: &[f64]) -> Vec<Value> {
    let mut counts = vec![0_u64; bounds.len() + 1];
    for value in values {
        let at = bounds.iter().position(|bound| value <= bound).unwrap_or(bounds.len());
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
    }
    counts.into_iter().map(|count| count.to_string().into()).collect()
}
