//! What goes out over each wire, compared with snapshots.

use serde_json::{Value, json};
use toolsmith_llm::{
    AssistantBlock, AssistantMessage, ContentBlock, ForcedTool, InputMessage, Message, Provider,
    ProviderConfig, Quirks, Request, Thinking, ThinkingLevel, ToolChoice, ToolDefinition, ToolResultMessage,
};
use toolsmith_testkit::{Reply, Wire};

use crate::wires::{Bench, KEY, on_every_wire, read_tool, resolve_tool};

on_every_wire!(
    a_plain_question,
    a_long_conversation_with_images_failures_and_thinking,
    a_call_that_is_demanded_by_name_is_demanded_without_thinking_where_both_cannot_be,
    any_call_demanded_and_none_allowed,
    a_conversation_with_another_model_and_one_that_was_interrupted,
    a_model_that_sees_no_images_gets_a_note,
    a_tool_whose_schema_providers_refuse_is_described_so_that_they_do_not,
);

/// Compares the body of the last request with its snapshot.
fn check(bench: &Bench, wire: Wire, name: &str) {
    let body = bench.server.last_request().body;
    let name = format!("{}_{name}", format!("{wire:?}").to_lowercase());
    insta::assert_snapshot!(name, format!("{body:#}"));
}

async fn ask(bench: &Bench, request: &Request<'_>) {
    bench.server.push(Reply::new().text("ok"));
    bench.stream(request).finish().await.unwrap();
}

fn image() -> ContentBlock {
    serde_json::from_value(json!({ "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" }))
        .unwrap()
}

fn result(id: &str, content: Vec<ContentBlock>) -> ToolResultMessage {
    ToolResultMessage::new(id, "read", content)
}

/// What the model answered to a request with this reply.
async fn answered(bench: &Bench, reply: Reply) -> AssistantMessage {
    bench.server.push(reply);
    bench.answer().await.unwrap()
}

async fn a_plain_question(wire: Wire) {
    let bench = Bench::new(wire).await;
    let asked = [Message::user("What is in a.txt?")];
    let tools = [read_tool().strict(true), resolve_tool().strict(true)];
    let request = Request::new(&bench.model)
        .system("You are brief.")
        .messages(&asked)
        .tools(&tools)
        .max_tokens(1000)
        .temperature(0.5)
        .cache_key("session-1");
    ask(&bench, &request).await;
    check(&bench, wire, "plain");
    let request = bench.server.last_request();
    let accepted = match wire {
        Wire::Bedrock => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    };
    assert_eq!(request.header("accept"), Some(accepted));
    let path = match wire {
        Wire::Anthropic => "/v1/messages",
        Wire::Responses => "/v1/responses",
        Wire::Chat => "/v1/chat/completions",
        Wire::Bedrock => "/model/us.anthropic.claude-test-v1%3A0/converse-stream",
        _ => "/v1beta/models/gemini-3-test:streamGenerateContent?alt=sse",
    };
    assert_eq!(request.path, path);
    if wire == Wire::Anthropic {
        assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    }
}

async fn a_long_conversation_with_images_failures_and_thinking(wire: Wire) {
    let bench = Bench::new(wire).await;
    let first = answered(
        &bench,
        Reply::new()
            .thinking(["Two files."], Some("SIGNED"))
            .text("Looking.")
            .call_deltas("call_a", "read", ["{ \"path\": \"a.png\" }"])
            .call_deltas("call_b", "read", ["{\"path\":\"b.txt\"}"]),
    )
    .await;
    let history = [
        Message::User(InputMessage::new(vec![ContentBlock::text("What is in these, and in this?"), image()])),
        Message::Assistant(first),
        // The second result came first, and something else in between.
        Message::ToolResult(result("call_b", vec![ContentBlock::text("No such file")]).failed()),
        Message::developer("Remember to be brief."),
        Message::ToolResult(result("call_a", vec![ContentBlock::text("A picture:"), image()])),
        Message::user("Go on."),
    ];
    let tools = [read_tool()];
    let request = Request::new(&bench.model).messages(&history).tools(&tools).thinking(ThinkingLevel::Medium);
    ask(&bench, &request).await;
    check(&bench, wire, "conversation");
}

async fn a_call_that_is_demanded_by_name_is_demanded_without_thinking_where_both_cannot_be(wire: Wire) {
    let bench = Bench::new(wire).await;
    let asked = [Message::user("hi")];
    let tools = [read_tool(), resolve_tool()];
    let request = Request::new(&bench.model)
        .messages(&asked)
        .tools(&tools)
        .tool_choice(ToolChoice::Tool("resolve".to_owned()))
        .thinking(ThinkingLevel::High);
    ask(&bench, &request).await;
    check(&bench, wire, "forced");
    let capabilities = bench.provider.capabilities(&bench.model);
    assert_eq!(capabilities.forced_tool, ForcedTool::Named);
    assert_eq!(capabilities.thinking_with_forced_tool, !matches!(wire, Wire::Anthropic | Wire::Bedrock));
}

async fn any_call_demanded_and_none_allowed(wire: Wire) {
    let bench = Bench::new(wire).await;
    let asked = [Message::user("hi")];
    let tools = [read_tool()];
    let request = Request::new(&bench.model).messages(&asked).tools(&tools);
    let choice = |body: &Value| match wire {
        Wire::Gemini => body["toolConfig"]["functionCallingConfig"].clone(),
        Wire::Bedrock => body["toolConfig"]["toolChoice"].clone(),
        _ => body["tool_choice"].clone(),
    };
    for (asked_for, sent) in [
        (
            ToolChoice::Required,
            match wire {
                Wire::Anthropic => json!({ "type": "any" }),
                Wire::Gemini => json!({ "mode": "ANY" }),
                Wire::Bedrock => json!({ "any": {} }),
                _ => json!("required"),
            },
        ),
        (
            ToolChoice::None,
            match wire {
                Wire::Anthropic => json!({ "type": "none" }),
                Wire::Gemini => json!({ "mode": "NONE" }),
                // The format cannot say it.
                Wire::Bedrock => Value::Null,
                _ => json!("none"),
            },
        ),
        (ToolChoice::Auto, Value::Null),
    ] {
        ask(&bench, &request.clone().tool_choice(asked_for.clone())).await;
        assert_eq!(choice(&bench.server.last_request().body), sent, "{asked_for:?}");
    }
    // Without tools there is nothing to choose, and some providers refuse the question.
    let request =
        Request::new(&bench.model).messages(&asked).tool_choice(ToolChoice::Tool("read".to_owned()));
    ask(&bench, &request).await;
    assert_eq!(choice(&bench.server.last_request().body), Value::Null);
    // Nor does a tool that is not on offer go well.
    ask(&bench, &request.tools(&tools).tool_choice(ToolChoice::Tool("gone".to_owned()))).await;
    assert_eq!(choice(&bench.server.last_request().body), Value::Null);
}

async fn a_conversation_with_another_model_and_one_that_was_interrupted(wire: Wire) {
    let bench = Bench::new(wire).await;
    let mut other = answered(
        &bench,
        Reply::new().thinking(["Secret thoughts."], Some("SIGNED BY ANOTHER")).text("Done.").call(
            "toolu:01/with|odd characters and far more of them than any provider would take",
            "read",
            &json!({ "path": "x" }),
        ),
    )
    .await;
    "another".clone_into(&mut other.model);
    let mut broken = AssistantMessage::default();
    for block in [
        json!({ "type": "text", "text": "" }),
        json!({ "type": "thinking", "thinking": "unsigned" }),
        json!({ "type": "toolCall", "id": "call_c", "name": "read", "arguments": {}, "rawArguments": "{\"pa" }),
        json!({ "type": "toolCall", "id": "call_c", "name": "read", "arguments": { "path": "y" } }),
    ] {
        broken.content.push(serde_json::from_value(block).unwrap());
    }
    let id = other.tool_calls().next().unwrap().id.clone();
    let history = [
        Message::user("hi"),
        Message::Assistant(other),
        Message::ToolResult(result(&id, Vec::new())),
        Message::ToolResult(result("nobody asked", vec![ContentBlock::text("?")])),
        Message::Assistant(broken),
        Message::ToolResult(result("call_c", vec![ContentBlock::text("first of two")])),
        Message::User(InputMessage::new(vec![ContentBlock::text("  ")])),
        Message::Assistant(AssistantMessage::default()),
        Message::user("go on"),
    ];
    let tools = [read_tool()];
    ask(&bench, &Request::new(&bench.model).messages(&history).tools(&tools)).await;
    check(&bench, wire, "mended");
}

async fn a_model_that_sees_no_images_gets_a_note(wire: Wire) {
    let mut bench = Bench::new(wire).await;
    bench.model.images = false;
    let history = [Message::User(InputMessage::new(vec![ContentBlock::text("see"), image()]))];
    ask(&bench, &Request::new(&bench.model).messages(&history)).await;
    let body = bench.server.last_request().body.to_string();
    assert!(body.contains("image omitted") && !body.contains("iVBORw0KGgo="), "{body}");
    assert!(!bench.provider.capabilities(&bench.model).images);
}

#[tokio::test]
async fn thinking_is_asked_for_in_each_models_own_way() {
    let asked = [Message::user("hi")];
    let sent = async |wire: Wire, thinking: Thinking, level: ThinkingLevel| {
        let mut bench = Bench::new(wire).await;
        bench.model.thinking = thinking;
        ask(&bench, &Request::new(&bench.model).messages(&asked).thinking(level)).await;
        bench.server.last_request().body
    };
    let words = |words: &[&str]| {
        let mut thinking = Thinking::default();
        thinking.efforts = words.iter().map(|&word| word.to_owned()).collect();
        thinking
    };
    let mut adaptive = words(&["low", "medium", "high", "xhigh", "max"]);
    adaptive.adaptive = true;
    let body = sent(Wire::Anthropic, adaptive.clone(), ThinkingLevel::Xhigh).await;
    assert_eq!(body["thinking"], json!({ "type": "adaptive", "display": "summarized" }));
    assert_eq!(body["output_config"], json!({ "effort": "xhigh" }));
    let body = sent(Wire::Anthropic, adaptive.clone(), ThinkingLevel::Off).await;
    assert_eq!((&body["thinking"], &body["output_config"]), (&Value::Null, &json!({ "effort": "low" })));
    adaptive.off = Some("disabled".to_owned());
    let body = sent(Wire::Anthropic, adaptive, ThinkingLevel::Off).await;
    assert_eq!((&body["thinking"], &body["output_config"]), (&json!({ "type": "disabled" }), &Value::Null));

    let mut budget = Thinking::default();
    budget.budget = Some((1024, 100_000));
    let body = sent(Wire::Anthropic, budget.clone(), ThinkingLevel::Xhigh).await;
    assert_eq!(body["thinking"], json!({ "type": "enabled", "budget_tokens": 32_768 }));
    assert_eq!(body["max_tokens"], 32_768 + 8192, "room for the answer");
    let body = sent(Wire::Gemini, budget, ThinkingLevel::Low).await;
    assert_eq!(
        body["generationConfig"]["thinkingConfig"],
        json!({ "includeThoughts": true, "thinkingBudget": 2048 })
    );

    let gpt = words(&["none", "low", "high"]);
    let body = sent(Wire::Responses, gpt.clone(), ThinkingLevel::Off).await;
    assert_eq!(body["reasoning"], json!({ "effort": "none" }));
    let body = sent(Wire::Responses, gpt.clone(), ThinkingLevel::Medium).await;
    assert_eq!(body["reasoning"], json!({ "effort": "low", "summary": "auto" }), "the next below");
    let body = sent(Wire::Chat, gpt, ThinkingLevel::Minimal).await;
    assert_eq!(body["reasoning_effort"], "low", "never none when thinking was asked for");
    let body = sent(Wire::Chat, Thinking::default(), ThinkingLevel::High).await;
    assert_eq!(body["reasoning_effort"], Value::Null, "a model that cannot think is not asked to");
}

#[tokio::test]
async fn quirks_change_what_is_sent() {
    let mut quirks = Quirks::default();
    quirks.max_completion_tokens = true;
    quirks.developer_role = Some("developer".to_owned());
    quirks.short_call_ids = true;
    quirks.reasoning = toolsmith_llm::ReasoningParameter::Object;
    quirks.forced_tool = Some(ForcedTool::Required);
    let bench = Bench::configured(Wire::Chat, |config: ProviderConfig| config.quirks(quirks)).await;
    let mut said = AssistantMessage::default();
    let call = json!({ "type": "toolCall", "id": "call_1", "name": "read", "arguments": {} });
    said.content.push(serde_json::from_value::<AssistantBlock>(call).unwrap());
    let history = [
        Message::user("hi"),
        Message::Assistant(said),
        Message::ToolResult(result("call_1", vec![ContentBlock::text("x")])),
        Message::developer("be brief"),
    ];
    let request = Request::new(&bench.model).messages(&history).max_tokens(10).thinking(ThinkingLevel::High);
    ask(&bench, &request).await;
    let body = bench.server.last_request().body;
    assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(10), &Value::Null));
    assert_eq!(body["reasoning"], json!({ "effort": "high" }));
    assert_eq!(body["messages"][3], json!({ "role": "developer", "content": "be brief" }));
    let id = body["messages"][2]["tool_call_id"].as_str().unwrap();
    assert!(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
    assert_eq!(body["messages"][1]["tool_calls"][0]["id"], id);
    assert_eq!(bench.provider.capabilities(&bench.model).forced_tool, ForcedTool::Required);
}

#[tokio::test]
async fn older_gemini_models_get_images_in_a_turn_of_their_own_and_no_ids() {
    let mut bench = Bench::new(Wire::Gemini).await;
    "gemini-2.5-pro".clone_into(&mut bench.model.id);
    let said = answered(&bench, Reply::new().call("id_a", "read", &json!({ "path": "a.png" }))).await;
    let history =
        [Message::user("hi"), Message::Assistant(said), Message::ToolResult(result("id_a", vec![image()]))];
    ask(&bench, &Request::new(&bench.model).messages(&history)).await;
    assert_eq!(
        bench.server.last_request().body["contents"],
        json!([
            { "role": "user", "parts": [{ "text": "hi" }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "read", "args": { "path": "a.png" } } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "read", "response": { "output": "(see the image)" } } }] },
            { "role": "user", "parts": [{ "inlineData": { "mimeType": "image/png", "data": "iVBORw0KGgo=" } }] },
        ])
    );
}

#[tokio::test]
async fn claude_takes_reminders_as_the_system_where_it_can() {
    let mut bench = Bench::new(Wire::Anthropic).await;
    bench.model.inline_system = true;
    let history = [Message::developer("first"), Message::user("hi"), Message::developer("be brief")];
    ask(&bench, &Request::new(&bench.model).messages(&history)).await;
    let body = bench.server.last_request().body;
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "system"]);
}

/// A provider's own headers win over the wire's, so that a gateway can be talked to in its own way.
#[tokio::test]
async fn headers_of_the_settings_replace_those_of_the_wire() {
    let bench = Bench::configured(Wire::Anthropic, |config| {
        config
            .header("Anthropic-Version", toolsmith_llm::Secret::new("2099-01-01"))
            .header("X-Api-Key", toolsmith_llm::Secret::new("another-key"))
    })
    .await;
    let asked = [Message::user("hi")];
    ask(&bench, &Request::new(&bench.model).messages(&asked)).await;
    let request = bench.server.last_request();
    assert_eq!(request.header("anthropic-version"), Some("2099-01-01"));
    assert_eq!(request.header("x-api-key"), Some("another-key"));
    assert!(!request.headers.iter().any(|(_, value)| value.contains(KEY)));
}

/// Seven tools and a system prompt fit in a few kilobytes; the rest is the caller's.
#[tokio::test]
async fn a_request_adds_little_of_its_own() {
    for wire in Wire::ALL {
        let bench = Bench::new(wire).await;
        let tools: Vec<ToolDefinition> = (0..7).map(|_| resolve_tool()).collect();
        let asked = [Message::user("hi")];
        ask(&bench, &Request::new(&bench.model).messages(&asked).tools(&tools)).await;
        let bytes = bench.server.last_request().body_bytes;
        assert!(bytes < 1500, "{wire:?}: {bytes} bytes");
    }
}

/// A provider refuses the whole request on account of one such tool.
async fn a_tool_whose_schema_providers_refuse_is_described_so_that_they_do_not(wire: Wire) {
    let bench = Bench::new(wire).await;
    let parameters = json!({
        "oneOf": [
            { "type": "object", "properties": { "kind": { "const": "file" }, "path": { "type": "string" } }, "required": ["kind", "path"] },
            { "type": "object", "properties": { "kind": { "const": "list" }, "items": { "type": "array" } }, "required": ["kind"] },
        ],
    });
    let tools = [ToolDefinition::new("choose", "Does one of two things", parameters).strict(true)];
    let asked = [Message::user("Choose.")];
    ask(&bench, &Request::new(&bench.model).messages(&asked).tools(&tools)).await;
    let body = bench.server.last_request().body;
    let sent = match wire {
        Wire::Anthropic => &body["tools"][0]["input_schema"],
        Wire::Responses => &body["tools"][0]["parameters"],
        Wire::Chat => &body["tools"][0]["function"]["parameters"],
        Wire::Bedrock => &body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"],
        _ => &body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"],
    };
    let expected = json!({
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["file", "list"] },
            "path": { "type": "string" },
            "items": { "type": "array", "items": {} },
        },
        "required": ["kind"],
        "description": "Give one of: {kind: \"file\", path} or {kind: \"list\"}.",
    });
    assert_eq!(sent, &expected);
    assert!(!body.to_string().contains("\"strict\":true"), "{body}");
}
