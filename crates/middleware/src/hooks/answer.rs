//! The answer of a hook: exit code and output, in the format of Claude Code and in our own for file hooks. Several answers to
//! one event are one, in which the strictest decision counts.

use serde_json::{Map, Value};
use toolsmith_tool::ContentBlock;

use super::{
    command::Ran,
    definition::{Dialect, Hook, HookEvent},
};

/// Exit code that blocks.
const BLOCK: i32 = 2;
/// Maximum characters of one text for the model.
const MAX_CONTEXT_CHARS: usize = 10_000;

/// Answer of one or several hooks.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Decision about a call.
    pub permission: Option<Permission>,
    /// Its reason.
    pub reason: Option<String>,
    /// New input of the call, in the names of the hook.
    pub input: Option<Value>,
    /// The event is blocked, or the model continues, with this reason.
    pub block: Option<String>,
    /// The run stops, with this reason.
    pub stop: Option<String>,
    /// Texts for the model.
    pub context: Vec<String>,
    /// Texts for the person.
    pub messages: Vec<String>,
    /// Problems of the answer.
    pub warnings: Vec<String>,
    /// Output in place of the tool's own, in the names of the hook.
    pub output: Option<Value>,
    /// New content of the result.
    pub content: Option<Vec<ContentBlock>>,
    /// New details of the result.
    pub details: Option<Value>,
    /// New error flag of the result.
    pub is_error: Option<bool>,
}

impl Answer {
    /// Reads what a hook answered to an event.
    ///
    /// # Errors
    /// Fails with the reason if the hook failed: another exit code than 0 or 2, or an answer that cannot be read.
    pub(super) fn read(hook: &Hook, event: HookEvent, ran: &Ran) -> Result<Self, String> {
        let stderr = ran.stderr.trim();
        match ran.code {
            0 => Self::read_output(hook, event, ran.stdout.trim()),
            BLOCK if hook.dialect == Dialect::Codex && stderr.is_empty() => {
                Err("exit code 2 without a reason on standard error".to_owned())
            }
            BLOCK => Ok(Self::blocked(hook, event, stderr)),
            code if stderr.is_empty() => Err(format!("exit code {code}")),
            code => Err(format!("exit code {code}: {}", cut(stderr))),
        }
    }

    /// Returns the answer that a failure stands for. With a reason it blocks what the event asks about.
    pub(super) fn of_failure(event: HookEvent, blocked: Option<String>) -> Self {
        let mut answer = Self::default();
        match event {
            HookEvent::PreToolUse | HookEvent::PermissionRequest if blocked.is_some() => {
                answer.permission = Some(Permission::Deny);
                answer.reason = blocked;
            }
            HookEvent::UserPromptSubmit | HookEvent::PreCompact => answer.block = blocked,
            _ => {}
        }
        answer
    }

    /// Returns whether it denies a call or blocks an event.
    pub(super) fn denies(&self) -> bool {
        self.permission == Some(Permission::Deny) || self.block.is_some()
    }

    fn blocked(hook: &Hook, event: HookEvent, reason: &str) -> Self {
        let reason =
            if reason.is_empty() { format!("Blocked by the hook {}", hook.label()) } else { cut(reason) };
        let mut answer = Self::default();
        match event {
            HookEvent::PreToolUse | HookEvent::PermissionRequest => {
                answer.permission = Some(Permission::Deny);
                answer.reason = Some(reason);
            }
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure if hook.is_file() => {
                answer.content = Some(vec![ContentBlock::text(reason)]);
                answer.is_error = Some(true);
            }
            HookEvent::SessionStart
            | HookEvent::SessionEnd
            | HookEvent::Notification
            | HookEvent::PostCompact => {
                answer.messages.push(reason);
            }
            _ => answer.block = Some(reason),
        }
        answer
    }

    fn read_output(hook: &Hook, event: HookEvent, stdout: &str) -> Result<Self, String> {
        let stdout = stdout.trim_start_matches('\u{feff}').trim_start();
        if !stdout.starts_with('{') {
            return Ok(Self::plain(hook, event, stdout));
        }
        let fields: Map<String, Value> =
            serde_json::from_str(stdout).map_err(|error| format!("its answer is not valid JSON: {error}"))?;
        let mut answer = Self::default();
        answer.read_universal(&fields)?;
        answer.read_decision(event, &fields)?;
        if let Some(specific) = fields.get("hookSpecificOutput") {
            let specific = specific.as_object().ok_or("hookSpecificOutput is not an object")?;
            answer.read_specific(event, specific)?;
        }
        if hook.is_file() {
            answer.read_own(event, &fields)?;
        }
        Ok(answer)
    }

    /// Reads output that is not JSON.
    fn plain(hook: &Hook, event: HookEvent, stdout: &str) -> Self {
        let mut answer = Self::default();
        let is_context = match event {
            HookEvent::UserPromptSubmit | HookEvent::SessionStart => true,
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure => hook.is_file(),
            _ => false,
        };
        match (is_context, stdout.is_empty()) {
            (_, true) => {}
            (true, false) => answer.context.push(cut(stdout)),
            (false, false) => tracing::debug!(hook = hook.label(), stdout, "A hook printed text"),
        }
        answer
    }

    /// Reads the fields that every event has.
    fn read_universal(&mut self, fields: &Map<String, Value>) -> Result<(), String> {
        if flag(fields, "continue")? == Some(false) {
            let reason = text(fields, "stopReason")?.unwrap_or_else(|| "a hook stopped the run".to_owned());
            self.stop = Some(reason);
        }
        self.messages.extend(text(fields, "systemMessage")?);
        Ok(())
    }

    /// Reads `decision` and `reason`: for calls an older form of `permissionDecision`.
    fn read_decision(&mut self, event: HookEvent, fields: &Map<String, Value>) -> Result<(), String> {
        let Some(decision) = text(fields, "decision")? else { return Ok(()) };
        let reason = text(fields, "reason")?.map(|reason| cut(&reason));
        let is_call = matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest);
        match (decision.as_str(), is_call) {
            ("block" | "deny", true) => (self.permission, self.reason) = (Some(Permission::Deny), reason),
            ("approve" | "allow", true) => (self.permission, self.reason) = (Some(Permission::Allow), reason),
            ("ask", true) => (self.permission, self.reason) = (Some(Permission::Ask), reason),
            ("block" | "deny", false) => {
                self.block = Some(reason.unwrap_or_else(|| "Blocked by a hook".to_owned()))
            }
            ("approve" | "allow", false) => {}
            (other, _) => return Err(format!("unknown decision {other:?}")),
        }
        Ok(())
    }

    fn read_specific(&mut self, event: HookEvent, fields: &Map<String, Value>) -> Result<(), String> {
        if let Some(context) = text(fields, "additionalContext")?.filter(|text| !text.trim().is_empty()) {
            self.context.push(cut(&context));
        }
        match event {
            HookEvent::PreToolUse => {
                if let Some(word) = text(fields, "permissionDecision")? {
                    self.permission = Some(permission(&word)?);
                    self.reason = text(fields, "permissionDecisionReason")?.map(|reason| cut(&reason));
                }
                self.input = input(fields)?;
            }
            HookEvent::PermissionRequest => self.read_permission_request(fields)?,
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
                let output = fields.get("updatedToolOutput").or_else(|| fields.get("updatedMCPToolOutput"));
                self.output = output.filter(|output| !output.is_null()).cloned();
            }
            _ => {}
        }
        Ok(())
    }

    fn read_permission_request(&mut self, fields: &Map<String, Value>) -> Result<(), String> {
        let Some(decision) = fields.get("decision") else { return Ok(()) };
        let decision = decision.as_object().ok_or("decision is not an object")?;
        match text(decision, "behavior")?.as_deref() {
            // What was approved has to be what runs, so a changed input is for the person to see.
            Some("allow") if decision.get("updatedInput").is_some_and(|input| !input.is_null()) => {
                self.warnings.push(
                    "updatedInput of PermissionRequest is not supported; the person is asked".to_owned(),
                );
            }
            Some("allow") => self.permission = Some(Permission::Allow),
            Some("deny") => {
                self.permission = Some(Permission::Deny);
                self.reason = text(decision, "message")?.map(|reason| cut(&reason));
                if flag(decision, "interrupt")? == Some(true) {
                    self.stop =
                        Some(self.reason.clone().unwrap_or_else(|| "a hook stopped the run".to_owned()));
                }
            }
            Some(other) => return Err(format!("unknown behavior {other:?}")),
            None => {}
        }
        if decision.contains_key("updatedPermissions") {
            self.warnings.push("updatedPermissions of PermissionRequest is not supported".to_owned());
        }
        Ok(())
    }

    /// Reads the format of file hooks.
    fn read_own(&mut self, event: HookEvent, fields: &Map<String, Value>) -> Result<(), String> {
        if let Some(context) = text(fields, "context")?.filter(|text| !text.trim().is_empty()) {
            self.context.push(cut(&context));
        }
        if event != HookEvent::PreToolUse {
            self.content = match fields.get("content") {
                None | Some(Value::Null) => self.content.take(),
                Some(Value::String(text)) => Some(vec![ContentBlock::text(text.as_str())]),
                Some(content) => Some(
                    serde_json::from_value(content.clone())
                        .map_err(|error| format!("its content is not a list of content blocks: {error}"))?,
                ),
            };
            self.details = fields.get("details").cloned();
            self.is_error = flag(fields, "isError")?;
            return Ok(());
        }
        if flag(fields, "block")? == Some(true) {
            self.permission = Some(Permission::Deny);
            self.reason = text(fields, "reason")?.map(|reason| cut(&reason));
        } else if let Some(word) = text(fields, "approval")? {
            self.permission = Some(permission(&word)?);
            self.reason = text(fields, "reason")?.map(|reason| cut(&reason));
        }
        if let Some(own) = fields.get("input").filter(|own| !own.is_null()) {
            if !own.is_object() {
                return Err("its input is not an object".to_owned());
            }
            self.input = Some(own.clone());
        }
        Ok(())
    }
}

fn permission(word: &str) -> Result<Permission, String> {
    match word {
        "allow" | "approve" => Ok(Permission::Allow),
        "ask" => Ok(Permission::Ask),
        "defer" => Ok(Permission::Defer),
        "deny" | "block" => Ok(Permission::Deny),
        other => Err(format!("unknown decision {other:?}; expected allow, ask or deny")),
    }
}

fn input(fields: &Map<String, Value>) -> Result<Option<Value>, String> {
    match fields.get("updatedInput") {
        None | Some(Value::Null) => Ok(None),
        Some(input @ Value::Object(_)) => Ok(Some(input.clone())),
        Some(_) => Err("updatedInput is not an object".to_owned()),
    }
}

/// A field of another type is a failure: a guard that means to block must not be misread.
fn flag(fields: &Map<String, Value>, name: &str) -> Result<Option<bool>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(other) => Err(format!("{name} is {other}, not true or false")),
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("{name} is {other}, not a text")),
    }
}

/// Limits a text for the model.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CONTEXT_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => {
            format!("{}\n[{} bytes of the hook's output left out]", &text[..at], text.len() - at)
        }
    }
}

/// Decision of a hook about a call, least strict first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Permission {
    /// The call runs without a question about its tier.
    Allow,
    /// The person is asked.
    Ask,
    /// The call is put off, which is not possible here: it does not run.
    Defer,
    /// The call does not run.
    Deny,
}

impl Answer {
    /// Adds an answer that was given later. Of two inputs the later one counts, and texts are joined.
    pub(super) fn merge(&mut self, later: Self) {
        let stricter = later.permission > self.permission;
        if later.permission.is_some() && later.permission == self.permission {
            self.reason = joined(self.reason.take(), later.reason);
        } else if stricter {
            self.permission = later.permission;
            self.reason = later.reason;
        }
        self.input = later.input.or(self.input.take());
        self.block = joined(self.block.take(), later.block);
        self.stop = joined(self.stop.take(), later.stop);
        self.context.extend(later.context);
        self.messages.extend(later.messages);
        self.warnings.extend(later.warnings);
        self.content = later.content.or(self.content.take());
        self.details = later.details.or(self.details.take());
        self.is_error = later.is_error.or(self.is_error);
        self.output = later.output.or(self.output.take());
    }
}

fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(format!("{one}\n{other}")),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
