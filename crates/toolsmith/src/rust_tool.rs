//! Tools written as a function: the arguments are a struct, from which the schema is derived.

use std::{error::Error, future::Future, marker::PhantomData, sync::Arc};

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolsmith_tool::{Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait};

/// Error of a tool function. `?` converts any error, and `.into()` a text; the model receives the message. A
/// [`ToolError`] keeps its meaning.
pub type AnyError = Box<dyn Error + Send + Sync>;

/// Creates a tool from a function. `A` is a struct whose fields are the arguments. Its schema, with the doc comments of the
/// fields as descriptions, replaces `spec.parameters`.
///
/// Calls take the same path as those of every other tool: arguments are repaired and validated, approval follows the spec's
/// tier (default `exec`), and when a call is stopped the function's future is dropped after a grace time.
///
/// Derive `schemars::JsonSchema` with schemars 1.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolsmith::{Tier, ToolSpec, rust_tool};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Count {
///     /// The text to look at.
///     text: String,
/// }
///
/// let spec = ToolSpec::new("count_words", "Counts the words of a text").approval(Tier::Read);
/// let tool = rust_tool(spec, |args: Count, _context| async move {
///     Ok(format!("{} words", args.text.split_whitespace().count()))
/// });
/// assert_eq!(tool.spec().parameters["properties"]["text"]["description"], "The text to look at.");
/// ```
pub fn rust_tool<A, R, F, W>(spec: ToolSpec, run: F) -> Arc<dyn Tool>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: Into<ToolResult> + 'static,
    F: Fn(A, ToolContext) -> W + Send + Sync + 'static,
    W: Future<Output = Result<R, AnyError>> + Send + 'static,
{
    let spec = spec.parameters(schema::<A>());
    Arc::new(RustTool { spec, run, arguments: PhantomData::<fn(A) -> W> })
}

struct RustTool<A, W, F> {
    spec: ToolSpec,
    run: F,
    arguments: PhantomData<fn(A) -> W>,
}

#[async_trait]
impl<A, R, W, F> Tool for RustTool<A, W, F>
where
    A: DeserializeOwned + Send + 'static,
    R: Into<ToolResult> + 'static,
    F: Fn(A, ToolContext) -> W + Send + Sync,
    W: Future<Output = Result<R, AnyError>> + Send + 'static,
{
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let running = match serde_json::from_value(call.arguments) {
            Ok(arguments) => (self.run)(arguments, context),
            // The schema accepted the value, so the struct is stricter than its schema.
            Err(error) => {
                return Err(ToolError::reply(format!(
                    "Invalid arguments for \"{}\": {error}",
                    self.spec.name
                )));
            }
        };
        running.await.map(Into::into).map_err(failure)
    }
}

fn failure(error: AnyError) -> ToolError {
    match error.downcast::<ToolError>() {
        Ok(error) => *error,
        Err(error) => ToolError::reply(told(error.as_ref())),
    }
}

/// Formats an error with its causes, omitting repetitions.
fn told(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

/// Returns the schema in the form providers accept: self-contained, without Rust type names.
fn schema<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(strip));
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    // The tool's own description takes precedence over the struct's.
    schema.remove("description");
    schema.to_value()
}

/// Removes Rust-specific formats such as `uint32`; the bounds express the same.
fn strip(schema: &mut Schema) {
    let is_number = |format: &str| {
        let word = format.trim_start_matches('u');
        word.starts_with("int") || matches!(word, "float" | "double")
    };
    if schema.get("format").and_then(Value::as_str).is_some_and(is_number) {
        schema.remove("format");
    }
}

#[cfg(test)]
#[path = "rust_tool_tests.rs"]
mod tests;
