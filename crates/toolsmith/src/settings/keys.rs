//! The table of settings: name, kind, default and description. Files, variables, documentation and the list of
//! effective values all use it.

use serde_json::{Value, json};

use super::units;

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
            Self::Duration => "time".to_owned(),
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

/// Finds the setting for a path of names; a fixed name takes precedence over a user-defined part.
pub(super) fn find(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().filter(|key| key.is(path)).min_by_key(|key| key.name.matches('<').count())
}

/// All settings.
pub fn keys() -> &'static [Key] {
    KEYS
}

/// A setting that waits for trust in a project's file. That is the rule: a project that is not trusted must not loosen a limit,
/// choose a model or change what the user's own tools and rules do.
const fn key(name: &'static str, kind: KeyKind, default: Option<&'static str>, doc: &'static str) -> Key {
    Key { name, kind, default, doc, waits_for_trust: true }
}

/// A setting that can only take something away, so that every project may set it.
const fn tightening(
    name: &'static str,
    kind: KeyKind,
    default: Option<&'static str>,
    doc: &'static str,
) -> Key {
    Key { waits_for_trust: false, ..key(name, kind, default, doc) }
}

const POLICIES: KeyKind = KeyKind::Choice(&["allow", "ask", "deny"]);

const KEYS: &[Key] = &[
    key("model", KeyKind::Text, None, "The model to ask, as `provider/model` or a part of its name."),
    key(
        "thinking",
        KeyKind::Choice(&["off", "minimal", "low", "medium", "high", "xhigh"]),
        None,
        "How long the model may think.",
    ),
    key(
        "discovery.local_models",
        KeyKind::Bool,
        Some("true"),
        "Ask servers on this machine which models they have, when no other model is meant.",
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
        "tools.paths",
        KeyKind::Paths,
        Some(""),
        "More module files to load; relative ones are seen from the working folder.",
    ),
    tightening("tools.disabled", KeyKind::Names, Some(""), "Names of tools that are left out."),
    key(
        "tools.preview",
        KeyKind::Bool,
        Some("false"),
        "`edit` and `write` show what they would do, and wait until somebody applies it.",
    ),
    // Before those of a tool that would be called "approval".
    key(
        "tools.approval.<name>",
        POLICIES,
        None,
        "Whether one tool may run without asking; deny always wins.",
    ),
    key(
        "tools.<name>.timeout",
        KeyKind::Duration,
        None,
        "How long a call of this tool may take without progress.",
    ),
    key("tools.<name>.memory", KeyKind::Size, None, "How much memory the module of this name may use."),
    key(
        "tools.<name>.engine",
        KeyKind::Choice(&["embedded", "bun", "node"]),
        None,
        "What runs the module of this name.",
    ),
    key("tools.<name>.approval", POLICIES, None, "The same as `tools.approval.<name>`."),
    key("limits.memory", KeyKind::Size, Some("256MB"), "How much memory a tool's module may use."),
    key("limits.load", KeyKind::Duration, Some("10s"), "How long loading a module may take."),
    key("limits.call", KeyKind::Duration, Some("10m"), "How long a call may take without progress."),
    key(
        "limits.grace",
        KeyKind::Duration,
        Some("500ms"),
        "How long a cancelled call may take to end by itself.",
    ),
    key(
        "approval.mode",
        KeyKind::Choice(&["always-ask", "write", "yolo"]),
        Some("write"),
        "What runs without asking: what only reads, also what writes files, or everything.",
    ),
    key("approval.tools.<name>", POLICIES, None, "The same as `tools.approval.<name>`."),
    key(
        "providers.<name>.wire",
        KeyKind::Choice(&[
            "anthropic-messages",
            "openai-responses",
            "openai-completions",
            "google-generative-ai",
        ]),
        None,
        "The wire a provider speaks.",
    ),
    key("providers.<name>.base_url", KeyKind::Text, None, "Where a provider is."),
    key(
        "providers.<name>.api_key_env",
        KeyKind::Text,
        None,
        "The environment variable with a provider's key.",
    ),
    key(
        "providers.<name>.api_key",
        KeyKind::Text,
        None,
        "A provider's key: the name of a variable, `!command` that prints it, or the key itself.",
    ),
    key("providers.<name>.headers.<header>", KeyKind::Text, None, "A header a provider wants."),
    key("providers.<name>.idle_timeout", KeyKind::Duration, None, "How long a provider may be silent."),
    key("providers.<name>.models.<model>.name", KeyKind::Text, None, "What people call a model."),
    key(
        "providers.<name>.models.<model>.context_window",
        KeyKind::Count,
        None,
        "How many tokens a model reads at once, its answer included.",
    ),
    key(
        "providers.<name>.models.<model>.max_output",
        KeyKind::Count,
        None,
        "How many tokens a model writes at once.",
    ),
    key("providers.<name>.models.<model>.images", KeyKind::Bool, None, "Whether a model sees images."),
    key(
        "providers.<name>.models.<model>.temperature",
        KeyKind::Bool,
        None,
        "Whether a model takes a temperature.",
    ),
    key(
        "providers.<name>.models.<model>.forced_tool",
        KeyKind::Choice(&["none", "required", "named"]),
        None,
        "How far a call can be demanded of a model: not at all, of some tool, of one by its name.",
    ),
    key(
        "providers.<name>.models.<model>.thinking",
        KeyKind::Names,
        None,
        "The provider's words for how hard a model thinks, weakest first; an empty list if it does not think.",
    ),
    key(
        "providers.<name>.models.<model>.thinking_budget",
        KeyKind::Count,
        None,
        "The most tokens a model thinks with, where the provider wants a number.",
    ),
    key(
        "providers.<name>.models.<model>.price.input",
        KeyKind::Number,
        None,
        "US dollars for a million tokens a model reads.",
    ),
    key(
        "providers.<name>.models.<model>.price.output",
        KeyKind::Number,
        None,
        "US dollars for a million tokens a model writes.",
    ),
    key(
        "providers.<name>.models.<model>.price.cache_read",
        KeyKind::Number,
        None,
        "US dollars for a million tokens read from the provider's cache.",
    ),
    key(
        "providers.<name>.models.<model>.price.cache_write",
        KeyKind::Number,
        None,
        "US dollars for a million tokens put into the provider's cache.",
    ),
    key("output.max_bytes", KeyKind::Size, Some("50KB"), "How much of a tool's output a model is shown."),
    key(
        "output.max_lines",
        KeyKind::Count,
        Some("2000"),
        "How many lines of a tool's output a model is shown.",
    ),
    key("retry.enabled", KeyKind::Bool, Some("true"), "Ask a model again after an error that passes."),
    key("retry.max_attempts", KeyKind::Count, Some("5"), "How often, until there is a whole answer."),
    key(
        "retry.base_delay",
        KeyKind::Duration,
        Some("1s"),
        "The first wait; each one after is twice as long.",
    ),
    key(
        "retry.max_delay",
        KeyKind::Duration,
        Some("5m"),
        "The longest wait; when a provider asks for more, the run fails at once.",
    ),
    key(
        "compaction.enabled",
        KeyKind::Bool,
        Some("true"),
        "Sum up the older part of a conversation when it grows too long for the model.",
    ),
    key(
        "compaction.reserve_tokens",
        KeyKind::Count,
        Some("16384"),
        "How many tokens of the model's window are kept free, unless 15 % of it are more.",
    ),
    key(
        "compaction.keep_recent_tokens",
        KeyKind::Count,
        Some("20000"),
        "How many tokens of the newest messages stay as they are.",
    ),
    key(
        "compaction.threshold_percent",
        KeyKind::Count,
        None,
        "Compact past this part of the model's window, 1 to 99, in place of what is reserved.",
    ),
    key(
        "compaction.threshold_tokens",
        KeyKind::Count,
        None,
        "Compact past so many tokens, in place of a part of the window.",
    ),
    key("todo.enabled", KeyKind::Bool, Some("true"), "Give the model a todo list (`todo_write`)."),
    key(
        "todo.reminders",
        KeyKind::Bool,
        Some("true"),
        "Remind the model, up to three times, when it stops with open tasks.",
    ),
    // A project must not switch off what its user wants to be followed.
    key("rules.enabled", KeyKind::Bool, Some("true"), "Follow the rules in `.toolsmith/rules` and the like."),
    key(
        "rules.interrupt",
        KeyKind::Choice(&["always", "never", "prose-only", "tool-only"]),
        Some("always"),
        "Which answers a rule interrupts; after the others the model is told.",
    ),
    key(
        "rules.repeat",
        KeyKind::Choice(&["once", "after-gap"]),
        Some("once"),
        "Whether a rule that was shown is shown again in the same session.",
    ),
    key(
        "rules.repeat_gap",
        KeyKind::Count,
        Some("10"),
        "How many turns pass before a rule is shown again, with `after-gap`.",
    ),
    key(
        "rules.context",
        KeyKind::Choice(&["discard", "keep"]),
        Some("discard"),
        "What becomes of an answer that a rule interrupted.",
    ),
];
