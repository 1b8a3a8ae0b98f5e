//! Everything that can go wrong, over each wire, and how it ends.

use std::time::Duration;

use toolsmith_llm::{
    CancelToken, ErrorClass, LlmError, Message, Provider, Request, Secret, StopReason, StreamEvent,
};
use toolsmith_testkit::{Gate, Problem, Reply, Wire};

use crate::wires::{Bench, KEY, on_every_wire};

on_every_wire!(
    every_refusal_has_its_class,
    every_failure_inside_a_stream_has_its_class,
    stopping_closes_the_connection_and_keeps_what_came,
    stopping_before_anything_came_asks_nothing,
    dropping_the_stream_closes_the_connection,
    a_stream_that_is_cut_is_a_broken_connection,
    nonsense_is_no_answer,
    a_silent_server_is_given_up,
    a_key_never_shows,
);

fn error(events: &[StreamEvent]) -> &LlmError {
    match events.last() {
        Some(StreamEvent::Error { error, .. }) => error,
        other => panic!("ended with {other:?}"),
    }
}

async fn every_refusal_has_its_class(wire: Wire) {
    let bench = Bench::new(wire).await;
    for (problem, class, retryable) in [
        (Problem::RateLimited(None), ErrorClass::RateLimited, true),
        (Problem::RateLimited(Some(7)), ErrorClass::RateLimited, true),
        (Problem::Overloaded, ErrorClass::Overloaded, true),
        (Problem::Overflow, ErrorClass::Overflow, false),
        (Problem::Auth, ErrorClass::Auth, false),
        (Problem::Quota, ErrorClass::Quota, false),
        (Problem::BadRequest, ErrorClass::BadRequest, false),
        (Problem::Server, ErrorClass::Server, true),
    ] {
        bench.server.push(Reply::refuse(problem));
        let events = bench.events().await;
        assert_eq!(events.len(), 1, "nothing was accepted, so nothing started");
        let error = error(&events);
        assert_eq!(error.class, class, "{problem:?}: {error}");
        assert_eq!(error.is_retryable(), retryable, "{problem:?}");
        let wait = (problem == Problem::RateLimited(Some(7))).then_some(Duration::from_secs(7));
        assert_eq!(error.retry_after, wait);
        assert_eq!(error.provider, "bench");
        assert!(error.status.is_some() && error.code.is_some(), "{error:?}");
        let StreamEvent::Error { message, .. } = &events[0] else { unreachable!() };
        assert_eq!(message.stop_reason, StopReason::Error);
        assert_eq!(message.error_message.as_deref(), Some(error.to_string().as_str()));
    }
    assert_eq!(bench.server.requests().len(), 8, "nothing is tried twice here");
}

async fn every_failure_inside_a_stream_has_its_class(wire: Wire) {
    let bench = Bench::new(wire).await;
    for (problem, class) in [
        (Problem::Overloaded, ErrorClass::Overloaded),
        (Problem::RateLimited(None), ErrorClass::RateLimited),
        (Problem::Overflow, ErrorClass::Overflow),
        (Problem::Server, ErrorClass::Server),
    ] {
        bench.server.push(Reply::new().text("so far").problem(problem));
        let events = bench.events().await;
        assert_eq!(events[0], StreamEvent::Start);
        let error = error(&events);
        assert_eq!(error.class, class, "{error}");
        let Some(StreamEvent::Error { message, .. }) = events.last() else { unreachable!() };
        assert_eq!(message.text(), "so far", "what came is kept");
    }
}

async fn stopping_closes_the_connection_and_keeps_what_came(wire: Wire) {
    let bench = Bench::new(wire).await;
    let gate = Gate::new();
    bench.server.push(Reply::new().thinking(["hm"], Some("S")).text("so far").wait(&gate).text("never"));
    let cancel = CancelToken::new();
    let asked = [Message::user("hi")];
    let mut stream = bench.provider.stream(&Request::new(&bench.model).messages(&asked), cancel.clone());
    while let Some(event) = stream.next().await {
        match event {
            StreamEvent::TextDelta { .. } => cancel.cancel("the user pressed Escape"),
            StreamEvent::Error { reason, error, message } => {
                assert_eq!((reason, error.class), (StopReason::Aborted, ErrorClass::Aborted));
                assert_eq!(error.to_string(), "Request was aborted: the user pressed Escape");
                assert_eq!(message.text(), "so far");
                assert_eq!(message.stop_reason, StopReason::Aborted);
                assert_eq!(message.content.len(), 2, "thinking too");
            }
            StreamEvent::Done { .. } => panic!("it was stopped"),
            _ => {}
        }
    }
    assert!(stream.next().await.is_none());
    // While the stream is still held.
    bench.server.wait_for_disconnects(1).await;
}

async fn stopping_before_anything_came_asks_nothing(wire: Wire) {
    let bench = Bench::new(wire).await;
    let cancel = CancelToken::new();
    cancel.cancel("");
    let asked = [Message::user("hi")];
    let stream = bench.provider.stream(&Request::new(&bench.model).messages(&asked), cancel);
    let error = stream.finish().await.unwrap_err();
    assert_eq!((error.class, error.to_string().as_str()), (ErrorClass::Aborted, "Request was aborted"));
    assert_eq!(bench.server.connections(), 0);
}

async fn dropping_the_stream_closes_the_connection(wire: Wire) {
    let bench = Bench::new(wire).await;
    let gate = Gate::new();
    bench.server.push(Reply::new().text("so far").wait(&gate));
    let asked = [Message::user("hi")];
    let mut stream = bench.stream(&Request::new(&bench.model).messages(&asked));
    while !matches!(stream.next().await, Some(StreamEvent::TextDelta { .. })) {}
    drop(stream);
    bench.server.wait_for_disconnects(1).await;
}

async fn a_stream_that_is_cut_is_a_broken_connection(wire: Wire) {
    let bench = Bench::new(wire).await;
    for reply in [
        Reply::new().text("so far").cut(),
        Reply::new().cut(),
        // Cut inside an event, and inside a character.
        Reply::new().text("so far").raw(inside_an_event(wire)).cut(),
        Reply::new().text("so far").raw(b"data: \xe6\xbc".as_slice()).cut(),
    ] {
        bench.server.push(reply);
        let events = bench.events().await;
        let error = error(&events);
        assert_eq!(error.class, ErrorClass::Network, "{error}");
        assert!(error.is_retryable());
        assert!(error.to_string().starts_with("bench: no connection: 127.0.0.1:"), "{error}");
    }
    // Nobody is there.
    let bench = Bench::configured(wire, |mut config| {
        "http://127.0.0.1:1".clone_into(&mut config.base_url);
        config
    })
    .await;
    let error = bench.answer().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Network);
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
}

fn inside_an_event(wire: Wire) -> Vec<u8> {
    match wire {
        Wire::Bedrock => vec![0, 0, 0, 99, 0, 0],
        _ => b"data: {\"type\":\"x\",\"te".to_vec(),
    }
}

async fn nonsense_is_no_answer(wire: Wire) {
    let bench = Bench::new(wire).await;
    if wire == Wire::Bedrock {
        // Messages have checksums, so nothing else is passed over.
        bench.server.push(Reply::new().text("so far").raw("data: {not json\n\n"));
        assert_eq!(bench.answer().await.unwrap_err().class, ErrorClass::InvalidResponse);
    } else {
        nonsense_events(&bench).await;
    }
    bench.server.push(Reply::nonsense(b"\x00\x01\x02 not http at all".as_slice()));
    assert_eq!(bench.answer().await.unwrap_err().class, ErrorClass::Network);

    bench.server.push(Reply::whole(200, "text/html", "<html><h1>Welcome</h1></html>"));
    let error = bench.answer().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::BadRequest);
    assert!(error.to_string().contains("check the base URL"), "{error}");
    for odd in ["{}", "[]", "null", "[[[", r#"{"ok":true}"#, r#"{"choices":[],"output":{},"content":"x"}"#] {
        bench.server.push(Reply::whole(200, "application/json", odd));
        let error = bench.answer().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::BadRequest, "{odd}: {error}");
    }
    // An error that is called a success.
    bench.server.push(Reply::whole(
        200,
        "application/json",
        r#"{"error":{"code":429,"message":"slow down"}}"#,
    ));
    let error = bench.answer().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::RateLimited);

    bench.server.push(Reply::whole(307, "text/plain", "").header("location", "http://127.0.0.1:9/elsewhere"));
    let error = bench.answer().await.unwrap_err();
    assert_eq!((error.class, error.status), (ErrorClass::BadRequest, Some(307)));
    assert!(error.to_string().contains("redirects"), "{error}");
}

async fn nonsense_events(bench: &Bench) {
    bench.server.push(Reply::new().text("so far").raw("data: {not json\n\n"));
    let events = bench.events().await;
    assert_eq!(error(&events).class, ErrorClass::InvalidResponse);
    assert!(error(&events).to_string().contains("{not json"), "{}", error(&events));

    bench.server.push(Reply::new().raw(b"\xff\xfe\x00\x80garbage\n\n\n".as_slice()).text("fine"));
    assert_eq!(bench.answer().await.unwrap().text(), "fine", "what is no event is passed over");

    bench.server.push(Reply::new().raw(b"data: \xff\xfe\n\n".as_slice()));
    assert_eq!(bench.answer().await.unwrap_err().class, ErrorClass::InvalidResponse);
}

async fn a_silent_server_is_given_up(wire: Wire) {
    let gate = Gate::new();
    let bench = Bench::configured(wire, |config| config.idle_timeout(Duration::from_millis(100))).await;
    bench.server.push(Reply::new().text("so far").wait(&gate).text("never"));
    let events = bench.events().await;
    let error = error(&events);
    assert_eq!(error.class, ErrorClass::Network);
    assert!(error.to_string().contains("no data received for 0.1 s"), "{error}");
}

async fn a_key_never_shows(wire: Wire) {
    let header = "team-secret-9876";
    let bench = Bench::configured(wire, |config| config.header("X-Team", Secret::new(header))).await;
    let body = format!(r#"{{"error":{{"message":"the key {KEY} of {header} is wrong (Bearer {KEY})"}}}}"#);
    bench.server.push(Reply::whole(401, "application/json", body.clone()));
    bench.server.push(Reply::whole(500, "text/plain", body.clone()));
    bench.server.push(Reply::new().raw(format!("data: {body}x\n\n")));
    for _ in 0..3 {
        let error = bench.answer().await.unwrap_err();
        for shown in [error.to_string(), format!("{error:?}")] {
            assert!(!shown.contains(KEY) && !shown.contains(header), "{shown}");
        }
    }
    let shown = format!("{:?} {:?}", bench.provider, bench.stream(&Request::new(&bench.model)));
    assert!(!shown.contains(KEY) && !shown.contains(header), "{shown}");

    let request = bench.server.last_request();
    assert!(!request.path.contains(KEY), "never in the URL");
    let (name, value) = match wire {
        Wire::Anthropic => ("x-api-key", KEY.to_owned()),
        Wire::Gemini => ("x-goog-api-key", KEY.to_owned()),
        _ => ("authorization", format!("Bearer {KEY}")),
    };
    assert_eq!(request.header(name), Some(value.as_str()));
    assert_eq!(request.header("x-team"), Some(header));
}

#[tokio::test]
async fn a_wrong_key_is_named_by_where_it_came_from() {
    let bench = Bench::new(Wire::Anthropic).await;
    bench.server.push(Reply::refuse(Problem::Auth));
    let error = bench.answer().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "bench (HTTP 401): not authorized: invalid x-api-key (the key comes from the settings)"
    );
}

#[tokio::test]
async fn a_base_url_that_is_none_is_told_so() {
    for wrong in ["", "localhost:8080", "ftp://host", "http://", "not a url"] {
        let bench = Bench::configured(Wire::Chat, |mut config| {
            wrong.clone_into(&mut config.base_url);
            config
        })
        .await;
        let error = bench.answer().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::BadRequest, "{wrong}");
        assert!(error.to_string().contains("the base URL is invalid"), "{error}");
    }
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_refused_without_showing_it() {
    let bench =
        Bench::configured(Wire::Chat, |config| config.header("X-Team", Secret::new("line\nbreak-secret")))
            .await;
    let error = bench.answer().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::BadRequest);
    assert!(error.to_string().contains("x-team") && !error.to_string().contains("secret"), "{error}");
}
