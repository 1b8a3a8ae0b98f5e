//! The content of a hook file: events, groups with a matcher, and handlers. Entries that cannot be used are reported one by
//! one.

use std::time::Duration;

use serde_json::{Map, Value, json};
use toolsmith_middleware::hooks::{CallRule, Handler, Hook, HookEvent, Matcher};
use toolsmith_tool::Name;

use super::{
    files::HookFile,
    found::{IMPORTED_TIMEOUT, OWN_TIMEOUT},
};

/// Events of Claude Code that do not occur here.
const NOT_SUPPORTED: [&str; 21] = [
    "PostToolBatch",
    "UserPromptExpansion",
    "StopFailure",
    "SubagentStart",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];
/// Longest deadline that a file can set.
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);

/// A hook that was read, with everything that its hash covers besides files.
pub(super) struct Draft {
    pub(super) hook: Hook,
    pub(super) definition: Value,
    /// Reason why it cannot be run.
    pub(super) problem: Option<String>,
}

/// A problem of a hook file.
pub(super) struct Problem {
    pub(super) message: String,
    /// It concerns a hook that would guard calls.
    pub(super) is_guard: bool,
}

/// Hooks and problems of a file.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) drafts: Vec<Draft>,
    pub(super) problems: Vec<Problem>,
}

impl Parsed {
    fn problem(&mut self, event: &str, message: impl std::fmt::Display) {
        let is_guard = event == HookEvent::PreToolUse.as_str();
        self.problems.push(Problem { message: format!("({}) {message}", Name(event)), is_guard });
    }
}

/// Reads the `hooks` of a file.
pub(super) fn parse(hooks: &Value, file: &HookFile) -> Parsed {
    let mut parsed = Parsed::default();
    let Some(events) = hooks.as_object() else {
        let message = "`hooks` is not an object".to_owned();
        parsed.problems.push(Problem { message, is_guard: true });
        return parsed;
    };
    for (name, groups) in events {
        let Some(event) = HookEvent::parse(name) else {
            if NOT_SUPPORTED.contains(&name.as_str()) {
                parsed.problem(name, "this event does not occur in Toolsmith; its hooks do not run");
            // `description` and the like may stand beside the events.
            } else if groups.is_array() {
                parsed.problem(name, "unknown event; its hooks do not run");
                // A misspelled guard is a guard.
                if let Some(last) = parsed.problems.last_mut() {
                    last.is_guard = name.to_ascii_lowercase().contains("pre");
                }
            }
            continue;
        };
        if event == HookEvent::SubagentStop {
            parsed.problem(name, "there are no subagents here; its hooks do not run");
        }
        let Some(groups) = groups.as_array() else {
            parsed.problem(name, "expected a list of groups with `matcher` and `hooks`");
            continue;
        };
        for group in groups {
            read_group(event, group, file, &mut parsed);
        }
    }
    parsed
}

fn read_group(event: HookEvent, group: &Value, file: &HookFile, parsed: &mut Parsed) {
    let name = event.as_str();
    let matcher = match group.get("matcher") {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text,
        Some(other) => return parsed.problem(name, format_args!("the matcher is {other}, not a text")),
    };
    // These events have nothing to match.
    let ignores = matches!(event, HookEvent::UserPromptSubmit | HookEvent::Stop);
    let parsed_matcher = match Matcher::parse(if ignores { "" } else { matcher }) {
        Ok(matcher) => matcher,
        Err(error) => return parsed.problem(name, error),
    };
    let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
        return parsed.problem(name, "a group has no list `hooks`");
    };
    for handler in handlers {
        match read_handler(event, handler, file, parsed) {
            Ok(mut hook) => {
                hook.matcher = parsed_matcher.clone();
                let definition = json!({ "event": name, "matcher": matcher, "handler": handler });
                parsed.drafts.push(Draft { hook, definition, problem: None });
            }
            Err(problem) => parsed.problem(name, problem),
        }
    }
}

fn read_handler(
    event: HookEvent,
    entry: &Value,
    file: &HookFile,
    parsed: &mut Parsed,
) -> Result<Hook, String> {
    let fields = entry.as_object().ok_or_else(|| format!("the hook is {entry}, not an object"))?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let kind = text("type").unwrap_or(if fields.contains_key("url") { "http" } else { "command" });
    let handler = match kind {
        "command" => command(fields)?,
        "http" => http(fields)?,
        "prompt" | "agent" | "mcp_tool" => {
            return Err(format!("hooks of type \"{kind}\" are not supported and do not run"));
        }
        other => return Err(format!("unknown type of hook \"{other}\"")),
    };
    let mut hook = Hook::new(event, handler, &file.path);
    hook.dialect = file.dialect;
    let default = if file.is_own() { OWN_TIMEOUT } else { IMPORTED_TIMEOUT };
    hook.timeout = match fields.get("timeout").or_else(|| fields.get("timeout_sec")) {
        None | Some(Value::Null) => default,
        Some(value) => value
            .as_f64()
            .filter(|seconds| *seconds > 0.0)
            .map(|seconds| Duration::from_secs_f64(seconds.min(MAX_TIMEOUT.as_secs_f64())))
            .ok_or_else(|| format!("the timeout is {value}, not a number of seconds"))?,
    };
    hook.fails_closed = match text("onFailure") {
        None => file.is_own() && event == HookEvent::PreToolUse,
        Some("block") => true,
        Some("continue") => false,
        Some(other) => return Err(format!("onFailure is \"{other}\"; expected continue or block")),
    };
    hook.in_background = fields.get("async") == Some(&Value::Bool(true));
    hook.once = fields.get("once") == Some(&Value::Bool(true));
    if let Some(rule) = text("if") {
        hook.rule = CallRule::parse(rule);
        if hook.rule.is_none() {
            parsed.problem(
                event.as_str(),
                format_args!("the rule {rule:?} is not understood; the hook runs for every call"),
            );
        }
    }
    Ok(hook)
}

fn command(fields: &Map<String, Value>) -> Result<Handler, String> {
    let words = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let args = match fields.get("args") {
        None | Some(Value::Null) => None,
        Some(args) => Some(words(args).ok_or("`args` is not a list of texts")?),
    };
    if let Some(shell) = fields.get("shell").and_then(Value::as_str).filter(|shell| *shell != "bash") {
        return Err(format!("the shell \"{shell}\" is not supported"));
    }
    match (fields.get("command"), args) {
        (Some(Value::String(command)), _) if command.trim().is_empty() => {
            Err("the command is empty".to_owned())
        }
        (Some(Value::String(program)), Some(args)) => Ok(Handler::Program { program: program.clone(), args }),
        (Some(Value::String(command)), None) => Ok(Handler::Shell { command: command.clone() }),
        // Codex also takes the words of the command.
        (Some(list @ Value::Array(_)), None) => {
            let mut words = words(list).ok_or("`command` is not a list of texts")?.into_iter();
            let program = words.next().ok_or("the command is empty")?;
            Ok(Handler::Program { program, args: words.collect() })
        }
        _ => Err("a hook of type \"command\" needs a `command`".to_owned()),
    }
}

fn http(fields: &Map<String, Value>) -> Result<Handler, String> {
    let url = fields.get("url").and_then(Value::as_str).unwrap_or_default();
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err("`url` must start with http:// or https://".to_owned());
    }
    let headers = fields.get("headers").and_then(Value::as_object).into_iter().flatten();
    let headers = headers.map(|(name, value)| {
        let value = value.as_str().ok_or_else(|| format!("the header {name:?} is not a text"))?;
        Ok((name.clone(), value.to_owned()))
    });
    let allowed = fields.get("allowedEnvVars").and_then(Value::as_array).into_iter().flatten();
    Ok(Handler::Http {
        url: url.to_owned(),
        headers: headers.collect::<Result<_, String>>()?,
        allowed_env: allowed.filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}
