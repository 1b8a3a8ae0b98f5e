//! Matchers of hook files, and the rules of `if`: `Bash(git *)`.

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;
use serde_json::Value;
use thiserror::Error;

/// Maximum size of a compiled expression.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The matcher cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the matcher {text:?} is not a valid regular expression: {reason}")]
pub struct BadMatcher {
    /// The matcher.
    pub text: String,
    /// The error.
    pub reason: String,
}

/// Selects tools, or sources of events.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Matcher {
    /// Matches every tool or source.
    All,
    /// These names.
    Names(Vec<String>),
    /// Names that match as a whole.
    Pattern(Regex),
}

impl Matcher {
    /// Reads a matcher: empty or `*` matches everything, words separated by `|` match exactly, and anything else is a regular
    /// expression for the whole name.
    ///
    /// # Errors
    /// Fails if it is not a valid regular expression.
    pub fn parse(text: &str) -> Result<Self, BadMatcher> {
        let text = text.trim();
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '|' | '-')) {
            return Ok(Self::Names(
                text.split('|').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            ));
        }
        let bad = |error: regex::Error| BadMatcher { text: text.to_owned(), reason: error.to_string() };
        let whole = regex::RegexBuilder::new(&format!("^(?:{text})$"));
        let pattern = { whole }.size_limit(MAX_REGEX_BYTES).build().map_err(bad)?;
        Ok(Self::Pattern(pattern))
    }

    /// Matches one tool by its name, or every tool for `_all`.
    pub fn tool(name: &str) -> Self {
        if name == "_all" { Self::All } else { Self::Names(vec![name.to_owned()]) }
    }

    /// Returns whether one of the names matches.
    pub fn matches(&self, names: &[&str]) -> bool {
        match self {
            Self::All => true,
            Self::Names(wanted) => wanted.iter().any(|wanted| names.iter().any(|name| is_same(wanted, name))),
            Self::Pattern(pattern) => {
                names.iter().any(|name| pattern.is_match(name)) || matches_twin(pattern, names)
            }
        }
    }

    /// Returns the matcher as text; empty for everything.
    pub fn as_text(&self) -> String {
        match self {
            Self::All => String::new(),
            Self::Names(names) => names.join("|"),
            Self::Pattern(pattern) => {
                let text = pattern.as_str();
                text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$")).unwrap_or(text).to_owned()
            }
        }
    }
}

/// Compares names. Those of MCP servers that differ only in `-` and `_` are the same server.
fn is_same(wanted: &str, name: &str) -> bool {
    wanted == name || (name.starts_with("mcp__") && wanted.replace('-', "_") == name.replace('-', "_"))
}

/// Returns whether a pattern that names an MCP server matches the tools of the same server in its other spelling.
fn matches_twin(pattern: &regex::Regex, names: &[&str]) -> bool {
    let text = pattern.as_str();
    if !text.contains("mcp__") || !text.contains('-') || !names.iter().any(|name| name.starts_with("mcp__")) {
        return false;
    }
    let twin = regex::Regex::new(&text.replace('-', "_"));
    twin.is_ok_and(|twin| names.iter().any(|name| twin.is_match(&name.replace('-', "_"))))
}

/// The rule of `if`: a tool, and a pattern for its main argument.
#[derive(Clone, Debug)]
pub struct CallRule {
    tool: String,
    argument: Option<ArgumentPattern>,
}

#[derive(Clone, Debug)]
enum ArgumentPattern {
    /// A command line, with `*` for any text.
    Command(Regex),
    Path(GlobMatcher),
}

impl CallRule {
    /// Reads a rule; `None` if it is in no known form. A hook with such a rule runs for every call, because a guard that does
    /// not run protects nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let Some((tool, rest)) = text.split_once('(') else {
            return (!text.is_empty()).then(|| Self { tool: text.to_owned(), argument: None });
        };
        let pattern = rest.strip_suffix(')')?.trim();
        let argument = match (tool, pattern) {
            (_, "" | "*") => None,
            ("Bash", pattern) => Some(ArgumentPattern::Command(command_pattern(pattern)?)),
            (_, pattern) => {
                let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
                let anywhere = if pattern.starts_with('/') || pattern.starts_with("**") { "" } else { "**/" };
                let glob = GlobBuilder::new(&format!("{anywhere}{pattern}")).literal_separator(true).build();
                Some(ArgumentPattern::Path(glob.ok()?.compile_matcher()))
            }
        };
        Some(Self { tool: tool.trim().to_owned(), argument })
    }

    /// Returns whether the rule covers a call, given the names of its tool and its input in the names of Claude Code.
    pub fn covers(&self, names: &[&str], input: &Value) -> bool {
        if !names.contains(&self.tool.as_str()) {
            return false;
        }
        match &self.argument {
            None => true,
            // A command line may contain several commands; each could be the one that is meant.
            Some(ArgumentPattern::Command(pattern)) => input["command"].as_str().is_none_or(|command| {
                pattern.is_match(command.trim())
                        || command.split([';', '&', '|', '\n']).any(|part| pattern.is_match(part.trim()))
                        // What a substitution runs cannot be seen from outside.
                        || command.contains("$(")
                        || command.contains('`')
            }),
            Some(ArgumentPattern::Path(pattern)) => ["file_path", "path", "pattern"]
                .iter()
                .find_map(|key| input[*key].as_str())
                .is_none_or(|path| pattern.is_match(path)),
        }
    }
}

fn command_pattern(pattern: &str) -> Option<Regex> {
    // `git:*` is an older form of `git *`; both also mean `git` alone.
    let pattern = pattern.strip_suffix(":*").map_or_else(|| pattern.to_owned(), |start| format!("{start} *"));
    let mut text = String::from("(?s)^");
    let body = pattern.strip_suffix(" *");
    let parts: Vec<String> = body.unwrap_or(&pattern).split('*').map(regex::escape).collect();
    text.push_str(&parts.join(".*"));
    text.push_str(if body.is_some() { "(?: .*)?$" } else { "$" });
    regex::RegexBuilder::new(&text).size_limit(MAX_REGEX_BYTES).build().ok()
}

#[cfg(test)]
#[path = "matcher_tests.rs"]
mod tests;
