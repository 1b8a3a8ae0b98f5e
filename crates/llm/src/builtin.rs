//! Built-in providers, which need no settings beyond a key: URL, wire format and quirks of each.

use crate::{
    config::{ApiKind, KeySource, ProviderConfig, Quirks, ReasoningParameter},
    model::ForcedTool,
};

/// Default base URLs of local servers, by provider name.
pub(crate) const LOCAL_SERVERS: &[(&str, &str)] = &[
    ("ollama", "http://127.0.0.1:11434/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("lmstudio", "http://127.0.0.1:1234/v1"),
];

/// The default model of each provider that has one.
pub(crate) const DEFAULT_MODELS: &[(&str, &str)] = &[
    ("anthropic", "claude-sonnet-5-5"),
    ("openai", "gpt-6-sol"),
    ("google", "gemini-3.8-flash"),
    ("openrouter", "anthropic/claude-sonnet-5.5"),
    ("xai", "grok-4.7"),
    ("mistral", "mistral-medium-latest"),
    ("groq", "openai/gpt-oss-120b"),
    ("cerebras", "gpt-oss-120b"),
    ("together", "openai/gpt-oss-120b"),
    ("deepseek", "deepseek-v4-pro"),
    ("zai", "glm-5.3"),
    ("azure", "gpt-5.5"),
    ("amazon-bedrock", "global.anthropic.claude-sonnet-4-6"),
    ("google-vertex", "gemini-3.1-pro-preview"),
    ("google-vertex-anthropic", "claude-sonnet-4-6@default"),
];

/// Returns all built-in providers, in the order they are tried.
pub(crate) fn providers() -> Vec<ProviderConfig> {
    use ApiKind::{
        AnthropicMessages, AzureResponses, BedrockConverse, GoogleGemini, GoogleVertex, OpenAiChat,
        OpenAiResponses, VertexAnthropic,
    };
    let quirks = Quirks::default;
    let demand = |forced_tool| Quirks { forced_tool: Some(forced_tool), ..quirks() };
    let silent = |quirks: Quirks| Quirks { reasoning: ReasoningParameter::None, ..quirks };
    let openai_quirks = Quirks {
        max_completion_tokens: true,
        developer_role: Some("developer".to_owned()),
        prompt_cache_key: true,
        ..quirks()
    };
    let mut openai_chat =
        entry("openai-chat", OpenAiChat, "https://api.openai.com/v1", &["OPENAI_API_KEY"], openai_quirks);
    openai_chat.catalog = Some("openai".to_owned());
    vec![
        entry(
            "anthropic",
            AnthropicMessages,
            "https://api.anthropic.com",
            &["ANTHROPIC_API_KEY"],
            Quirks { eager_tool_input: true, ..quirks() },
        ),
        entry("openai", OpenAiResponses, "https://api.openai.com/v1", &["OPENAI_API_KEY"], quirks()),
        openai_chat,
        entry(
            "google",
            GoogleGemini,
            "https://generativelanguage.googleapis.com",
            &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            quirks(),
        ),
        entry(
            "openrouter",
            OpenAiChat,
            "https://openrouter.ai/api/v1",
            &["OPENROUTER_API_KEY"],
            Quirks { reasoning: ReasoningParameter::Object, ..quirks() },
        ),
        entry("xai", OpenAiChat, "https://api.x.ai/v1", &["XAI_API_KEY"], quirks()),
        entry(
            "mistral",
            OpenAiChat,
            "https://api.mistral.ai/v1",
            &["MISTRAL_API_KEY"],
            silent(Quirks { short_call_ids: true, ..quirks() }),
        ),
        entry(
            "groq",
            OpenAiChat,
            "https://api.groq.com/openai/v1",
            &["GROQ_API_KEY"],
            Quirks { max_completion_tokens: true, ..quirks() },
        ),
        entry(
            "cerebras",
            OpenAiChat,
            "https://api.cerebras.ai/v1",
            &["CEREBRAS_API_KEY"],
            Quirks { max_completion_tokens: true, ..quirks() },
        ),
        entry("together", OpenAiChat, "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], quirks()),
        entry("deepseek", OpenAiChat, "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], silent(quirks())),
        entry(
            "zai",
            OpenAiChat,
            "https://api.z.ai/api/paas/v4",
            &["ZAI_API_KEY"],
            silent(demand(ForcedTool::None)),
        ),
        entry(
            "azure",
            AzureResponses,
            "https://{resource}.openai.azure.com/openai/v1",
            &["AZURE_OPENAI_API_KEY"],
            quirks(),
        ),
        of_cloud(
            "amazon-bedrock",
            BedrockConverse,
            "https://bedrock-runtime.{region}.amazonaws.com",
            &["AWS_BEARER_TOKEN_BEDROCK"],
        ),
        of_cloud(
            "google-vertex",
            GoogleVertex,
            "https://{host}/v1/projects/{project}/locations/{location}/publishers/google",
            &["GOOGLE_CLOUD_API_KEY"],
        ),
        of_cloud(
            "google-vertex-anthropic",
            VertexAnthropic,
            "https://{host}/v1/projects/{project}/locations/{location}/publishers/anthropic",
            &[],
        ),
        entry("ollama", OpenAiChat, local("ollama"), &[], demand(ForcedTool::None)),
        entry("lmstudio", OpenAiChat, local("lmstudio"), &[], demand(ForcedTool::Required)),
        entry("llama.cpp", OpenAiChat, local("llama.cpp"), &[], silent(demand(ForcedTool::Required))),
        entry("vllm", OpenAiChat, "http://127.0.0.1:8000/v1", &[], quirks()),
    ]
}

/// Quirks assumed for an unknown chat server: all accept `required`, but not all accept a tool name.
pub(crate) fn stranger(name: &str, base_url: &str) -> ProviderConfig {
    ProviderConfig::new(name, ApiKind::OpenAiChat, base_url)
        .quirks(Quirks { forced_tool: Some(ForcedTool::Required), ..Quirks::default() })
}

fn entry(name: &str, api: ApiKind, base_url: &str, variables: &[&str], quirks: Quirks) -> ProviderConfig {
    let key = if variables.is_empty() {
        KeySource::None
    } else {
        KeySource::Env(variables.iter().map(|&name| name.to_owned()).collect())
    };
    ProviderConfig::new(name, api, base_url).key(key).quirks(quirks)
}

/// A provider that also accepts the credentials of its cloud's own tools. Words in braces come from the environment.
fn of_cloud(name: &str, api: ApiKind, base_url: &str, variables: &[&str]) -> ProviderConfig {
    let variables = variables.iter().map(|&name| name.to_owned()).collect();
    ProviderConfig::new(name, api, base_url).key(KeySource::Cloud(variables))
}

fn local(name: &str) -> &'static str {
    LOCAL_SERVERS.iter().find(|(known, _)| *known == name).map_or("", |(_, base_url)| *base_url)
}
