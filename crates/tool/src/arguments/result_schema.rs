//! The schema of a tool's structured result. Unlike arguments, a result may be any JSON value, and it is only checked: a
//! tool's or a server's own data is never repaired or completed.

use serde_json::Value;
use thiserror::Error;

use super::{
    MAX_DEPTH, is_deeper_than,
    report::problems,
    schema::{SchemaError, SchemaTree, copied},
};

/// Maximum number of problems a mismatch names.
const MAX_PROBLEMS: usize = 5;
/// Maximum number of characters of a mismatch.
const MAX_CHARS: usize = 500;

/// A compiled schema of structured results.
#[derive(Debug)]
pub struct ResultSchema {
    tree: SchemaTree,
}

/// The differences between a structured result and its schema, each with its path.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text}")]
#[non_exhaustive]
pub struct ResultMismatch {
    /// Paths and messages, separated by semicolons.
    pub text: String,
}

impl ResultSchema {
    /// Compiles a schema. References that need the network or a file are rejected, and so are schemas that would take too long
    /// to validate with.
    ///
    /// # Errors
    /// Fails if it is not a JSON Schema.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        Ok(Self { tree: SchemaTree::compile_any(copied(schema)?)? })
    }

    /// Checks a structured result.
    ///
    /// # Errors
    /// Fails with the first differences if it does not match.
    pub fn check(&self, structured: &Value) -> Result<(), ResultMismatch> {
        if is_deeper_than(structured, MAX_DEPTH) {
            return Err(ResultMismatch { text: format!("nested deeper than {MAX_DEPTH} levels") });
        }
        if self.tree.is_valid(structured) {
            return Ok(());
        }
        let found = problems(&self.tree, structured);
        let more = found.len().saturating_sub(MAX_PROBLEMS);
        let mut parts: Vec<String> = found
            .into_iter()
            .take(MAX_PROBLEMS)
            .map(|problem| format!("{}: {}", problem.path, problem.message))
            .collect();
        if more > 0 {
            parts.push(format!("and {more} more"));
        }
        Err(ResultMismatch { text: parts.join("; ").chars().take(MAX_CHARS).collect() })
    }
}
