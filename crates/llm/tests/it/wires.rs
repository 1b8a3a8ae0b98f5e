//! One scenario, every wire: a provider for each, at a server of its own.

use std::time::Duration;

use toolsmith_llm::{
    ApiKind, AssistantMessage, CancelToken, Environment, EventStream, HttpProvider, KeySource, LlmError,
    Message, Model, Price, Provider, ProviderConfig, Request, Secret, StreamEvent, Thinking, ToolDefinition,
};
use toolsmith_testkit::{ModelServer, Wire};

/// Long enough to be looked for in everything that is shown.
pub(crate) const KEY: &str = "sk-test-0123456789";

/// Runs each scenario over each wire, as a test of its own.
macro_rules! on_every_wire {
    ($($scenario:ident),* $(,)?) => {
        on_every_wire!(@ anthropic Anthropic: $($scenario),*);
        on_every_wire!(@ responses Responses: $($scenario),*);
        on_every_wire!(@ chat Chat: $($scenario),*);
        on_every_wire!(@ gemini Gemini: $($scenario),*);
        on_every_wire!(@ bedrock Bedrock: $($scenario),*);
    };
    (@ $module:ident $wire:ident: $($scenario:ident),*) => {
        mod $module {
            $(#[tokio::test]
            async fn $scenario() {
                super::$scenario(toolsmith_testkit::Wire::$wire).await;
            })*
        }
    };
}
pub(crate) use on_every_wire;

/// A server, a provider that talks to it, and a model that can do everything the wire can.
pub(crate) struct Bench {
    pub(crate) server: ModelServer,
    pub(crate) provider: HttpProvider,
    pub(crate) model: Model,
}

impl Bench {
    pub(crate) async fn new(wire: Wire) -> Self {
        Self::configured(wire, |config| config).await
    }

    pub(crate) async fn configured(
        wire: Wire,
        change: impl FnOnce(ProviderConfig) -> ProviderConfig,
    ) -> Self {
        let server = ModelServer::start().await.unwrap();
        let config = ProviderConfig::new("bench", api(wire), server.url())
            .key(KeySource::Literal(Secret::new(KEY)))
            .idle_timeout(Duration::from_secs(60));
        Self {
            provider: HttpProvider::new(change(config), Environment::new(|_| None)),
            server,
            model: model(wire),
        }
    }

    pub(crate) fn stream(&self, request: &Request<'_>) -> EventStream {
        self.provider.stream(request, CancelToken::new())
    }

    /// Asks something, and gives all events.
    pub(crate) async fn events(&self) -> Vec<StreamEvent> {
        let asked = [Message::user("hi")];
        let mut stream = self.stream(&Request::new(&self.model).messages(&asked));
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        events
    }

    /// Asks something.
    pub(crate) async fn answer(&self) -> Result<AssistantMessage, LlmError> {
        let asked = [Message::user("hi")];
        self.stream(&Request::new(&self.model).messages(&asked)).finish().await
    }
}

fn api(wire: Wire) -> ApiKind {
    match wire {
        Wire::Anthropic => ApiKind::AnthropicMessages,
        Wire::Responses => ApiKind::OpenAiResponses,
        Wire::Chat => ApiKind::OpenAiChat,
        Wire::Bedrock => ApiKind::BedrockConverse,
        _ => ApiKind::GoogleGemini,
    }
}

fn model(wire: Wire) -> Model {
    let id = match wire {
        Wire::Gemini => "gemini-3-test",
        Wire::Bedrock => "us.anthropic.claude-test-v1:0",
        _ => "test-model",
    };
    let mut model = Model::unknown("bench", id);
    model.images = true;
    model.max_output = 64_000;
    let mut thinking = Thinking::default();
    match wire {
        Wire::Anthropic | Wire::Bedrock => thinking.budget = Some((1024, 32_000)),
        _ => thinking.efforts = ["low", "medium", "high"].map(str::to_owned).to_vec(),
    }
    model.thinking = thinking;
    let mut price = Price::default();
    (price.input, price.output, price.cache_read, price.cache_write) = (2.0, 10.0, 0.2, 2.5);
    model.price = price;
    model
}

pub(crate) fn read_tool() -> ToolDefinition {
    let parameters = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "path": { "type": "string" } },
        "required": ["path"],
        "additionalProperties": false,
    });
    ToolDefinition::new("read", "Reads a file", parameters)
}

pub(crate) fn resolve_tool() -> ToolDefinition {
    ToolDefinition::new("resolve", "Decides", serde_json::json!({ "type": "object" }))
}
