//! No session and no model: the registry and the dispatcher alone, for a program that only wants to call tools.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolsmith::{
    ConfiguredFrom, ConfiguredPath, DiscoveryOptions, Home, LoadScope, Tier, ToolSpec,
    agent::{CallRequest, Dispatcher},
    discover_configured_paths,
    js::{Engine, EngineOptions},
    load_custom_tools, rust_tool,
    tool::{Origin, OriginKind, Registry},
};

const TOOL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tools/json_query.ts");

#[derive(Deserialize, JsonSchema)]
struct Add {
    numbers: Vec<i64>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = tempfile::tempdir()?;
    std::fs::write(
        project.path().join("trees.json"),
        r#"{ "trees": [{ "name": "oak" }, { "name": "elm" }] }"#,
    )?;

    // A module by its path, in an engine of its own.
    let paths = vec![ConfiguredPath::new(TOOL, ConfiguredFrom::Program)];
    let options = DiscoveryOptions::new(project.path(), Home::from_environment()?).configured(paths);
    let engine = Engine::new(EngineOptions::new(project.path()));
    let loaded =
        load_custom_tools(discover_configured_paths(&options), &[], &[], &engine, LoadScope::Call).await;

    let mut registry = Registry::new();
    for found in &loaded.tools {
        registry.register(found.tool.clone(), found.origin())?;
    }
    let add =
        rust_tool(ToolSpec::new("add", "Adds").approval(Tier::Read), |args: Add, _context| async move {
            Ok(args.numbers.iter().sum::<i64>().to_string())
        });
    registry.register(add, Origin::new(OriginKind::Sdk, "12-without-a-model"))?;

    // Every call takes the same path: repaired, validated, approved, run under a deadline, truncated.
    let dispatcher = Dispatcher::builder(registry).build();
    let calls = [
        CallRequest::new("1", "json_query", json!({ "file": "trees.json", "query": "trees[*].name" })),
        CallRequest::new("2", "add", r#"{ "numbers": "[1, 2, 39]" }"#),
        CallRequest::new("3", "add", "{}"),
        CallRequest::new("4", "ad", "{}"),
    ];
    for call in calls {
        let name = call.name.clone();
        let outcome = dispatcher.call(call).await;
        println!("{name}: {:?}, repaired: {}", outcome.end, outcome.is_repaired());
        println!("  {}", outcome.result.joined_text().replace('\n', "\n  "));
    }
    Ok(())
}
