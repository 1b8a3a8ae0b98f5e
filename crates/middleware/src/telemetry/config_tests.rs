//! Variables that choose endpoints, headers and switches.

use std::time::Duration;

use super::Config;

fn read(variables: &[(&str, &str)]) -> Option<Config> {
    let variables: Vec<(String, String)> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Config::read(move |name| {
        variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    })
}

#[test]
fn without_an_endpoint_nothing_is_sent() {
    assert_eq!(read(&[]), None);
    assert_eq!(read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "  ")]), None);
    assert_eq!(read(&[("OTEL_SERVICE_NAME", "x"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=b")]), None);
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    assert_eq!(read(&[endpoint, ("OTEL_SDK_DISABLED", "TRUE")]), None);
}

#[test]
fn the_common_endpoint_is_a_base_and_those_of_signals_are_used_as_they_are() {
    let config = read(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/base/"),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://elsewhere/m"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20a%2Cb, x = 1,bad,=no"),
        ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "k=v"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
    ])
    .unwrap();
    let traces = config.traces.unwrap();
    assert_eq!(traces.url, "http://localhost:4318/base/v1/traces");
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(traces.headers, [pair("authorization", "Bearer a,b"), pair("x", "1")]);
    let metrics = config.metrics.unwrap();
    assert_eq!((metrics.url.as_str(), metrics.headers), ("http://elsewhere/m", vec![pair("k", "v")]));
    assert_eq!(config.timeout, Duration::from_millis(250));
}

#[test]
fn a_signal_can_be_switched_off_and_have_an_endpoint_alone() {
    let only = read(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/v1/traces")]).unwrap();
    assert!(only.traces.is_some() && only.metrics.is_none());
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    let config = read(&[endpoint, ("OTEL_METRICS_EXPORTER", "none")]).unwrap();
    assert!(config.traces.is_some() && config.metrics.is_none());
}

#[test]
fn the_service_name_of_its_variable_wins_over_the_resource_attributes() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    let attributes = ("OTEL_RESOURCE_ATTRIBUTES", "service.name=a,team=b");
    let names = |variables: &[(&str, &str)]| -> Vec<String> {
        let resource = read(variables).unwrap().resource;
        resource.into_iter().filter(|(key, _)| key == "service.name").map(|(_, value)| value).collect()
    };
    assert_eq!(names(&[endpoint]), ["toolsmith"]);
    assert_eq!(names(&[endpoint, attributes]), ["a"]);
    assert_eq!(names(&[endpoint, attributes, ("OTEL_SERVICE_NAME", "c")]), ["c"]);
}

#[test]
fn percent_signs_that_encode_nothing_stay() {
    let config = read(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=100%,b=%zz,c=%ff"),
    ])
    .unwrap();
    let values: Vec<String> = config.traces.unwrap().headers.into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, ["100%", "%zz", "\u{fffd}"]);
}
