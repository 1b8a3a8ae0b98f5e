//! Tools written as a function.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolsmith_agent::{CallEnd, CallRequest, Dispatcher};
use toolsmith_tool::{Origin, OriginKind, Registry, Stop, Tier};

use super::*;

/// For the reader of the code.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Slice {
    /// The text.
    text: String,
    #[serde(default)]
    first_word: u32,
    limit: Option<u8>,
    kind: Option<Kind>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Loud,
    Quiet,
}

fn slice() -> Arc<dyn Tool> {
    let spec = ToolSpec::new("slice", "Takes words").approval(Tier::Read);
    rust_tool(spec, |args: Slice, _context| async move {
        let words = args.text.split(' ').skip(usize::try_from(args.first_word)?);
        let words: Vec<&str> = words.take(args.limit.map_or(usize::MAX, usize::from)).collect();
        Ok(format!("{} {:?}", words.join(" "), args.kind))
    })
}

async fn call(tool: Arc<dyn Tool>, arguments: &str) -> (CallEnd, String) {
    let mut registry = Registry::new();
    let name = tool.spec().name.clone();
    registry.register(tool, Origin::new(OriginKind::Sdk, "")).unwrap();
    let outcome = Dispatcher::builder(registry).build().call(CallRequest::new("1", name, arguments)).await;
    (outcome.end, outcome.result.joined_text())
}

#[test]
fn the_schema_is_in_one_piece_and_speaks_no_rust() {
    let schema = slice().spec().parameters.clone();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(schema["properties"]["text"], json!({ "type": "string", "description": "The text." }));
    assert_eq!(schema["properties"]["firstWord"]["type"], "integer");
    let text = schema.to_string();
    assert!(text.contains("\"loud\"") && text.contains("\"minimum\":0"), "{text}");
    for foreign in ["$ref", "$schema", "uint", "Slice", "title", "reader"] {
        assert!(!text.contains(foreign), "{foreign} in {text}");
    }
}

#[test]
fn a_type_that_holds_itself_has_a_schema_too() {
    #[derive(Deserialize, JsonSchema)]
    struct Tree {
        #[expect(dead_code, reason = "only its schema matters")]
        children: Vec<Tree>,
    }
    let tool = rust_tool(ToolSpec::new("tree", ""), |_: Tree, _| async { Ok("") });
    assert!(Registry::new().register(tool, Origin::new(OriginKind::Sdk, "")).is_ok());
}

#[tokio::test]
async fn c4_2_arguments_are_mended_and_checked_before_the_function_runs() {
    let sloppy = r#"{ "text": "a b c d", "firstWord": "1", "limit": 2, "kind": null }"#;
    assert_eq!(call(slice(), sloppy).await, (CallEnd::Answered, "b c None".to_owned()));
    let (end, text) = call(slice(), r#"{ "firstWord": -1, "kind": "shrill" }"#).await;
    assert_eq!(end, CallEnd::InvalidArguments);
    assert!(text.contains("text") && text.contains("firstWord") && text.contains("kind"), "{text}");
}

#[tokio::test]
async fn arguments_only_the_struct_refuses_are_told() {
    #[derive(Deserialize, JsonSchema)]
    struct Address {
        #[schemars(with = "String")]
        #[expect(dead_code, reason = "it is never read")]
        host: std::net::IpAddr,
    }
    let tool =
        rust_tool(ToolSpec::new("ping", "").approval(Tier::Read), |_: Address, _| async { Ok("pong") });
    let (end, text) = call(tool, r#"{ "host": "nowhere" }"#).await;
    assert_eq!(
        (end, text.as_str()),
        (CallEnd::Answered, "Invalid arguments for \"ping\": invalid IP address syntax")
    );
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[tokio::test]
async fn c4_5_errors_are_told_with_their_causes() {
    #[derive(Debug, thiserror::Error)]
    #[error("no luck")]
    struct NoLuck(#[source] io::Error);

    let spec = || ToolSpec::new("fails", "").approval(Tier::Read);
    let tool = rust_tool(spec(), |_: Nothing, _| async {
        Err::<String, _>(NoLuck(io::Error::other("disk full")).into())
    });
    assert_eq!(call(tool, "{}").await, (CallEnd::Answered, "no luck: disk full".to_owned()));
    let tool = rust_tool(spec(), |_: Nothing, _| async { Err::<String, _>("plain words".into()) });
    assert_eq!(call(tool, "{}").await, (CallEnd::Answered, "plain words".to_owned()));
}

#[tokio::test]
async fn an_error_of_ours_keeps_its_meaning() {
    let tool = rust_tool(ToolSpec::new("fatal", "").approval(Tier::Read), |_: Nothing, _| async {
        Err::<String, _>(ToolError::Fatal("the end".to_owned()).into())
    });
    assert_eq!(call(tool, "{}").await.0, CallEnd::Fatal);
    let stopped = failure(ToolError::stopped(Stop::Stopped).into());
    assert_eq!(stopped, ToolError::stopped(Stop::Stopped));
}
