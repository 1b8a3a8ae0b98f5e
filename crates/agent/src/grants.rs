//! Permission for calls without a question until the session ends, as skills and commands of the user request it
//! (`allowed-tools`). A grant never covers what the user denied or wants to be asked about, nor a call that is dangerous by the
//! tool's own judgement.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use toolsmith_tool::{Approval, ApprovalPolicy, Tier};

/// Names of Claude Code for built-in tools.
const NAMES: &[(&str, &str)] = &[
    ("Bash", "bash"),
    ("Read", "read"),
    ("Write", "write"),
    ("Edit", "edit"),
    ("MultiEdit", "edit"),
    ("Grep", "grep"),
    ("Glob", "find"),
    ("LS", "ls"),
    ("TodoWrite", "todo_write"),
];
/// Characters that make more than one command of a text, or redirect it.
const OPERATORS: &[char] = &[';', '&', '|', '<', '>', '`', '\n', '\r', '(', ')', '{', '}'];

/// Permission for calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    tool: String,
    /// Which shell commands it covers; `None` for all calls.
    command: Option<String>,
}

impl Grant {
    /// Reads a grant in the notation of Claude Code: `Read`, `Bash(git add:*)`. `None` if it cannot be granted, such as
    /// patterns for tools other than `Bash`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, pattern) = match text.trim().split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')')?.trim())),
            None => (text.trim(), None),
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let tool = NAMES.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours);
        let command = pattern.filter(|pattern| !matches!(*pattern, "" | "*" | ":*"));
        if command.is_some() && tool != "bash" {
            return None;
        }
        Some(Self { tool: tool.to_owned(), command: command.map(str::to_owned) })
    }

    fn covers(&self, tool: &str, arguments: &Value) -> bool {
        if self.tool != tool {
            return false;
        }
        let Some(pattern) = &self.command else { return true };
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default().trim();
        // A prefix says nothing about a second command, or one that is substituted.
        if command.is_empty() || command.contains(OPERATORS) || command.contains("$(") {
            return false;
        }
        match pattern.strip_suffix(":*") {
            Some(prefix) => {
                command.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }
            None => matches_stars(pattern, command),
        }
    }
}

/// Matches a text against a pattern in which `*` stands for any text. A last ` *` also matches nothing.
fn matches_stars(pattern: &str, text: &str) -> bool {
    if pattern.strip_suffix(" *").is_some_and(|start| !start.contains('*') && start == text) {
        return true;
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The grants of a session.
#[derive(Debug, Default)]
pub(crate) struct Grants(Mutex<Vec<Grant>>);

impl Grants {
    /// Forgets all of them: another session begins.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn add(&self, grants: impl IntoIterator<Item = Grant>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for grant in grants {
            if !known.contains(&grant) {
                known.push(grant);
            }
        }
    }

    /// Returns whether a call that would be asked about is granted. `declared` is the tier of the tool itself: a call that
    /// needs more, such as a write outside the project, is not covered.
    pub(crate) fn cover(
        &self,
        tool: &str,
        arguments: &Value,
        approval: &Approval,
        declared: Tier,
        policy: Option<ApprovalPolicy>,
    ) -> bool {
        if approval.override_mode
            || approval.policy.is_some_and(|policy| policy != ApprovalPolicy::Allow)
            || policy.is_some_and(|policy| policy != ApprovalPolicy::Allow)
            || approval.tier > declared
        {
            return false;
        }
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(|grant| grant.covers(tool, arguments))
    }
}

#[cfg(test)]
#[path = "grants_tests.rs"]
mod tests;
