//! Parsing of rule files.

use std::path::Path;

use thiserror::Error;

use super::{
    rule::{Condition, Rule},
    scope::{Glob, Scope},
};
use crate::front_matter::{FrontMatterError, flag, lists, split, texts};

/// Maximum size of a rule; a larger one would displace the actual work.
const MAX_BYTES: usize = 64 * 1024;
const MAX_CONDITIONS: usize = 50;

/// Errors of a rule file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct RuleError {
    message: String,
}

impl RuleError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl From<FrontMatterError> for RuleError {
    fn from(error: FrontMatterError) -> Self {
        Self::new(error.to_string())
    }
}

impl Rule {
    /// Parses a rule file. Returns `None` if it is disabled (`enabled: false`).
    ///
    /// # Errors
    /// Fails if any part of it cannot be understood, because a partially understood rule is not reliable.
    pub fn parse(path: &Path, text: &str) -> Result<Option<Self>, RuleError> {
        if text.len() > MAX_BYTES {
            return Err(RuleError::new(format!("it is larger than {} KB", MAX_BYTES >> 10)));
        }
        let (fields, text) = split(text)?;
        // A file without front matter always applies.
        let is_plain = fields.is_none();
        let fields = fields.unwrap_or_default();
        if flag(&fields, "enabled")? == Some(false) {
            return Ok(None);
        }
        let condition = texts(&fields, &["condition", "ttsr_trigger", "ttsrTrigger"])?;
        let globs = lists(&fields, &["globs", "paths"])?;
        let scope = lists(&fields, &["scope"])?;
        let interrupt = texts(&fields, &["interruptMode", "interrupt_mode"])?;
        let interrupt = interrupt.first().map(|word| word.trim().parse()).transpose();
        let interrupt = interrupt.map_err(|error| RuleError::new(format!("`interruptMode`: {error}")))?;
        if condition.len() > MAX_CONDITIONS {
            return Err(RuleError::new(format!("it has more than {MAX_CONDITIONS} conditions")));
        }
        let mut scopes = scope.iter().map(|token| Scope::parse(token)).collect::<Result<Vec<_>, _>>()?;
        if scopes.is_empty() {
            // Text does not belong to a file, so a rule about files does not match text unless it says so.
            scopes = if globs.is_empty() { Scope::default_ones() } else { vec![Scope::any_tool()] };
        }
        let text = text.trim();
        if text.is_empty() {
            return Err(RuleError::new("it has no text below the front matter"));
        }
        Ok(Some(Self {
            name: Self::name_of(path),
            path: path.to_path_buf(),
            text: text.to_owned(),
            description: texts(&fields, &["description"])?.into_iter().next().map(|line| one_line(&line)),
            files: globs.iter().map(|glob| Glob::parse(glob)).collect::<Result<_, _>>()?,
            conditions: condition
                .iter()
                .map(|text| Condition::parse(text, &scopes))
                .collect::<Result<_, _>>()?,
            always_apply: flag(&fields, "alwaysApply")?.unwrap_or(is_plain),
            interrupt,
            condition,
            globs,
            scope,
        }))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
