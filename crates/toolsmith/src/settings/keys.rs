//! The table of settings: name, kind, default and description. Files, variables, documentation and the list of
//! effective values all use it.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{budget_keys::BUDGET_KEYS, units};

/// Kind of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// A boolean.
    Bool,
    /// A duration, such as `30s`.
    Duration,
    /// A size in bytes, such as `256MB`.
    Size,
    /// An integer.
    Count,
    /// A non-negative number.
    Number,
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Paths; those of all files are combined. In a variable they are separated by colons.
    Paths,
    /// Names; those of all files are combined. In a variable they are separated by commas.
    Names,
}

impl KeyKind {
    /// Returns the name of the kind for documentation.
    pub fn describe(self) -> String {
        match self {
            Self::Bool => "yes or no".to_owned(),
            Self::Duration => "duration".to_owned(),
            Self::Size => "size".to_owned(),
            Self::Count | Self::Number => "number".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Choice(words) => words.join(" | "),
            Self::Paths => "list of paths".to_owned(),
            Self::Names => "list of names".to_owned(),
        }
    }

    /// Returns whether values of several files are combined.
    pub(super) fn adds_up(self) -> bool {
        matches!(self, Self::Paths | Self::Names)
    }

    /// Checks a value from a file.
    pub(super) fn check(self, value: Value) -> Result<Value, String> {
        let wrong = |value: &Value| Err(format!("expected {}, got {value}", self.describe()));
        match (self, &value) {
            (Self::Bool, Value::Bool(_)) | (Self::Text, Value::String(_)) => Ok(value),
            (Self::Count, Value::Number(number)) if number.is_u64() => Ok(value),
            (Self::Number, Value::Number(number)) if number.as_f64().is_some_and(|number| number >= 0.0) => {
                Ok(value)
            }
            (Self::Duration, Value::Number(_)) => units::parse_duration(&value.to_string()).map(|_| value),
            (Self::Duration, Value::String(text)) => units::parse_duration(text).map(|_| value),
            (Self::Size, Value::Number(_)) => units::size(&value.to_string()).map(|_| value),
            (Self::Size, Value::String(text)) => units::size(text).map(|_| value),
            (Self::Choice(words), Value::String(text)) if words.contains(&text.as_str()) => Ok(value),
            (Self::Paths | Self::Names, Value::String(_)) => Ok(json!([value])),
            (Self::Paths | Self::Names, Value::Array(items)) if items.iter().all(Value::is_string) => {
                Ok(value)
            }
            (_, value) => wrong(value),
        }
    }

    /// Parses a value from a variable or a flag.
    pub(super) fn parse(self, text: &str) -> Result<Value, String> {
        let split = |separator: char| {
            json!(text.split(separator).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>())
        };
        let value = match self {
            Self::Bool => match text.trim().to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => json!(true),
                "0" | "false" | "no" | "off" => json!(false),
                _ => return Err(format!("expected yes or no, got \"{text}\"")),
            },
            Self::Count => {
                json!(text.trim().parse::<u64>().map_err(|_| format!("expected a number, got \"{text}\""))?)
            }
            Self::Number => {
                json!(text.trim().parse::<f64>().map_err(|_| format!("expected a number, got \"{text}\""))?)
            }
            Self::Paths => split(':'),
            Self::Names => split(','),
            _ => json!(text),
        };
        self.check(value)
    }
}

/// A setting.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Key {
    /// Name, with `<name>` for a user-defined part.
    pub name: &'static str,
    /// Kind.
    pub kind: KeyKind,
    /// Default; `None` if there is none.
    pub default: Option<&'static str>,
    /// Description.
    pub doc: &'static str,
    /// In a project's file it waits until the project is trusted (CONTRACT 2.8).
    pub waits_for_trust: bool,
}

impl Key {
    /// Returns the environment variable; `None` if the name has a user-defined part.
    pub fn variable(&self) -> Option<String> {
        let is_fixed = !self.name.contains('<');
        is_fixed.then(|| format!("TOOLSMITH_{}", self.name.replace(['.', '-'], "_").to_ascii_uppercase()))
    }

    /// Returns whether a path of names is this setting.
    pub(super) fn is(&self, path: &[String]) -> bool {
        let parts: Vec<&str> = self.name.split('.').collect();
        parts.len() == path.len() && begins(&parts, path)
    }

    /// Returns whether a path of names leads to this setting.
    pub(super) fn is_below(&self, path: &[String]) -> bool {
        let parts: Vec<&str> = self.name.split('.').collect();
        parts.len() > path.len() && begins(&parts, path)
    }

    pub(super) fn default_value(&self) -> Option<Value> {
        self.default.and_then(|text| self.kind.parse(text).ok())
    }
}

fn begins(parts: &[&str], path: &[String]) -> bool {
    parts.iter().zip(path).all(|(part, name)| part == name || part.starts_with('<'))
}

/// Returns the value that an invalid value of this setting stands for, where ignoring it would loosen a restriction.
pub(super) fn strictest(key: &Key) -> Option<&'static str> {
    match key.name {
        "approval.mode" => Some("always-ask"),
        _ if is_policy(key) => Some("deny"),
        _ => None,
    }
}

/// Returns whether the setting is the approval policy of a tool, in any of its spellings.
pub(super) fn is_policy(key: &Key) -> bool {
    matches!(key.name, "tools.approval.<name>" | "tools.<name>.approval" | "approval.tools.<name>")
}

/// Finds the setting for a path of names; a fixed name takes precedence over a user-defined part.
pub(super) fn find(path: &[String]) -> Option<&'static Key> {
    keys().iter().filter(|key| key.is(path)).min_by_key(|key| key.name.matches('<').count())
}

/// All settings.
pub fn keys() -> &'static [Key] {
    static ALL: LazyLock<Vec<Key>> = LazyLock::new(|| [KEYS, BUDGET_KEYS].concat());
    &ALL
}

/// Returns whether a setting is a limit of a budget, of which the smaller one is the tighter one.
pub(super) fn is_budget(key: &Key) -> bool {
    key.name.starts_with("budget.")
}

/// A setting of a project that waits for trust, which is the rule: an untrusted project must not loosen a limit,
/// choose a model or change what the user's own tools and rules do.
const fn key(name: &'static str, kind: KeyKind, default: Option<&'static str>, doc: &'static str) -> Key {
    Key { name, kind, default, doc, waits_for_trust: true }
}

/// A setting that can only restrict, so that every project may set it.
pub(super) const fn tightening(
    name: &'static str,
    kind: KeyKind,
    default: Option<&'static str>,
    doc: &'static str,
) -> Key {
    Key { waits_for_trust: false, ..key(name, kind, default, doc) }
}

const POLICIES: KeyKind = KeyKind::Choice(&["allow", "ask", "deny"]);

const KEYS: &[Key] = &[
    key("model", KeyKind::Text, None, "Model, as `provider/model` or a part of its name."),
    key(
        "thinking",
        KeyKind::Choice(&["off", "minimal", "low", "medium", "high", "xhigh"]),
        None,
        "Thinking level.",
    ),
    key(
        "discovery.local_models",
        KeyKind::Bool,
        Some("true"),
        "Query local servers for their models if no other model is selected.",
    ),
    key(
        "discovery.providers.toolsmith",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in `.toolsmith/tools` and `~/.toolsmith/agent/tools`.",
    ),
    key(
        "discovery.providers.omp",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in `.omp/tools` and `~/.omp/agent/tools`.",
    ),
    key(
        "discovery.providers.pi",
        KeyKind::Bool,
        Some("true"),
        "Look for tools and extensions in `.pi` and `~/.pi/agent`.",
    ),
    key(
        "discovery.providers.opencode",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in `.opencode/tool`, `.opencode/tools` and the same directories of `~/.config/opencode`.",
    ),
    key(
        "discovery.providers.xcsh",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in `.xcsh/tools` and `~/.xcsh/agent/tools`.",
    ),
    key(
        "discovery.providers.claude",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in `.claude/tools` and `~/.claude/tools`.",
    ),
    key(
        "discovery.providers.claude-plugins",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in installed marketplace plugins.",
    ),
    key(
        "discovery.providers.agents",
        KeyKind::Bool,
        Some("true"),
        "Look for skills in `.agents/skills` and `~/.agents/skills`.",
    ),
    key(
        "discovery.providers.codex",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in `.codex/tools` and `~/.codex/tools`.",
    ),
    key(
        "discovery.providers.plugins",
        KeyKind::Bool,
        Some("true"),
        "Look for tools in installed plugin packages.",
    ),
    key(
        "extensions.enabled",
        KeyKind::Bool,
        Some("true"),
        "Load extensions that are found in directories and plugins. Those named explicitly always load.",
    ),
    key(
        "extensions.paths",
        KeyKind::Paths,
        Some(""),
        "Additional extensions; relative paths are resolved from the working directory.",
    ),
    // An untrusted project must not disable an extension that guards the user.
    key(
        "extensions.disabled",
        KeyKind::Names,
        Some(""),
        "Names of disabled extensions: the file without its extension, or its directory for an `index` file.",
    ),
    key(
        "extensions.timeout",
        KeyKind::Duration,
        Some("30s"),
        "Deadline of an extension's event handler. Open dialogs stop the clock.",
    ),
    key("skills.enabled", KeyKind::Bool, Some("true"), "Look for skills."),
    key(
        "skills.catalogue_bytes",
        KeyKind::Size,
        Some("4KB"),
        "Maximum size of the list of skills in the system prompt.",
    ),
    key(
        "skills.paths",
        KeyKind::Paths,
        Some(""),
        "Additional directories with skills; relative paths are resolved from the working directory.",
    ),
    key("skills.disabled", KeyKind::Names, Some(""), "Names of disabled skills."),
    key(
        "commands.paths",
        KeyKind::Paths,
        Some(""),
        "Additional directories or files with Markdown commands; relative paths are resolved from the working directory.",
    ),
    key("commands.disabled", KeyKind::Names, Some(""), "Names of disabled Markdown commands."),
    key(
        "hooks.import",
        KeyKind::Names,
        Some(""),
        "Agents whose hooks in the user's directories run here too: `claude`, `codex`.",
    ),
    key(
        "hooks.timeout",
        KeyKind::Duration,
        Some("30s"),
        "Deadline of a hook in `hooks/pre` or `hooks/post`.",
    ),
    key(
        "tools.paths",
        KeyKind::Paths,
        Some(""),
        "Additional module files; relative paths are resolved from the working directory.",
    ),
    tightening("tools.disabled", KeyKind::Names, Some(""), "Names of disabled tools."),
    key(
        "tools.preview",
        KeyKind::Bool,
        Some("false"),
        "Let `edit` and `write` stage their changes until they are applied.",
    ),
    key(
        "tools.preview_decision",
        KeyKind::Choice(&["user", "model"]),
        Some("user"),
        "Who decides about previews: the user, where one can be asked, or the model.",
    ),
    key(
        "tools.reload",
        KeyKind::Bool,
        Some("true"),
        "Use the new code of custom tools whose files change while a session or server runs.",
    ),
    key(
        "tools.record",
        KeyKind::Bool,
        Some("false"),
        "Record what calls of custom tools read from their surroundings, beside the session, so that they can be replayed.",
    ),
    // Before those of a tool that would be called "approval".
    key("tools.approval.<name>", POLICIES, None, "Approval policy of one tool; deny always wins."),
    key("tools.<name>.timeout", KeyKind::Duration, None, "Deadline of a call of this tool without progress."),
    key("tools.<name>.memory", KeyKind::Size, None, "Memory limit of the module of this name."),
    key(
        "tools.<name>.engine",
        KeyKind::Choice(&["embedded", "bun", "node"]),
        None,
        "Engine of the module of this name.",
    ),
    key("tools.<name>.approval", POLICIES, None, "The same as `tools.approval.<name>`."),
    key("limits.memory", KeyKind::Size, Some("256MB"), "Memory limit of a tool's module."),
    key("limits.load", KeyKind::Duration, Some("10s"), "Deadline for loading a module."),
    key(
        "limits.call",
        KeyKind::Duration,
        Some("10m"),
        "Deadline of a call without progress. `bash` and tools of MCP servers have their own; `tools.<name>.timeout` sets it for one tool.",
    ),
    key("limits.grace", KeyKind::Duration, Some("500ms"), "Grace time of a cancelled call."),
    key(
        "approval.mode",
        KeyKind::Choice(&["always-ask", "write", "yolo"]),
        Some("write"),
        "Which calls run without asking: reads (`always-ask`), reads and file writes (`write`), or all (`yolo`).",
    ),
    key("approval.tools.<name>", POLICIES, None, "The same as `tools.approval.<name>`."),
    key(
        "providers.<name>.wire",
        KeyKind::Choice(&[
            "anthropic-messages",
            "openai-responses",
            "openai-completions",
            "google-generative-ai",
            "azure-openai-responses",
            "bedrock-converse-stream",
            "google-vertex",
            "google-vertex-anthropic",
        ]),
        None,
        "Wire format of a provider.",
    ),
    key("providers.<name>.base_url", KeyKind::Text, None, "Base URL of a provider."),
    key("providers.<name>.api_key_env", KeyKind::Text, None, "Environment variable with a provider's key."),
    key(
        "providers.<name>.api_key",
        KeyKind::Text,
        None,
        "Key of a provider: the name of a variable, `!command` that prints it, `cloud` for the credentials of AWS or Google, or the key itself.",
    ),
    key("providers.<name>.headers.<header>", KeyKind::Text, None, "Additional header for a provider."),
    key(
        "providers.<name>.idle_timeout",
        KeyKind::Duration,
        None,
        "Maximum time without data from a provider.",
    ),
    key("providers.<name>.models.<model>.name", KeyKind::Text, None, "Display name of a model."),
    key(
        "providers.<name>.models.<model>.context_window",
        KeyKind::Count,
        None,
        "Context window of a model in tokens, including its output.",
    ),
    key(
        "providers.<name>.models.<model>.max_output",
        KeyKind::Count,
        None,
        "Maximum number of output tokens of a model.",
    ),
    key("providers.<name>.models.<model>.images", KeyKind::Bool, None, "Set if a model accepts images."),
    key(
        "providers.<name>.models.<model>.temperature",
        KeyKind::Bool,
        None,
        "Set if a model accepts a temperature.",
    ),
    key(
        "providers.<name>.models.<model>.forced_tool",
        KeyKind::Choice(&["none", "required", "named"]),
        None,
        "How a tool call can be forced: not at all, any tool (`required`), or by name (`named`).",
    ),
    key(
        "providers.<name>.models.<model>.thinking",
        KeyKind::Names,
        None,
        "Thinking levels of a model, weakest first; an empty list if it does not support thinking.",
    ),
    key(
        "providers.<name>.models.<model>.thinking_budget",
        KeyKind::Count,
        None,
        "Maximum thinking budget in tokens, if the provider takes a number.",
    ),
    key(
        "providers.<name>.models.<model>.price.input",
        KeyKind::Number,
        None,
        "US dollars per million input tokens.",
    ),
    key(
        "providers.<name>.models.<model>.price.output",
        KeyKind::Number,
        None,
        "US dollars per million output tokens.",
    ),
    key(
        "providers.<name>.models.<model>.price.cache_read",
        KeyKind::Number,
        None,
        "US dollars per million tokens read from the provider's cache.",
    ),
    key(
        "providers.<name>.models.<model>.price.cache_write",
        KeyKind::Number,
        None,
        "US dollars per million tokens written to the provider's cache.",
    ),
    key("output.max_bytes", KeyKind::Size, Some("50KB"), "Maximum size of a tool's output for the model."),
    key(
        "output.max_lines",
        KeyKind::Count,
        Some("2000"),
        "Maximum number of lines of a tool's output for the model.",
    ),
    key("retry.enabled", KeyKind::Bool, Some("true"), "Retry requests after transient errors."),
    key("retry.max_attempts", KeyKind::Count, Some("5"), "Maximum number of attempts per response."),
    key("retry.base_delay", KeyKind::Duration, Some("1s"), "First delay; each further one is twice as long."),
    key(
        "retry.max_delay",
        KeyKind::Duration,
        Some("5m"),
        "Maximum delay; if a provider asks for more, the run fails at once.",
    ),
    key(
        "compaction.enabled",
        KeyKind::Bool,
        Some("true"),
        "Compact sessions automatically when they become too long for the model.",
    ),
    key(
        "compaction.reserve_tokens",
        KeyKind::Count,
        Some("16384"),
        "Tokens of the context window that are kept free, at least 15 % of it.",
    ),
    key(
        "compaction.keep_recent_tokens",
        KeyKind::Count,
        Some("20000"),
        "Tokens of the newest messages that stay unchanged.",
    ),
    key(
        "compaction.threshold_percent",
        KeyKind::Count,
        None,
        "Compact above this percentage of the context window, 1 to 99.",
    ),
    key(
        "compaction.threshold_tokens",
        KeyKind::Count,
        None,
        "Compact above this many tokens; takes precedence over the percentage.",
    ),
    key("todo.enabled", KeyKind::Bool, Some("true"), "Give the model a todo list (`todo_write`)."),
    key(
        "todo.reminders",
        KeyKind::Bool,
        Some("true"),
        "Remind the model up to three times when it stops with open tasks.",
    ),
    // A project must not switch off what its user wants to be followed.
    key(
        "rules.enabled",
        KeyKind::Bool,
        Some("true"),
        "Use rules from `.toolsmith/rules` and similar directories.",
    ),
    key(
        "rules.interrupt",
        KeyKind::Choice(&["always", "never", "prose-only", "tool-only"]),
        Some("always"),
        "Which responses a rule interrupts; for others the rule is sent afterwards.",
    ),
    key(
        "rules.repeat",
        KeyKind::Choice(&["once", "after-gap"]),
        Some("once"),
        "When a rule is sent again in the same session.",
    ),
    key(
        "rules.repeat_gap",
        KeyKind::Count,
        Some("10"),
        "Number of turns before a rule is sent again, with `after-gap`.",
    ),
    key(
        "rules.context",
        KeyKind::Choice(&["discard", "keep"]),
        Some("discard"),
        "Handling of a response that a rule interrupted.",
    ),
    key(
        "ui.screen",
        KeyKind::Choice(&["inline", "fullscreen"]),
        Some("inline"),
        "Screen of the terminal interface: below the shell's output, or the whole screen.",
    ),
    key(
        "ui.theme",
        KeyKind::Text,
        Some("auto"),
        "Theme: auto, dark, light, system, none, or a file in `~/.toolsmith/themes`.",
    ),
    key("ui.motion", KeyKind::Bool, Some("true"), "Show animations."),
    key(
        "ui.notifications",
        KeyKind::Bool,
        Some("true"),
        "Notify when a long run ends while the terminal is not focused.",
    ),
    key("ui.images", KeyKind::Bool, Some("true"), "Show images in terminals that can."),
    key(
        "ui.double_escape",
        KeyKind::Choice(&["tree", "fork", "none"]),
        Some("tree"),
        "Action of escape pressed twice on an empty prompt.",
    ),
    key(
        "ui.accessible",
        KeyKind::Bool,
        Some("false"),
        "Use the plain interface without cursor movement, for screen readers.",
    ),
];
