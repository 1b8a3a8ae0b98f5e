//! CONTRACT 2.6, 5.1, 5.2: unique names, one registry for all kinds, the first active set.

use std::sync::Arc;

use serde_json::json;
use toolsmith_tool::{
    Origin, OriginKind, Registry, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

struct Fixed(ToolSpec);

#[async_trait]
impl Tool for Fixed {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    async fn execute(&self, _call: ToolCall, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::default())
    }
}

fn tool(spec: ToolSpec) -> Arc<dyn Tool> {
    Arc::new(Fixed(spec))
}

fn named(name: &str) -> Arc<dyn Tool> {
    tool(ToolSpec::new(name, "d"))
}

fn active(registry: &Registry) -> Vec<String> {
    registry.active().map(|registered| registered.tool.spec().name.clone()).collect()
}

fn sample() -> Registry {
    let mut registry = Registry::new();
    for name in ["read", "write"] {
        registry.register(named(name), Origin::built_in()).unwrap();
    }
    registry.register(tool(ToolSpec::new("resolve", "d").hidden(true)), Origin::built_in()).unwrap();
    for (name, kind) in [
        ("stats", OriginKind::Custom),
        ("ext", OriginKind::Extension),
        ("given", OriginKind::Sdk),
        ("remote", OriginKind::Mcp),
    ] {
        registry.register(named(name), Origin::new(kind, "somewhere")).unwrap();
    }
    registry
        .register(
            tool(ToolSpec::new("secret", "d").hidden(true)),
            Origin::new(OriginKind::Custom, "secret.ts"),
        )
        .unwrap();
    registry
}

#[test]
fn c2_6_a_clash_is_rejected_saying_where_the_winner_came_from() {
    let mut registry = sample();
    let custom = Origin::new(OriginKind::Custom, ".toolsmith/tools/read.ts");
    let error = registry.register(named("read"), custom.clone()).unwrap_err().to_string();
    assert_eq!(error, "Tool name \"read\" conflicts with existing tool (built-in)");
    registry.register(named("mine"), custom).unwrap();
    // The rule holds for tools of the embedding program too.
    let error = registry.register(named("mine"), Origin::new(OriginKind::Sdk, "")).unwrap_err().to_string();
    assert_eq!(
        error,
        "Tool name \"mine\" conflicts with existing tool (custom tool, .toolsmith/tools/read.ts)"
    );
    assert_eq!(registry.get("mine").unwrap().origin.kind, OriginKind::Custom, "the first one stays");
}

#[test]
fn an_unusable_schema_or_name_is_an_error_at_registration() {
    let mut registry = Registry::new();
    let broken = ToolSpec::new("broken", "d")
        .parameters(json!({ "type": "object", "properties": { "a": { "type": "text" } } }));
    let error = registry.register(tool(broken), Origin::built_in()).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "Tool \"broken\" has invalid parameters: not a valid JSON Schema at /properties/a/type"
        ),
        "{error}"
    );
    for name in ["", "s\u{200b}me", &"x".repeat(300)] {
        assert!(registry.register(named(name), Origin::built_in()).is_err(), "{name}");
    }
    assert_eq!(registry.iter().count(), 0);
}

#[test]
fn c5_2_without_a_list_everything_but_hidden_tools_is_active() {
    let mut registry = sample();
    assert!(active(&registry).is_empty(), "nothing is active before it is said");
    registry.activate_initial(None).unwrap();
    assert_eq!(active(&registry), ["read", "write", "stats", "ext", "given", "remote"]);
}

#[test]
fn c5_2_custom_tools_are_active_whatever_the_list_says() {
    let mut registry = sample();
    registry.activate_initial(Some(&["write".to_owned()])).unwrap();
    assert_eq!(active(&registry), ["write", "stats", "ext", "given", "remote"]);
    registry.activate_initial(Some(&[])).unwrap();
    assert_eq!(active(&registry), ["stats", "ext", "given", "remote"]);
}

#[test]
fn c5_2_hidden_tools_need_to_be_named() {
    let mut registry = sample();
    registry.activate_initial(Some(&["secret".to_owned(), "resolve".to_owned()])).unwrap();
    assert_eq!(active(&registry), ["resolve", "stats", "ext", "given", "remote", "secret"]);
}

#[test]
fn c5_2_an_unknown_name_is_an_error_with_the_closest_names() {
    let mut registry = sample();
    registry.activate_initial(None).unwrap();
    let before = active(&registry);
    let error =
        registry.activate_initial(Some(&["raed".to_owned(), "zzz".to_owned()])).unwrap_err().to_string();
    assert_eq!(
        error,
        "Unknown tools: \"raed\" (did you mean read?), \"zzz\". Known tools: read, write, resolve, stats, ext, given, remote, secret"
    );
    assert!(
        registry
            .set_active(&["nope".to_owned()])
            .unwrap_err()
            .to_string()
            .starts_with("Unknown tool: \"nope\"")
    );
    assert_eq!(active(&registry), before, "nothing changed");
}

#[test]
fn tools_come_and_go_while_a_session_runs() {
    let mut registry = sample();
    registry.activate_initial(None).unwrap();
    assert!(registry.set_tool_active("resolve", true) && registry.is_active("resolve"));
    assert!(registry.set_tool_active("resolve", false) && !registry.is_active("resolve"));
    assert!(!registry.set_tool_active("nobody", true));
    assert!(registry.unregister("stats").is_some());
    assert!(!registry.is_active("stats") && registry.get("stats").is_none());
    registry.register(named("stats"), Origin::new(OriginKind::Custom, "new.ts")).unwrap();
}

#[test]
fn c5_1_arguments_are_compiled_once_and_found_with_the_tool() {
    let mut registry = Registry::new();
    let spec = ToolSpec::new("t", "d").parameters(
        json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }),
    );
    registry.register(tool(spec), Origin::built_in()).unwrap();
    let prepared = registry.get("t").unwrap().arguments.prepare_text("t", "{\"n\": \"5\"}").unwrap();
    assert_eq!(prepared.arguments, json!({ "n": 5 }));
}
