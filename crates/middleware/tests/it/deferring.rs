//! Deferred tools: many cost no more than a few, and a search loads them.

use std::sync::Arc;

use serde_json::json;
use toolsmith_agent::{Agent, Dispatcher, SharedRegistry};
use toolsmith_llm::{Script, ScriptedProvider, Turn};
use toolsmith_middleware::{DeferredTools, TOOL_SEARCH};
use toolsmith_session::{CurrentSession, SessionLog};
use toolsmith_testkit::agent::{Probe, results, yolo};
use toolsmith_tool::{LoadMode, McpNames, Origin, OriginKind, Registry, Tier, ToolResult, ToolSpec};

fn remote(server: &str, name: &str) -> Probe {
    let spec = ToolSpec::new(format!("mcp__{server}__{name}"), format!("Works on {name} of {server}"))
        .approval(Tier::Read)
        .mcp(McpNames { server: server.to_owned(), tool: name.to_owned() })
        .parameters(json!({ "type": "object", "properties": { "text": { "type": "string", "description": "Any text" } } }));
    Probe::new(spec, |call, _| async move { Ok(ToolResult::text(format!("called {}", call.id))) })
}

fn add(registry: &mut Registry, tool: Probe, kind: OriginKind) {
    let name = toolsmith_tool::Tool::spec(&tool).name.clone();
    registry.register(Arc::new(tool), Origin::new(kind, "test")).unwrap();
    registry.set_tool_active(&name, true);
}

fn many(count: usize) -> Registry {
    let mut registry = Registry::new();
    for number in 0..count {
        add(&mut registry, remote("big", &format!("thing_{number}")), OriginKind::Mcp);
    }
    registry
}

fn agent(registry: &SharedRegistry, turns: Vec<Turn>) -> (Agent, ScriptedProvider) {
    continuing(&SessionLog::in_memory("."), registry, turns)
}

/// Creates an agent that continues a session.
fn continuing(log: &SessionLog, registry: &SharedRegistry, turns: Vec<Turn>) -> (Agent, ScriptedProvider) {
    let provider = ScriptedProvider::new(Script::new(turns));
    let dispatcher = Dispatcher::builder(registry.clone()).approval(yolo()).build();
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(dispatcher)
        .conversation(Arc::new(CurrentSession::new(log.clone())))
        .session(Arc::new(log.clone()))
        .hook(Arc::new(DeferredTools::new(registry.clone())))
        .build()
        .unwrap();
    (agent, provider)
}

fn offered(provider: &ScriptedProvider, request: usize) -> Vec<String> {
    provider.requests()[request].tools.iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn c13_1_five_hundred_tools_cost_the_first_request_no_more_than_twenty() {
    let mut costs = Vec::new();
    for count in [20, 500] {
        let registry = SharedRegistry::from(many(count));
        let (agent, provider) = agent(&registry, vec![Turn::new().text("ok")]);
        agent.run("hi").await.unwrap();
        let request = &provider.requests()[0];
        let bytes: usize = request
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len())
            .sum();
        costs.push((request.tools.len(), bytes));
    }
    assert_eq!(costs[0].0, 20);
    assert_eq!(costs[1].0, 1);
    assert!(costs[1].1 <= costs[0].1, "{costs:?}");
}

#[tokio::test]
async fn a_search_loads_tools_at_the_end_and_they_stay() {
    let registry = SharedRegistry::from(many(500));
    registry.write(|registry| add(registry, remote("small", "weather_report"), OriginKind::Mcp));
    registry.write(|registry| add(registry, Probe::echo("mine"), OriginKind::Custom));
    let turns = vec![
        Turn::new().call(TOOL_SEARCH, &json!({ "query": "thing_321" })),
        Turn::new().call("mcp__big__thing_321", &json!({})),
        Turn::new().text("done"),
        Turn::new().text("again"),
    ];
    let (agent, provider) = agent(&registry, turns);
    agent.run("go").await.unwrap();
    agent.run("more").await.unwrap();
    let first = offered(&provider, 0);
    assert_eq!(first, ["mcp__small__weather_report", "mine", TOOL_SEARCH]);
    for request in 1..4 {
        assert_eq!(offered(&provider, request)[..3], first[..], "the prefix stays the same");
        assert!(offered(&provider, request).contains(&"mcp__big__thing_321".to_owned()));
    }
    let texts = results(&agent);
    assert!(texts[0].contains("mcp__big__thing_321") && texts[1].starts_with("called"), "{texts:?}");
}

#[tokio::test]
async fn tools_that_a_search_loaded_are_offered_again_when_the_session_is_continued() {
    let log = SessionLog::in_memory(".");
    let registry = SharedRegistry::from(many(500));
    let search = Turn::new().call(TOOL_SEARCH, &json!({ "query": "thing_321" }));
    let (first, _) = continuing(&log, &registry, vec![search, Turn::new().text("done")]);
    first.run("go").await.unwrap();

    let registry = SharedRegistry::from(many(500));
    let (second, provider) = continuing(&log, &registry, vec![Turn::new().text("more")]);
    second.run("more").await.unwrap();
    assert!(offered(&provider, 0).contains(&"mcp__big__thing_321".to_owned()), "{:?}", offered(&provider, 0));

    // A server that is ready only after the first request.
    let registry = SharedRegistry::from(Registry::new());
    let turns = vec![Turn::new().text("one"), Turn::new().text("two")];
    let (third, provider) = continuing(&log, &registry, turns);
    third.run("first").await.unwrap();
    for number in 0..500 {
        registry.write(|registry| {
            add(registry, remote("big", &format!("thing_{number}")), OriginKind::Mcp);
        });
    }
    third.run("second").await.unwrap();
    assert!(offered(&provider, 1).contains(&"mcp__big__thing_321".to_owned()), "{:?}", offered(&provider, 1));
}

#[tokio::test]
async fn own_tools_can_be_deferred_and_found_too() {
    let mut registry = Registry::new();
    let spec = ToolSpec::new("rare_converter", "Converts furlongs to metres")
        .approval(Tier::Read)
        .load_mode(LoadMode::Discoverable);
    add(&mut registry, Probe::new(spec, |_, _| async { Ok(ToolResult::text("201")) }), OriginKind::Custom);
    let registry = SharedRegistry::from(registry);
    let turns =
        vec![Turn::new().call(TOOL_SEARCH, &json!({ "query": "convert furlongs" })), Turn::new().text("ok")];
    let (agent, provider) = agent(&registry, turns);
    agent.run("go").await.unwrap();
    assert_eq!(offered(&provider, 0), [TOOL_SEARCH]);
    assert_eq!(offered(&provider, 1), [TOOL_SEARCH, "rare_converter"]);
}

#[tokio::test]
async fn c5_6_tools_that_come_later_are_announced_and_not_offered() {
    let registry = SharedRegistry::from(many(2));
    let turns = vec![Turn::new().text("one"), Turn::new().text("two")];
    let (agent, provider) = agent(&registry, turns);
    agent.run("first").await.unwrap();
    registry.write(|registry| add(registry, remote("late", "arrival"), OriginKind::Mcp));
    agent.run("second").await.unwrap();
    let second = offered(&provider, 1);
    assert_eq!(second[..2], offered(&provider, 0)[..]);
    assert!(!second.contains(&"mcp__late__arrival".to_owned()), "{second:?}");
    let messages = format!("{:?}", provider.requests()[1].messages);
    assert!(messages.contains("New tools are available: mcp__late__arrival"), "{messages}");
}

#[tokio::test]
async fn names_of_mcp_tools_are_understood_as_models_write_them() {
    let registry = SharedRegistry::from(many(1));
    let turns = vec![Turn::new().call("mcp_big_thing_0", &json!({})), Turn::new().text("ok")];
    let (agent, _) = agent(&registry, turns);
    agent.run("go").await.unwrap();
    assert!(results(&agent)[0].starts_with("called"), "{:?}", results(&agent));
}
