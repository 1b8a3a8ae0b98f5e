//! The `OTEL_*` variables.

use std::time::Duration;

/// Default time of one export.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where one signal is sent, and with which headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
}

/// The configuration. At least one signal is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    pub(super) traces: Option<Signal>,
    pub(super) metrics: Option<Signal>,
    /// Attributes of the resource, `service.name` among them.
    pub(super) resource: Vec<(String, String)>,
    pub(super) timeout: Duration,
}

impl Config {
    /// Reads the variables; `None` if nothing is to be sent.
    pub(super) fn read(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
            return None;
        }
        let signal = |name: &str, path: &str| {
            let exporter = variable(&format!("OTEL_{name}_EXPORTER"));
            if exporter.is_some_and(|exporter| exporter.trim() == "none") {
                return None;
            }
            let own = variable(&format!("OTEL_EXPORTER_OTLP_{name}_ENDPOINT"));
            let base = || variable("OTEL_EXPORTER_OTLP_ENDPOINT");
            // An endpoint of a signal is used as it is; the common one is a base.
            let url = own
                .map(|url| url.trim().to_owned())
                .or_else(|| base().map(|base| format!("{}/{path}", base.trim().trim_end_matches('/'))))?;
            let headers = variable(&format!("OTEL_EXPORTER_OTLP_{name}_HEADERS"))
                .or_else(|| variable("OTEL_EXPORTER_OTLP_HEADERS"))
                .unwrap_or_default();
            Some(Signal { url, headers: pairs(&headers) })
        };
        let (traces, metrics) = (signal("TRACES", "v1/traces"), signal("METRICS", "v1/metrics"));
        if traces.is_none() && metrics.is_none() {
            return None;
        }
        let mut resource = pairs(&variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default());
        let name = variable("OTEL_SERVICE_NAME");
        if let Some(name) = name {
            resource.retain(|(key, _)| key != "service.name");
            resource.push(("service.name".to_owned(), name));
        } else if !resource.iter().any(|(key, _)| key == "service.name") {
            resource.push(("service.name".to_owned(), "toolsmith".to_owned()));
        }
        resource.push(("service.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
        let timeout = variable("OTEL_EXPORTER_OTLP_TIMEOUT").and_then(|text| text.trim().parse().ok());
        Some(Self { traces, metrics, resource, timeout: timeout.map_or(TIMEOUT, Duration::from_millis) })
    }
}

/// Reads `key=value,key=value`, with percent-encoded values.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (key, value) = part.split_once('=')?;
        let key = key.trim();
        (!key.is_empty()).then(|| (key.to_owned(), decoded(value.trim())))
    };
    text.split(',').filter_map(pair).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, others) {
            (b'%', [high, low, after @ ..]) if digit(high).is_some() && digit(low).is_some() => {
                bytes.push(digit(high).unwrap_or(0) * 16 + digit(low).unwrap_or(0));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
