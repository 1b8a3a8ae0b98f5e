//! Scopes of a rule: text, thinking, tool calls, and calls that concern certain files.

use globset::{GlobBuilder, GlobMatcher};

use super::file::RuleError;

/// A part of the model's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    Text,
    Thinking,
    /// The arguments of a call of this tool.
    Tool(&'a str),
}

impl Place<'_> {
    pub(super) fn is_tool(self) -> bool {
        matches!(self, Self::Tool(_))
    }
}

/// One scope.
#[derive(Clone, Debug)]
pub(super) enum Scope {
    Text,
    Thinking,
    Tool {
        /// `None` is any tool.
        name: Option<String>,
        /// Only calls that concern these files.
        files: Option<Glob>,
    },
}

impl Scope {
    /// Returns the default scopes.
    pub(super) fn default_ones() -> Vec<Self> {
        vec![Self::Text, Self::any_tool()]
    }

    pub(super) fn any_tool() -> Self {
        Self::Tool { name: None, files: None }
    }

    /// Parses `text`, `thinking`, `tool`, `tool(glob)`, `tool:name`, `tool:name(glob)`, `name`, `name(glob)`.
    pub(super) fn parse(token: &str) -> Result<Self, RuleError> {
        let wrong = || {
            RuleError::new(format!(
                "invalid `scope` \"{token}\"; expected text, thinking, tool, tool:NAME or tool:NAME(GLOB)"
            ))
        };
        let (word, files) = match token.split_once('(') {
            Some((word, rest)) => {
                (word, Some(Glob::parse(rest.strip_suffix(')').ok_or_else(wrong)?.trim())?))
            }
            None => (token, None),
        };
        let word = word.trim();
        let name = match word.strip_prefix("tool:").map(str::trim) {
            Some(name) => Some(name),
            None if word == "tool" => None,
            None if word == "text" && files.is_none() => return Ok(Self::Text),
            None if word == "thinking" && files.is_none() => return Ok(Self::Thinking),
            None => Some(word),
        };
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        match name {
            Some("*") | None => Ok(Self::Tool { name: None, files }),
            Some(name) if !is_name(name) => Err(wrong()),
            Some(name) => Ok(Self::Tool { name: Some(name.to_owned()), files }),
        }
    }

    pub(super) fn admits(&self, place: Place<'_>) -> bool {
        match (self, place) {
            (Self::Text, Place::Text) | (Self::Thinking, Place::Thinking) => true,
            (Self::Tool { name, .. }, Place::Tool(called)) => {
                name.as_deref().is_none_or(|name| name == called)
            }
            _ => false,
        }
    }

    /// Returns whether a call that concerns these files is in scope.
    pub(super) fn admits_files(&self, paths: &[String]) -> bool {
        match self {
            Self::Tool { files: Some(files), .. } => files.matches_any(paths),
            _ => true,
        }
    }
}

/// A file pattern.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    matcher: GlobMatcher,
}

impl Glob {
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let glob = glob
            .map_err(|error| RuleError::new(format!("\"{text}\" is not a file pattern: {}", error.kind())))?;
        Ok(Self { matcher: glob.compile_matcher() })
    }

    /// Matches the whole path, the file name, or the path from any directory on: a call may name a file in full where
    /// the pattern is relative to the project.
    pub(super) fn matches_any(&self, paths: &[String]) -> bool {
        paths.iter().any(|path| {
            let path = path.strip_prefix("./").unwrap_or(path);
            let from_each_folder = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            std::iter::once(path).chain(from_each_folder).any(|part| self.matcher.is_match(part))
        })
    }
}

/// Returns whether a condition is a file pattern rather than a regular expression.
pub(super) fn looks_like_glob(condition: &str) -> bool {
    let only_regex = |c: char| matches!(c, '\\' | '^' | '$' | '|' | '(' | ')' | '+') || c.is_whitespace();
    let begins = condition.starts_with('*') || condition.contains("**/") || condition.contains("/*");
    begins && !condition.contains(only_regex)
}
