//! One server's entry: the keys of this program, pi, Claude Code and codex, read into one type.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde_json::{Map, Value};
use toolsmith_host::location::quoted_word;
use toolsmith_tool::Tier;

use super::origin::ConfigOrigin;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
const DEFAULT_STARTUP: Duration = Duration::from_secs(10);
/// Longest accepted timeout: a day.
const MAX_TIMEOUT: Duration = Duration::from_secs(86_400);

/// When the model sees the tools of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exposure {
    /// In every request.
    Direct,
    /// After `tool_search` found them.
    Deferred,
    /// Never, unless named.
    Hidden,
}

impl Exposure {
    /// Returns the word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Deferred => "deferred",
            Self::Hidden => "hidden",
        }
    }

    fn parse(value: &Value) -> Result<Self, String> {
        match value.as_str() {
            Some("direct" | "always") => Ok(Self::Direct),
            // pi's default runs tools from scripts, which need a search to find them.
            Some("deferred" | "codemode") => Ok(Self::Deferred),
            Some("hidden") => Ok(Self::Hidden),
            _ => Err(format!("unknown exposure {value} (expected \"direct\", \"deferred\" or \"hidden\")")),
        }
    }
}

/// The user's decision about a tool's approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// The tool has this tier, whatever its hints say.
    Tier(Tier),
    /// Runs without asking.
    Allow,
    /// Always asks.
    Ask,
    /// Never runs.
    Deny,
}

impl Policy {
    fn parse(value: &Value) -> Result<Self, String> {
        Ok(match value.as_str() {
            Some("read") => Self::Tier(Tier::Read),
            Some("write") => Self::Tier(Tier::Write),
            Some("exec") => Self::Tier(Tier::Exec),
            Some("allow" | "approve") => Self::Allow,
            Some("ask" | "prompt" | "auto" | "writes") => Self::Ask,
            Some("deny") => Self::Deny,
            _ => {
                return Err(format!(
                    "unknown approval {value} (expected \"read\", \"write\", \"exec\", \"allow\", \"ask\" or \"deny\")"
                ));
            }
        })
    }
}

/// Settings of one tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolConfig {
    /// Its exposure, in place of the server's.
    pub exposure: Option<Exposure>,
    /// Its approval, in place of the tier from its hints.
    pub approval: Option<Policy>,
}

/// OAuth settings of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OAuthConfig {
    /// A client id that was registered by hand.
    pub client_id: Option<String>,
    /// Its secret; may be `${VAR}`.
    pub client_secret: Option<String>,
    /// Port of the loopback callback; any free one by default.
    pub callback_port: Option<u16>,
    /// Scopes to request, in place of those the server names.
    pub scopes: Vec<String>,
    /// Scopes to request in addition to those that the last login was granted.
    pub additional_scopes: Vec<String>,
    /// Name shown by the authorization server.
    pub client_name: Option<String>,
    /// Address of a client metadata document, which is the client id where the authorization server accepts one.
    pub client_metadata_url: Option<String>,
}

/// Transport of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// A process that speaks over its standard streams.
    Stdio {
        /// Program.
        command: String,
        /// Arguments.
        args: Vec<String>,
        /// Variables added to the environment.
        env: BTreeMap<String, String>,
        /// Working directory; the project by default.
        cwd: Option<PathBuf>,
    },
    /// A URL that speaks streamable HTTP.
    Http {
        /// The URL.
        url: String,
        /// Request headers.
        headers: BTreeMap<String, String>,
    },
    /// Neither: the entry only changes settings of a server defined elsewhere.
    Inherited,
}

/// A configured server. Values are not expanded yet; see [`super::Expander`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Name.
    pub name: String,
    /// Origin.
    pub origin: ConfigOrigin,
    /// Its transport.
    pub transport: Transport,
    /// Description for `tool_search` and for people.
    pub description: Option<String>,
    /// It is started with a session.
    pub enabled: bool,
    /// A run fails if the server cannot be started.
    pub required: bool,
    /// When the model sees its tools; decided by their size if `None`.
    pub exposure: Option<Exposure>,
    /// Settings of single tools, by the server's own names.
    pub tools: BTreeMap<String, ToolConfig>,
    /// The approval of tools without settings of their own.
    pub approval: Option<Policy>,
    /// The only tools to offer.
    pub enabled_tools: Option<Vec<String>>,
    /// Tools to leave out.
    pub disabled_tools: Vec<String>,
    /// Deadline of a call without progress.
    pub timeout: Duration,
    /// Deadline of the start.
    pub startup_timeout: Duration,
    /// OAuth settings.
    pub oauth: OAuthConfig,
    /// Values contain `${VAR}` and `!command`; codex's do not.
    pub expands: bool,
}

impl ServerConfig {
    /// Creates an entry with default settings.
    pub fn new(name: impl Into<String>, origin: ConfigOrigin, transport: Transport) -> Self {
        Self {
            name: name.into(),
            origin,
            transport,
            description: None,
            enabled: true,
            required: false,
            exposure: None,
            tools: BTreeMap::new(),
            approval: None,
            enabled_tools: None,
            disabled_tools: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            startup_timeout: DEFAULT_STARTUP,
            oauth: OAuthConfig::default(),
            expands: true,
        }
    }

    /// Returns the command line or URL for display, with credentials masked.
    pub fn target(&self) -> String {
        crate::redaction::target(&self.transport)
    }

    /// Returns the commands whose output gives values of the entry (`!…`): of variables, headers, the directory, the address and
    /// the login.
    pub fn value_commands(&self) -> Vec<String> {
        let mut values: Vec<String> = match &self.transport {
            Transport::Stdio { env, cwd, .. } => {
                let cwd = cwd.iter().map(|folder| folder.to_string_lossy().into_owned());
                env.values().cloned().chain(cwd).collect()
            }
            Transport::Http { url, headers } => headers.values().chain([url]).cloned().collect(),
            Transport::Inherited => Vec::new(),
        };
        values.extend(self.oauth.client_id.iter().chain(&self.oauth.client_secret).cloned());
        values.iter().filter_map(|value| value.strip_prefix('!')).map(str::to_owned).collect()
    }

    /// Returns the transport as it is configured, with nothing masked: for questions about trust in whoever wrote the entry.
    pub fn full_text(&self) -> String {
        let pairs = |what: &str, of: &BTreeMap<String, String>| -> String {
            of.iter().map(|(name, value)| format!("; {what} {name}={value}")).collect()
        };
        match &self.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let words = std::iter::once(command).chain(args).map(|word| quoted_word(word));
                let line = words.collect::<Vec<_>>().join(" ");
                let cwd = cwd.as_ref().map(|cwd| format!("; in {}", cwd.display())).unwrap_or_default();
                format!("{line}{cwd}{}", pairs("with", env))
            }
            Transport::Http { url, headers } => format!("{url}{}", pairs("header", headers)),
            Transport::Inherited => String::new(),
        }
    }

    /// Returns the name as it appears in tool names. `-` and `_` are the same.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns whether the settings leave a tool out.
    pub fn leaves_out(&self, tool: &str) -> bool {
        let is = |name: &String| name == tool;
        self.disabled_tools.iter().any(is)
            || self.enabled_tools.as_ref().is_some_and(|enabled| !enabled.iter().any(is))
    }
}

/// Reads a table of servers (`mcpServers`, or codex's `mcp_servers`). A bad entry is a problem of its own.
pub fn parse_servers(
    table: &Map<String, Value>,
    origin: &ConfigOrigin,
) -> Vec<Result<ServerConfig, (String, String)>> {
    table
        .iter()
        .map(|(name, value)| parse_server(name, value, origin).map_err(|message| (name.clone(), message)))
        .collect()
}

fn parse_server(name: &str, value: &Value, origin: &ConfigOrigin) -> Result<ServerConfig, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
        return Err("invalid server name (expected 1 to 64 letters, digits, - or _)".to_owned());
    }
    let entry = Entry(value.as_object().ok_or_else(|| format!("expected an object, got {value}"))?);
    let mut server = ServerConfig::new(name, origin.clone(), entry.transport()?);
    server.expands = origin.provider != "codex";
    server.description = entry.text(&["description"])?;
    server.enabled =
        entry.flag(&["enabled"])?.unwrap_or(true) && !entry.flag(&["disabled"])?.unwrap_or(false);
    server.required = entry.flag(&["required"])?.unwrap_or(false);
    server.exposure = entry.get(&["exposure"]).map(Exposure::parse).transpose()?;
    if entry.flag(&["alwaysLoad"])? == Some(true) {
        server.exposure = Some(Exposure::Direct);
    }
    server.approval =
        entry.get(&["approval", "default_tools_approval_mode"]).map(Policy::parse).transpose()?;
    server.enabled_tools = entry.get(&["enabledTools", "enabled_tools"]).map(texts).transpose()?;
    server.disabled_tools =
        entry.get(&["disabledTools", "disabled_tools"]).map(texts).transpose()?.unwrap_or_default();
    if let Some(timeout) = entry.duration(&["timeout"], &["tool_timeout_sec"])? {
        server.timeout = timeout;
    }
    let startup = entry.duration(&["startupTimeout", "startup_timeout"], &["startup_timeout_sec"])?;
    if let Some(timeout) = startup {
        server.startup_timeout = timeout;
    }
    entry.tools(&mut server)?;
    entry.oauth(&mut server.oauth)?;
    Ok(server)
}

struct Entry<'a>(&'a Map<String, Value>);

impl<'a> Entry<'a> {
    fn get(&self, names: &[&str]) -> Option<&'a Value> {
        names.iter().find_map(|name| self.0.get(*name)).filter(|value| !value.is_null())
    }

    fn text(&self, names: &[&str]) -> Result<Option<String>, String> {
        match self.get(names) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(format!("\"{}\" must be a text, got {other}", names.join("/"))),
        }
    }

    fn flag(&self, names: &[&str]) -> Result<Option<bool>, String> {
        match self.get(names) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(format!("\"{}\" must be true or false, got {other}", names.join("/"))),
        }
    }

    /// A duration in milliseconds under `millis`, or in seconds under `seconds`.
    fn duration(&self, millis: &[&str], seconds: &[&str]) -> Result<Option<Duration>, String> {
        let (value, unit) = match (self.get(millis), self.get(seconds)) {
            (Some(value), _) => (value, 0.001),
            (None, Some(value)) => (value, 1.0),
            (None, None) => return Ok(None),
        };
        let number = value.as_f64().filter(|number| *number > 0.0 && number.is_finite());
        let time = number.and_then(|number| Duration::try_from_secs_f64(number * unit).ok());
        time.map(|time| Some(time.min(MAX_TIMEOUT)))
            .ok_or_else(|| format!("\"{}\" must be a positive number, got {value}", millis.join("/")))
    }

    fn map(&self, names: &[&str]) -> Result<BTreeMap<String, String>, String> {
        let Some(value) = self.get(names) else { return Ok(BTreeMap::new()) };
        let table = value.as_object().ok_or_else(|| format!("\"{}\" must be an object", names.join("/")))?;
        table
            .iter()
            .map(|(key, value)| match value {
                Value::String(text) => Ok((key.clone(), text.clone())),
                Value::Number(_) | Value::Bool(_) => Ok((key.clone(), value.to_string())),
                _ => Err(format!("\"{}.{key}\" must be a text", names.join("/"))),
            })
            .collect()
    }

    fn transport(&self) -> Result<Transport, String> {
        let kind = self.text(&["type", "transport"])?;
        match kind.as_deref() {
            Some("sse") => {
                return Err(
                    "the SSE transport was removed from MCP; use \"type\": \"http\" with the server's \
                            streamable HTTP URL, which often ends in /mcp"
                        .to_owned(),
                );
            }
            None | Some("stdio" | "http" | "streamable-http" | "streamableHttp" | "streamable_http") => {}
            Some(other) => {
                return Err(format!("unknown transport type \"{other}\" (expected stdio or http)"));
            }
        }
        let (command, url) = (self.text(&["command"])?, self.text(&["url"])?);
        match (command, url) {
            (Some(_), Some(_)) => Err("has both \"command\" and \"url\"; keep one".to_owned()),
            (Some(command), None) if kind.as_deref().is_none_or(|kind| kind == "stdio") => {
                let mut env = self.map(&["env"])?;
                if let Some(names) = self.get(&["env_vars"]) {
                    for name in texts(names)? {
                        if let Ok(value) = std::env::var(&name) {
                            env.entry(name).or_insert(value);
                        }
                    }
                }
                Ok(Transport::Stdio {
                    command,
                    args: self.get(&["args"]).map(texts).transpose()?.unwrap_or_default(),
                    env,
                    cwd: self.text(&["cwd"])?.map(PathBuf::from),
                })
            }
            (None, Some(url)) if kind.as_deref() != Some("stdio") => {
                Ok(Transport::Http { url, headers: self.headers()? })
            }
            (None, None) if kind.is_none() => Ok(Transport::Inherited),
            (_, _) => Err("needs \"command\" for stdio or \"url\" for http".to_owned()),
        }
    }

    /// The headers, with those that codex reads from the environment written as `${VAR}`.
    fn headers(&self) -> Result<BTreeMap<String, String>, String> {
        let mut headers = self.map(&["headers", "http_headers"])?;
        for (name, variable) in self.map(&["env_http_headers"])? {
            if let Ok(value) = std::env::var(variable) {
                headers.insert(name, value);
            }
        }
        if let Some(variable) = self.text(&["bearer_token_env_var"])?
            && let Ok(token) = std::env::var(variable)
        {
            headers.insert("Authorization".to_owned(), format!("Bearer {token}"));
        }
        Ok(headers)
    }

    fn tools(&self, server: &mut ServerConfig) -> Result<(), String> {
        let tables = [("tools", false), ("toolExposure", true)];
        for (table, is_exposure) in tables {
            let Some(value) = self.get(&[table]) else { continue };
            let entries = value.as_object().ok_or_else(|| format!("\"{table}\" must be an object"))?;
            for (tool, value) in entries {
                let own = server.tools.entry(tool.clone()).or_default();
                if is_exposure {
                    own.exposure = Some(Exposure::parse(value)?);
                    continue;
                }
                let entry =
                    Entry(value.as_object().ok_or_else(|| format!("\"tools.{tool}\" must be an object"))?);
                own.exposure = entry.get(&["exposure"]).map(Exposure::parse).transpose()?;
                own.approval = entry.get(&["approval", "approval_mode"]).map(Policy::parse).transpose()?;
                if entry.flag(&["enabled"])? == Some(false) {
                    server.disabled_tools.push(tool.clone());
                }
            }
        }
        Ok(())
    }

    fn oauth(&self, oauth: &mut OAuthConfig) -> Result<(), String> {
        let scopes = |value: &Value| match value {
            Value::String(text) => Ok(text.split_whitespace().map(str::to_owned).collect()),
            other => texts(other),
        };
        oauth.scopes = self.get(&["scopes"]).map(scopes).transpose()?.unwrap_or_default();
        let Some(value) = self.get(&["oauth", "auth"]) else { return Ok(()) };
        let Some(table) = value.as_object() else { return Ok(()) };
        let own = Entry(table);
        oauth.client_id = own.text(&["clientId", "client_id"])?;
        oauth.client_secret = own.text(&["clientSecret", "client_secret"])?;
        oauth.client_name = own.text(&["clientName", "client_name"])?;
        oauth.client_metadata_url = own.text(&["clientMetadataUrl", "client_metadata_url"])?;
        oauth.callback_port = own
            .get(&["callbackPort", "callback_port"])
            .and_then(Value::as_u64)
            .and_then(|port| port.try_into().ok());
        if let Some(value) = own.get(&["scope", "scopes"]) {
            oauth.scopes = scopes(value)?;
        }
        Ok(())
    }
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let items = value.as_array().ok_or_else(|| format!("expected a list of texts, got {value}"))?;
    items
        .iter()
        .map(|item| match item {
            Value::String(text) => Ok(text.clone()),
            Value::Number(_) | Value::Bool(_) => Ok(item.to_string()),
            other => Err(format!("expected a text, got {other}")),
        })
        .collect()
}
