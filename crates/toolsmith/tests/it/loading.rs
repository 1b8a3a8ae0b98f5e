//! Loading what was found (CONTRACT 2.1, 2.3, 2.6, 2.7).

use toolsmith::{ConfiguredFrom, ConfiguredPath, LoadScope, discover_and_load_custom_tools, engine_options};
use toolsmith_js::{Engine, EngineKind};
use toolsmith_tool::{OriginKind, Registry, ToolCall, ToolContext};

use crate::place::{Place, names, tool};

#[tokio::test(flavor = "multi_thread")]
async fn c2_1_one_call_finds_and_loads_everything() {
    let place =
        Place::with_tools(&["project/.toolsmith/tools/a.ts", "home/.codex/tools/b.ts", "project/c.ts"]);
    let paths = [ConfiguredPath::new("c.ts", ConfiguredFrom::Program)];
    let options = place.options();
    let loaded =
        discover_and_load_custom_tools(&paths, &place.cwd(), &["read"], &options, &place.engine()).await;
    assert_eq!(names(&loaded), ["a", "b", "c"]);
    assert!(loaded.errors.is_empty());
    // They can be called at once.
    let result = loaded.tools[0]
        .tool
        .execute(ToolCall::new("1", serde_json::json!({})), ToolContext::detached())
        .await;
    assert!(!result.unwrap().is_error);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_3_declarative_files_are_refused_by_the_loader() {
    for file in ["tool.md", "tool.json"] {
        let place = Place::new(&[(&format!("project/{file}"), "{}")]).given(file);
        let loaded = place.load().await;
        assert_eq!(
            loaded.errors[0].message,
            "Declarative tool files (.md, .json) cannot be loaded as executable modules"
        );
        assert_eq!(loaded.errors[0].source_of_path.to_string(), "Config --tool, given");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_6_names_are_unique_and_the_loser_hears_of_the_winner() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/first.ts", &tool("same")),
        ("project/.toolsmith/tools/second.ts", &tool("same")),
        ("home/.claude/tools/built.ts", &tool("bash")),
    ]);
    let loaded = place.load_with(&["bash"], LoadScope::Call).await;
    assert_eq!(names(&loaded), ["same"]);
    let messages: Vec<&str> = loaded.errors.iter().map(|error| error.message.as_str()).collect();
    let winner = place.path("project/.toolsmith/tools/first.ts");
    let expected =
        format!("Tool name \"same\" conflicts with existing tool (custom tool, {})", winner.display());
    assert_eq!(messages, [expected.as_str(), "Tool name \"bash\" conflicts with existing tool (built-in)"]);
    assert_eq!(loaded.errors[0].path, place.path("project/.toolsmith/tools/second.ts"));
    assert_eq!(loaded.errors[1].source_of_path.to_string(), "Claude Code, user");
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_6_a_clash_costs_one_tool_of_a_module() {
    let several = "const t = (name) => ({ name, description: '', parameters: { type: 'object', properties: {} }, execute() {} });\n\
                   export default () => [t('one'), t('taken'), t('two')];";
    let place = Place::new(&[("project/.toolsmith/tools/a.ts", several)]);
    let loaded = place.load_with(&["taken"], LoadScope::Scan).await;
    assert_eq!(names(&loaded), ["one", "two"]);
    assert_eq!(loaded.errors.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_5_a_name_that_no_provider_accepts_loads_and_an_invisible_one_does_not() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/a.ts", &tool("odoo.search")),
        ("project/.toolsmith/tools/b.ts", &tool("a\\u200bb")),
    ]);
    let loaded = place.load().await;
    assert_eq!(names(&loaded), ["odoo.search"]);
    assert!(loaded.errors[0].message.contains("invisible characters"), "{}", loaded.errors[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_7_an_error_has_path_source_place_frame_and_hint() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/a.ts", "const x: number = 1;\n\nthrow new RangeError(`bad ${x}`);\n"),
        ("project/.toolsmith/tools/b.ts", &tool("b")),
        ("project/.toolsmith/tools/c.ts", "import 'not-there-at-all';\nexport default () => [];\n"),
        ("project/.toolsmith/tools/d.ts", "export default 7;\n"),
    ]);
    let loaded = place.load().await;
    assert_eq!(names(&loaded), ["b"]);
    assert_eq!(loaded.errors.len(), 3, "{:#?}", loaded.errors);
    let thrown = &loaded.errors[0];
    assert_eq!(thrown.path, place.path("project/.toolsmith/tools/a.ts"));
    assert_eq!(thrown.source_of_path.to_string(), "Toolsmith, project");
    assert_eq!(thrown.message, "Failed to load tool: RangeError: bad 1");
    let location = thrown.location.as_ref().unwrap();
    assert_eq!((location.line, location.file.clone()), (3, thrown.path.clone()));
    assert!(thrown.frame.as_ref().unwrap().contains("> 3 | throw new RangeError"));
    assert!(loaded.errors[1].hint.as_ref().unwrap().contains("npm install not-there-at-all"));
    assert!(loaded.errors[2].hint.as_ref().unwrap().contains("export default (pi)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_opts_out_is_no_error() {
    let place = Place::new(&[("project/.toolsmith/tools/a.ts", "export default () => null;")]);
    let loaded = place.load().await;
    assert!(loaded.tools.is_empty() && loaded.errors.is_empty());
    assert_eq!(loaded.opted_out.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_leave_tools_out() {
    let place = Place::with_tools(&["project/.toolsmith/tools/a.ts", "project/.toolsmith/tools/b.ts"]);
    place.write("home/.toolsmith/config.toml", "tools.disabled = [\"a\"]\n");
    let loaded = place.load().await;
    assert_eq!(names(&loaded), ["b"]);
    assert_eq!(loaded.disabled, ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_tools_are_loaded_in_order() {
    let place = Place::new(&[]);
    for number in 0..500 {
        place.write_tool(&format!("project/.toolsmith/tools/tool_{number:03}.js"));
    }
    let loaded = place.load().await;
    assert!(loaded.errors.is_empty(), "{:#?}", loaded.errors.first());
    let expected: Vec<String> = (0..500).map(|number| format!("tool_{number:03}")).collect();
    assert_eq!(names(&loaded), expected);
    let mut registry = Registry::new();
    for tool in &loaded.tools {
        assert_eq!(tool.origin().kind, OriginKind::Custom);
        registry.register(std::sync::Arc::clone(&tool.tool), tool.origin()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_goes_away_in_between_is_an_error() {
    let place = Place::with_tools(&["project/.toolsmith/tools/a.ts", "project/.toolsmith/tools/b.ts"]);
    let discovered = place.discover();
    std::fs::remove_file(place.path("project/.toolsmith/tools/a.ts")).unwrap();
    let loaded = toolsmith::load_custom_tools(discovered, &[], &[], &place.engine(), LoadScope::Call).await;
    assert_eq!(names(&loaded), ["b"]);
    assert_eq!(loaded.errors.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_7_a_module_has_the_memory_its_settings_give_it() {
    let greedy = "export default () => ({ name: 'NAME', description: '', parameters: { type: 'object', properties: {} },\n\
                  execute: async () => ({ content: [{ type: 'text', text: String('x'.repeat(8 << 20).length) }] }) });";
    let place = Place::new(&[
        ("project/.toolsmith/tools/small.ts", &greedy.replace("NAME", "small")),
        ("project/.toolsmith/tools/large.ts", &greedy.replace("NAME", "large")),
        ("home/.toolsmith/config.toml", "tools.small.memory = \"6MB\"\n"),
    ]);
    let discovered = place.discover();
    let engine = Engine::new(engine_options(&place.cwd(), &place.settings().settings, &discovered));
    let loaded = toolsmith::load_custom_tools(discovered, &[], &[], &engine, LoadScope::Call).await;
    assert_eq!(names(&loaded), ["large", "small"], "{:?}", loaded.errors);
    let call = |name: &str| {
        let tool = std::sync::Arc::clone(&loaded.get(name).unwrap().tool);
        async move { tool.execute(ToolCall::new("1", serde_json::json!({})), ToolContext::detached()).await }
    };
    assert!(call("large").await.is_ok());
    assert!(call("small").await.is_err());
    assert!(loaded.tools.iter().all(|tool| tool.engine == EngineKind::Embedded));
}
