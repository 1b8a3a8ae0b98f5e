//! The client under test: connects to the suite's server with the MCP client of this repository and does what the scenario
//! asks for. A login is finished without a browser: the suite's authorization server answers with a redirect.

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use toolsmith::mcp_protocol::{
    ClientOptions, Servers,
    auth::{LoginPrompt, TokenFile, login},
    config::{ConfigOrigin, ServerConfig, Transport},
};
use toolsmith_tool::{DialogOptions, ToolCall, ToolContext, Ui, UiSlot, async_trait};

const NAME: &str = "suite";
/// The client metadata document that the suite expects.
const METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";
/// A person would not log in more often for one call.
const MAX_LOGINS: usize = 2;

/// Accepts every question with its defaults.
struct Accepting;

#[async_trait]
impl Ui for Accepting {
    async fn select(&self, _title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        options.first().cloned()
    }
    async fn confirm(&self, _title: &str, _message: &str, _dialog: DialogOptions) -> bool {
        true
    }
    async fn input(&self, _title: &str, placeholder: Option<&str>, _dialog: DialogOptions) -> Option<String> {
        Some(placeholder.unwrap_or_default().to_owned())
    }
}

/// Follows the authorization URL instead of a person.
#[derive(Default)]
struct Redirect {
    address: Mutex<Option<String>>,
}

#[async_trait]
impl LoginPrompt for Redirect {
    async fn show(&self, url: &str) {
        let address = toolsmith_testkit::follow_redirect(url).await.ok();
        *self.address.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = address;
    }
    async fn pasted(&self) -> String {
        let address = self.address.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        match address {
            Some(address) => address,
            None => std::future::pending().await,
        }
    }
}

/// Runs the scenario that the environment names against the server at `url`.
pub(crate) fn run(url: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(25), scenario(url)).await.context("took too long")?
    })
}

async fn scenario(url: &str) -> Result<()> {
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context: Value = std::env::var("MCP_CONFORMANCE_CONTEXT")
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let folder = tempfile::tempdir()?;
    let mut config = ServerConfig::new(
        NAME,
        ConfigOrigin::given(),
        Transport::Http { url: url.to_owned(), headers: BTreeMap::new() },
    );
    let text = |key: &str| context.get(key).and_then(Value::as_str).map(str::to_owned);
    config.oauth.client_id = text("client_id");
    config.oauth.client_secret = text("client_secret");
    config.oauth.client_metadata_url = Some(METADATA_URL.to_owned());
    let tokens = TokenFile::at(folder.path().join("tokens.json"));
    let ui = UiSlot::headless();
    ui.set(std::sync::Arc::new(Accepting));
    let options = ClientOptions::new(folder.path(), tokens.clone()).ui(ui.handle());
    let mut logins = 0;
    loop {
        let servers = Servers::new(vec![config.clone()], &options);
        let outcome = match servers.start(NAME).await {
            Ok(()) => act(&servers, &scenario, &context).await,
            Err(error) => Err(error.into()),
        };
        servers.close().await;
        // As a person does, who reads the error and runs the command it names.
        let error = match outcome {
            Err(error) if error.to_string().contains("toolsmith mcp login") && logins < MAX_LOGINS => {
                error.to_string()
            }
            outcome => return outcome,
        };
        logins += 1;
        if let Some((_, scope)) = error.split_once("--scope '") {
            let scope = scope.split('\'').next().unwrap_or_default();
            config.oauth.additional_scopes = scope.split_whitespace().map(str::to_owned).collect();
        }
        login(&config, folder.path(), &tokens, &Redirect::default()).await?;
    }
}

/// Calls every tool once, with arguments that fit its schema.
async fn act(servers: &Servers, scenario: &str, context: &Value) -> Result<()> {
    let tools = servers.tools_of(NAME);
    // Some scenarios say which calls to make.
    if let Some(calls) = context.get("toolCalls").and_then(Value::as_array) {
        for call in calls {
            let wanted = call["name"].as_str();
            let tool =
                tools.iter().find(|tool| tool.spec().mcp.as_ref().map(|mcp| mcp.tool.as_str()) == wanted);
            let tool = tool.with_context(|| format!("there is no tool {wanted:?}"))?;
            let call = ToolCall::new("1", call["arguments"].clone());
            if let Err(error) = tool.execute(call, ToolContext::detached()).await {
                eprintln!("{wanted:?}: {error}");
            }
        }
        return Ok(());
    }
    let mut schema = Value::Null;
    for tool in &tools {
        let spec = tool.spec();
        let name = spec.mcp.as_ref().map_or("", |mcp| mcp.tool.as_str());
        if name == "json_schema_2020_12_tool" {
            schema = Value::clone(&spec.parameters);
            continue;
        }
        let arguments = match scenario {
            "json-schema-2020-12-preservation" => json!({ "schema": schema }),
            _ => sample(&spec.parameters),
        };
        let outcome = tool.execute(ToolCall::new("1", arguments), ToolContext::detached()).await;
        if let Err(error) = outcome {
            if scenario.starts_with("auth/") {
                bail!("{error}");
            }
            eprintln!("{name}: {error}");
        }
    }
    Ok(())
}

/// Returns a value for each required property.
fn sample(schema: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let value = |property: &Value| match property.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => {
            property.get("enum").and_then(|options| options.get(0)).cloned().unwrap_or_else(|| json!("text"))
        }
    };
    Value::Object(properties.iter().map(|(name, property)| (name.clone(), value(property))).collect())
}
