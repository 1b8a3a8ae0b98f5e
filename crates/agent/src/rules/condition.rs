//! When a rule is met: a regular expression, and where it is looked for.

use regex::{Regex, RegexBuilder};

use super::{
    file::RuleError,
    scope::{Glob, Scope, looks_like_glob},
};

/// What an expression may take when it is compiled. Matching takes time in proportion to it.
const MAX_COMPILED: usize = 1 << 20;
/// Tools a condition that is a pattern of file names watches.
const WRITERS: [&str; 2] = ["edit", "write"];

/// One condition of a rule; any of them is enough.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// `None` is met by anything.
    pub(super) expression: Option<Regex>,
    pub(super) scopes: Vec<Scope>,
}

impl Condition {
    /// A regular expression looked for in `scopes`; a pattern of file names is met when such a file is edited or written.
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
            // The last line says what is wrong; those before it point there.
            let reason = told.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            RuleError::new(format!("the condition \"{text}\" is no regular expression: {reason}"))
        })?;
        Ok(Self { expression: Some(expression), scopes: scopes.to_vec() })
    }
}
