//! A rule's condition: a regular expression and its scopes.

use regex::{Regex, RegexBuilder};

use super::{
    file::RuleError,
    scope::{Glob, Scope, looks_like_glob},
};

/// Maximum size of a compiled expression. Matching time is proportional to it.
const MAX_COMPILED: usize = 1 << 20;
/// Tools watched by a condition that is a file pattern.
const WRITERS: [&str; 2] = ["edit", "write"];

/// One condition of a rule; any one is sufficient.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// `None` matches anything.
    pub(super) expression: Option<Regex>,
    pub(super) scopes: Vec<Scope>,
}

impl Condition {
    /// Creates a condition: a regular expression searched for in `scopes`, or a file pattern that matches when such a
    /// file is edited or written.
    pub(super) fn parse(text: &str, scopes: &[Scope]) -> Result<Self, RuleError> {
        let text = text.trim();
        if looks_like_glob(text) {
            let files = Glob::parse(text)?;
            let scope = |name: &str| Scope::Tool { name: Some(name.to_owned()), files: Some(files.clone()) };
            return Ok(Self { expression: None, scopes: WRITERS.into_iter().map(scope).collect() });
        }
        let built = RegexBuilder::new(text).size_limit(MAX_COMPILED).dfa_size_limit(4 * MAX_COMPILED).build();
        let expression = built.map_err(|error| {
            let told = error.to_string();
            // The last line has the error; the lines before it point to the position.
            let reason = told.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            RuleError::new(format!("the condition \"{text}\" is not a valid regular expression: {reason}"))
        })?;
        Ok(Self { expression: Some(expression), scopes: scopes.to_vec() })
    }
}
