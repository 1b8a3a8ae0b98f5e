//! OpenTelemetry export: the real program against a receiver on a loopback socket.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};
use toolsmith_host::exec::Request;

use crate::place::{HELLO, Place, Said};

/// A request that arrived: path, headers and body.
type Arrived = (String, Vec<String>, Value);

/// A receiver that keeps what arrives.
struct Receiver {
    url: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Receiver {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let arrived = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&arrived);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || serve(stream.unwrap(), &kept));
            }
        });
        Self { url, arrived }
    }

    fn spans(&self) -> Vec<Value> {
        let arrived = self.arrived.lock().unwrap();
        let bodies = arrived.iter().filter(|(path, ..)| path.ends_with("/v1/traces"));
        let spans = bodies.flat_map(|(_, _, body)| {
            body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
        });
        spans.collect()
    }

    fn metrics(&self, name: &str) -> Vec<Value> {
        let arrived = self.arrived.lock().unwrap();
        let bodies = arrived.iter().filter(|(path, ..)| path.ends_with("/v1/metrics"));
        let metrics = bodies.flat_map(|(_, _, body)| {
            body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap().clone()
        });
        metrics.filter(|metric| metric["name"] == name).collect()
    }
}

/// Answers requests until the connection closes.
fn serve(stream: TcpStream, kept: &Mutex<Vec<Arrived>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let (mut headers, mut length) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim().to_owned();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            headers.push(line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let path = first.split(' ').nth(1).unwrap().to_owned();
        kept.lock().unwrap().push((path, headers, serde_json::from_slice(&body).unwrap()));
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    }
}

fn attribute<'a>(of: &'a Value, key: &str) -> &'a Value {
    let attributes = of["attributes"].as_array().unwrap();
    attributes.iter().find(|pair| pair["key"] == key).map_or(&Value::Null, |pair| &pair["value"])
}

fn place() -> Place {
    let place = Place::trusted(&[]);
    place.write("project/.toolsmith/tools/hello.ts", &HELLO.replace("label:", "approval: 'read', label:"));
    let usage = json!({ "input": 1200, "output": 30 });
    let script = json!([
        { "reply": [{ "call": "hello", "arguments": { "name": "Ada" } }, { "call": "nothing", "arguments": {} }], "usage": usage },
        { "reply": "Done.", "usage": usage }
    ]);
    place.write("script.json", &script.to_string());
    place
}

fn request(place: &Place) -> Request {
    let model = format!("script:{}", place.path("script.json").display());
    place.request(&["-p", "go", "--model", &model])
}

async fn run(place: &Place, variables: &[(&str, &str)]) -> Said {
    let mut request = request(place);
    for (name, value) in variables {
        request = request.env(*name, *value);
    }
    place.run_request(&request).await
}

#[tokio::test]
async fn c13_a_run_is_a_trace_of_model_requests_and_tool_calls() {
    let (place, receiver) = (place(), Receiver::start());
    let said = run(
        &place,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.url),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b"),
            ("OTEL_SERVICE_NAME", "mine"),
        ],
    )
    .await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Done.\n"), "{said:#?}");
    let spans = receiver.spans();
    let named = |start: &str| -> Vec<&Value> {
        spans.iter().filter(|span| span["name"].as_str().unwrap().starts_with(start)).collect()
    };
    let root = named("invoke_agent")[0];
    assert_eq!(root.get("parentSpanId"), None);
    assert_eq!(named("chat ").len(), 2, "{spans:#?}");
    for span in &spans {
        assert_eq!(span["traceId"], root["traceId"]);
        assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        let time = |key: &str| span[key].as_str().unwrap().parse::<u128>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
        assert!(attribute(span, "gen_ai.conversation.id")["stringValue"].is_string(), "{span:#}");
    }
    let hello = named("execute_tool hello")[0];
    assert_eq!(hello["parentSpanId"], root["spanId"]);
    assert_eq!(attribute(hello, "gen_ai.operation.name")["stringValue"], "execute_tool");
    assert_eq!(attribute(hello, "gen_ai.tool.name")["stringValue"], "hello");
    assert!(!attribute(hello, "gen_ai.tool.call.id")["stringValue"].as_str().unwrap().is_empty());
    assert!(attribute(hello, "toolsmith.tool.cpu_time_us")["intValue"].is_string(), "{hello:#}");
    let unknown = named("execute_tool nothing")[0];
    assert_eq!(attribute(unknown, "error.type")["stringValue"], "unknown_tool");
    assert_eq!(unknown["status"]["code"], 2);
    assert_eq!(attribute(named("chat ")[0], "gen_ai.operation.name")["stringValue"], "chat");

    let usage = receiver.metrics("gen_ai.client.token.usage");
    let points: Vec<&Value> =
        usage.iter().flat_map(|metric| metric["histogram"]["dataPoints"].as_array().unwrap()).collect();
    let kinds: Vec<&Value> =
        points.iter().map(|point| &attribute(point, "gen_ai.token.type")["stringValue"]).collect();
    assert!(kinds.contains(&&json!("input")) && kinds.contains(&&json!("output")), "{usage:#?}");
    assert!(!receiver.metrics("gen_ai.client.operation.duration").is_empty());

    let arrived = receiver.arrived.lock().unwrap();
    let (_, headers, body) = &arrived[0];
    assert!(headers.iter().any(|header| header.eq_ignore_ascii_case("x-team: a b")), "{headers:?}");
    let resource = &body["resourceSpans"][0]["resource"];
    assert_eq!(attribute(resource, "service.name")["stringValue"], "mine");
    let everything: String = arrived.iter().map(|(_, _, body)| body.to_string()).collect();
    assert!(!everything.contains("Ada") && !everything.contains("Hello"), "contents are not sent");
}

#[tokio::test]
async fn c13_signals_have_their_own_endpoints_and_one_can_be_off() {
    let (place, receiver) = (place(), Receiver::start());
    let own = format!("{}/elsewhere/v1/metrics", receiver.url);
    let said = run(&place, &[("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &own)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let arrived = receiver.arrived.lock().unwrap();
    assert!(!arrived.is_empty());
    assert!(arrived.iter().all(|(path, ..)| path == "/elsewhere/v1/metrics"));
}

#[tokio::test]
async fn c13_an_endpoint_that_is_down_silent_or_invalid_changes_nothing_of_a_run() {
    let place = place();
    // Accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let down = {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", closed.local_addr().unwrap())
    };
    for endpoint in [silent.as_str(), down.as_str(), "not a url", "file:///etc/passwd"] {
        let said = run(&place, &[("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)]).await;
        assert_eq!((said.code, said.stdout.as_str()), (0, "Done.\n"), "{endpoint}: {said:#?}");
        assert!(!said.stderr.contains("OTLP"), "{said:#?}");
    }
}

#[tokio::test]
async fn c13_a_call_without_a_session_is_a_trace_of_its_own() {
    let (place, receiver) = (place(), Receiver::start());
    let request = place.request(&["call", "hello", "name=Ada"]);
    let said = place.run_request(&request.env("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.url)).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Hello, Ada!\n"));
    let spans = receiver.spans();
    assert_eq!(spans.len(), 1, "{spans:#?}");
    assert_eq!((&spans[0]["name"], spans[0].get("parentSpanId")), (&json!("execute_tool hello"), None));
}

#[tokio::test]
async fn c13_settings_of_a_project_cannot_name_an_endpoint() {
    let (place, receiver) = (place(), Receiver::start());
    let setting =
        format!("OTEL_EXPORTER_OTLP_ENDPOINT = \"{0}\"\n[otel]\nendpoint = \"{0}\"\n", receiver.url);
    place.write("project/.toolsmith/config.toml", &setting);
    place.write("project/.env", &format!("OTEL_EXPORTER_OTLP_ENDPOINT={}\n", receiver.url));
    assert_eq!(run(&place, &[]).await.code, 0);
    assert!(receiver.arrived.lock().unwrap().is_empty());
}
