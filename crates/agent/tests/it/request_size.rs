//! What every request costs before anything is said.

use std::{path::Path, sync::Arc};

use serde_json::json;
use toolsmith_agent::{Agent, Dispatcher, SystemPrompt};
use toolsmith_builtins::{TodoTool, Todos, register_built_in_tools};
use toolsmith_llm::{ApiKind, Environment, HttpProvider, KeySource, Model, ProviderConfig, Secret};
use toolsmith_testkit::{ModelServer, Reply, agent::Probe};
use toolsmith_tool::{Origin, OriginKind, Registry, Tier, ToolSpec};

#[tokio::test]
async fn the_first_request_with_all_built_in_tools_and_a_custom_one_is_below_six_kilobytes() {
    let cwd = Path::new("/srv/somebody/projects/something");
    let mut registry = Registry::new();
    register_built_in_tools(&mut registry, cwd, None).unwrap();
    registry.register(Arc::new(TodoTool::new(Todos::default())), Origin::built_in()).unwrap();
    let custom =
        ToolSpec::new("repo_stats", "Counts files and lines in the repository, by language, with a limit")
            .approval(Tier::Read)
            .parameters(json!({
                "type": "object",
                "properties": {
                    "glob": { "type": "string", "description": "Which files to count" },
                    "byLanguage": { "type": "boolean", "description": "Group the counts by language" },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 50 },
                },
                "required": ["glob"],
            }));
    let custom = Probe::new(custom, |_, _| async { panic!("never called") });
    registry.register(Arc::new(custom), Origin::new(OriginKind::Custom, "tools/repo_stats.ts")).unwrap();
    registry.activate_initial(None).unwrap();
    for api in
        [ApiKind::AnthropicMessages, ApiKind::OpenAiResponses, ApiKind::OpenAiChat, ApiKind::GoogleGemini]
    {
        let server = ModelServer::start().await.unwrap();
        server.push(Reply::new().text("ok"));
        let config = ProviderConfig::new("bench", api, server.url())
            .key(KeySource::Literal(Secret::new("sk-test-0123456789")));
        let provider = HttpProvider::new(config, Environment::new(|_| None));
        let agent = Agent::builder()
            .model(Arc::new(provider), Model::unknown("bench", "test-model"))
            .dispatcher(Dispatcher::builder(registry.clone()).build())
            .system_prompt(SystemPrompt::for_folder(cwd, None))
            .build()
            .unwrap();
        agent.run("Fix the failing test in src/parser.rs").await.unwrap();
        let bytes = server.last_request().body_bytes;
        println!("{bytes} bytes over {api:?}");
        assert!(bytes <= 6 * 1024, "{bytes} bytes over {api:?}");
    }
}
