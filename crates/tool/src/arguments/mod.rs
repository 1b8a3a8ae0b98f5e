//! Argument preparation between model and tool (CONTRACT 4.2): parsed, repaired where that is safe, completed with
//! defaults and validated, or rejected with a message the model can act on.
//!
//! Two rules hold throughout. A valid value is never changed. A value that cannot be made valid is not partially
//! changed: the tool receives only fully valid arguments.

mod defaults;
mod dialect;
mod plain;
mod repair;
mod report;
mod result_schema;
mod schema;

use std::sync::Arc;

use serde_json::Value;

pub use report::ArgumentError;
pub use result_schema::{ResultMismatch, ResultSchema};
pub use schema::SchemaError;

use report::Problem;
use schema::{SchemaTree, copied};

/// Maximum nesting depth of arguments. It equals the JSON parser's own limit and bounds every recursion below.
const MAX_DEPTH: usize = 128;

/// A tool's parameters, compiled once: at registration, or at the first call if compilation cannot fail.
#[derive(Debug)]
pub struct ArgumentSchema {
    tree: SchemaTree,
}

/// A repair of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Path of the repaired value.
    pub path: String,
    /// Name of the rule.
    pub rule: &'static str,
}

/// Prepared arguments, and the repairs that were made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prepared {
    /// Valid for the schema, with defaults filled in.
    pub arguments: Value,
    /// Repairs, for logs; empty if the model's arguments were valid.
    pub repairs: Vec<Repair>,
}

impl ArgumentSchema {
    /// Prepares the schema compiler, which takes as long as loading a tool. This otherwise happens with the first
    /// arguments; a program about to call a tool can do it early on another thread.
    pub fn warm_up() {
        let _ = schema::build(&serde_json::json!({ "type": "object" }));
    }

    /// Reads the schema and compiles it if compilation could fail. References that need the network or a file are
    /// rejected.
    ///
    /// # Errors
    /// Fails if it is not a JSON Schema for an object.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        Self::compile_shared(copied(schema)?)
    }

    /// Does the same without a copy of the schema.
    ///
    /// # Errors
    /// Fails if it is not a JSON Schema for an object.
    pub fn compile_shared(schema: Arc<Value>) -> Result<Self, SchemaError> {
        Ok(Self { tree: SchemaTree::compile(schema)? })
    }

    /// Prepares arguments that arrived as JSON text, as models send them. Empty text means no arguments.
    ///
    /// # Errors
    /// Fails if the text is not JSON and cannot be repaired, or the value is invalid.
    pub fn prepare_text(&self, tool: &str, text: &str) -> Result<Prepared, ArgumentError> {
        if text.trim().is_empty() {
            return self.prepare(tool, Value::Object(serde_json::Map::new()));
        }
        match serde_json::from_str(text) {
            Ok(value) => self.prepare(tool, value),
            Err(error) => match repair::read_broken_json(text) {
                Some(value) => {
                    let mut prepared = self.prepare(tool, value)?;
                    prepared.repairs.insert(0, Repair { path: String::new(), rule: "broken_json" });
                    Ok(prepared)
                }
                None => Err(ArgumentError::not_json(tool, text, &error)),
            },
        }
    }

    /// Returns whether arguments are valid as they are.
    pub fn accepts(&self, arguments: &Value) -> bool {
        !is_deeper_than(arguments, MAX_DEPTH) && self.tree.is_valid(arguments)
    }

    /// Prepares arguments given as a value.
    ///
    /// # Errors
    /// Fails if they are nested too deeply, or invalid and not repairable.
    pub fn prepare(&self, tool: &str, arguments: Value) -> Result<Prepared, ArgumentError> {
        if is_deeper_than(&arguments, MAX_DEPTH) {
            take_apart(arguments);
            return Err(ArgumentError::too_deep(tool, MAX_DEPTH));
        }
        let (mut arguments, repairs) = if self.tree.is_valid(&arguments) {
            (arguments, Vec::new())
        } else {
            let attempt = repair::repair(&self.tree, arguments.clone());
            if !self.tree.is_valid(&attempt.value) {
                // The model has to correct what remains invalid after repair; the message shows what it sent.
                let problems = report::problems(&self.tree, &attempt.value);
                return Err(ArgumentError::invalid(tool, problems, &arguments));
            }
            (attempt.value, attempt.applied)
        };
        defaults::fill(&self.tree, &mut arguments);
        Ok(Prepared { arguments, repairs })
    }

    /// Formats problems found by the tool's own validation code, with the same text and truncation.
    pub fn refuse(tool: &str, problems: Vec<(String, String)>, received: &Value) -> ArgumentError {
        let problems = problems.into_iter().map(|(path, message)| Problem { path, message }).collect();
        ArgumentError::invalid(tool, problems, received)
    }
}

/// Checks the depth without recursion, so that no input can exhaust the stack.
fn is_deeper_than(value: &Value, limit: usize) -> bool {
    let mut stack = vec![(value, 0)];
    while let Some((value, depth)) = stack.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => stack.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    false
}

/// Drops a deep value level by level, because the ordinary drop recurses as deep as the value.
fn take_apart(value: Value) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(map) => stack.extend(map.into_iter().map(|(_, item)| item)),
            _ => {}
        }
    }
}
