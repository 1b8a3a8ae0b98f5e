//! The scripted provider: what it plays, and what it says of a script that is wrong.

use std::time::Duration;

use serde_json::json;
use toolsmith_llm::{
    CancelToken, ContentBlock, ErrorClass, Expectation, ForcedTool, Message, Provider, Request, Script,
    ScriptError, ScriptedProvider, StopReason, StreamEvent, ToolChoice, ToolDefinition, ToolResultMessage,
    Turn, Usage,
};

async fn play(provider: &ScriptedProvider) -> Vec<StreamEvent> {
    let asked = [Message::user("hi")];
    let request = Request::new(provider.model()).messages(&asked);
    let mut stream = provider.stream(&request, CancelToken::new());
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    events
}

fn wrong(text: &str) -> String {
    Script::parse(text).unwrap_err().to_string()
}

#[tokio::test]
async fn a_turn_is_played_step_by_step() {
    let script = Script::parse(
        r#"[{
            "chunk": 4,
            "usage": { "input": 10, "output": 5 },
            "reply": [
                { "thinking": "hmm", "signature": "S" },
                "Hello wörld",
                { "delayMs": 1 },
                { "call": "read", "arguments": { "path": "a" }, "id": "id_a" },
                { "call": "read", "rawArguments": "{\"pa" }
            ]
        }]"#,
    )
    .unwrap();
    let events = play(&ScriptedProvider::new(script)).await;
    let deltas: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas, ["Hell", "o wö", "rld"]);
    let Some(StreamEvent::Done { reason, message }) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(*reason, StopReason::ToolUse);
    assert_eq!((message.usage.input, message.usage.output), (10, 5));
    assert_eq!((message.provider.as_str(), message.api.as_str()), ("script", "script"));
    let calls: Vec<_> = message.tool_calls().collect();
    assert_eq!((calls[0].id.as_str(), calls[0].arguments.clone()), ("id_a", json!({ "path": "a" })));
    assert_eq!((calls[1].id.as_str(), calls[1].arguments_text().as_ref()), ("call_1_2", "{\"pa"));
}

#[tokio::test]
async fn errors_come_where_the_script_puts_them() {
    let script = Script::parse(
        r#"{ "turns": [
            { "reply": [ { "error": "busy", "class": "rate_limited", "retryAfterMs": 1500 } ] },
            { "reply": [ "half", { "error": "gone" } ] },
            { "reply": "cut", "stop": "length" }
        ] }"#,
    )
    .unwrap();
    let provider = ScriptedProvider::new(script);
    let events = play(&provider).await;
    let [StreamEvent::Error { error, .. }] = events.as_slice() else {
        panic!("refused before it started: {events:?}");
    };
    assert_eq!(error.retry_after, Some(Duration::from_millis(1500)));
    let events = play(&provider).await;
    let Some(StreamEvent::Error { error, message, .. }) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!((error.class, message.text().as_str()), (ErrorClass::Server, "half"));
    assert!(matches!(
        play(&provider).await.last(),
        Some(StreamEvent::Done { reason: StopReason::Length, .. })
    ));

    let events = play(&provider).await;
    let [StreamEvent::Error { error, .. }] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(error.to_string(), "the script has 3 turns, but the conversation needs turn 4");
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_script_can_wait_to_be_stopped() {
    let provider = ScriptedProvider::new(Script::new([Turn::new().text("one").wait_for_abort()]));
    let cancel = CancelToken::new();
    let asked = [Message::user("hi")];
    let mut stream = provider.stream(&Request::new(provider.model()).messages(&asked), cancel.clone());
    let mut last = None;
    while let Some(event) = stream.next().await {
        if matches!(event, StreamEvent::TextEnd { .. }) {
            cancel.cancel("enough");
        }
        last = Some(event);
    }
    let Some(StreamEvent::Error { reason, message, .. }) = last else {
        panic!("{last:?}");
    };
    assert_eq!((reason, message.text().as_str()), (StopReason::Aborted, "one"));
}

#[tokio::test]
async fn a_turn_can_expect_where_the_conversation_is() {
    let expecting =
        |expect: Expectation| ScriptedProvider::new(Script::new([Turn::new().text("ok").expect(expect)]));
    let history = [
        Message::user("open the door"),
        Message::ToolResult(ToolResultMessage::new("a", "read", vec![ContentBlock::text("it is locked")])),
    ];
    let tools = [ToolDefinition::new("read", "", json!({}))];
    let ask = async |provider: ScriptedProvider| {
        let request = Request::new(provider.model())
            .messages(&history)
            .tools(&tools)
            .tool_choice(ToolChoice::Tool("read".to_owned()));
        provider.stream(&request, CancelToken::new()).finish().await
    };
    let mut met = Expectation::last_tool_result_contains("locked");
    met.last_user_contains = Some("door".to_owned());
    met.tool_offered = Some("read".to_owned());
    met.tool_choice = Some("read".to_owned());
    ask(expecting(met)).await.unwrap();

    let mut not_met = Vec::new();
    for change in [
        (|expect: &mut Expectation| expect.last_user_contains = Some("window".to_owned()))
            as fn(&mut Expectation),
        |expect| expect.last_tool_result_contains = Some("open".to_owned()),
        |expect| expect.tool_offered = Some("write".to_owned()),
        |expect| expect.tool_choice = Some("auto".to_owned()),
    ] {
        let mut expect = Expectation::default();
        change(&mut expect);
        let error = ask(expecting(expect)).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Script);
        not_met.push(error.to_string());
    }
    assert_eq!(
        not_met,
        [
            "the script: turn 1 expects the last user message to contain \"window\", but it is \"open the door\"",
            "the script: turn 1 expects the last tool result to contain \"open\", but it is \"it is locked\"",
            "the script: turn 1 expects the tool \"write\" to be offered, but the offered tools are [\"read\"]",
            "the script: turn 1 expects the tool choice \"auto\", but it is \"read\"",
        ]
    );
}

#[tokio::test]
async fn what_was_asked_is_recorded() {
    let script = Script::new([Turn::new().text("a").usage(Usage::new(1, 1, 0, 0)), Turn::new().text("b")]);
    let provider = ScriptedProvider::new(script);
    play(&provider.clone()).await;
    assert_eq!(provider.turns_left(), 1, "clones play the same script");
    assert_eq!(provider.requests()[0].messages, [Message::user("hi")]);
}

#[test]
fn a_file_is_a_list_an_object_or_lines() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, turns) in [
        ("list.json", "[\n  \"one\",\n  { \"reply\": \"two\" }\n]", 2),
        ("object.json", "{\n  \"turns\": [\"one\"]\n}", 1),
        ("object-on-one-line.json", "{ \"turns\": [\"one\"], \"chunk\": 2 }", 1),
        ("lines.jsonl", "\"one\"\n\n{ \"reply\": [\"two\"] }\n{ \"reply\": \"three\" }\n", 3),
        ("one-line.jsonl", "{ \"reply\": \"one\" }", 1),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let provider = ScriptedProvider::open(&path).unwrap();
        assert_eq!(provider.turns_left(), turns, "{name}");
        assert_eq!(Some(provider.model().id.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
    }
    let script = r#"{ "model": { "contextWindow": 1000, "forcedTool": "required" }, "turns": ["x"] }"#;
    let model = ScriptedProvider::new(Script::parse(script).unwrap()).model().clone();
    assert_eq!((model.context_window, model.forced_tool), (1000, ForcedTool::Required));
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_column() {
    assert_eq!(
        wrong("{\n  \"turns\": [\n    { \"replyy\": \"x\" }\n  ]\n}"),
        "the script:3:14: unknown field `replyy`, expected one of `reply`, `stop`, `usage`, `expect`, `chunk`, `paceMs`"
    );
    assert_eq!(
        wrong("\"one\"\n{ \"reply\": [ { \"text\": \"a\", \"call\": \"b\" } ] }"),
        "the script:2:41: a step must have exactly one of \"text\", \"thinking\", \"call\", \"delayMs\", \"error\", \"waitForAbort\""
    );
    for (text, part) in [
        ("[ 7 ]", "1:3: invalid type: integer `7`, expected a turn: a text, or an object with \"reply\""),
        ("[ \"a\"", "EOF while parsing a list"),
        ("[]", "the script has no turns"),
        ("", "EOF while parsing a value"),
        (
            "[ { \"reply\": [ { \"text\": \"a\", \"id\": \"b\" } ] } ]",
            "\"id\" belongs to a step with \"call\"",
        ),
        (
            "[ { \"reply\": [ { \"error\": \"a\", \"class\": \"b\" } ] } ]",
            "\"b\" is not an error class; expected one of rate_limited,",
        ),
        ("[ { \"reply\": [ { \"call\": \"a\", \"arguments\": {}, \"rawArguments\": \"\" } ] } ]", "not both"),
        ("[ { \"chunk\": 0 } ]", "\"chunk\" must be at least 1"),
        ("[ { \"stop\": \"end\" } ]", "unknown variant `end`"),
        ("[ { \"expect\": { \"x\": 1 } } ]", "unknown field `x`"),
    ] {
        assert!(wrong(text).contains(part), "{text}: {}", wrong(text));
    }
    let missing = ScriptedProvider::open(std::path::Path::new("no/such/file.json")).unwrap_err();
    assert!(matches!(missing, ScriptError::Read { .. }));
    assert!(missing.to_string().starts_with("could not read script no/such/file.json"), "{missing}");
}
