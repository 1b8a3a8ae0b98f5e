//! Tools written as a function: the arguments are a struct, and its schema is made from it.

use std::{error::Error, future::Future, marker::PhantomData, sync::Arc};

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolsmith_tool::{Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait};

/// What a tool's function fails with. Any error becomes one by `?`, and so does a text by `.into()`; the model is told
/// its words. A [`ToolError`] keeps its meaning.
pub type AnyError = Box<dyn Error + Send + Sync>;

/// Makes a tool of a function. `A` is a struct whose fields are the arguments: what the model is told of them, and what
/// is checked before the function runs, is its schema, with the doc comments of its fields. It replaces `spec.parameters`.
///
/// A call takes the same path as every other: arguments are mended and checked, approval is asked for by the spec's tier
/// (`exec` unless it says otherwise), and when the call is stopped the function's future is dropped after a grace time.
///
/// The bound on `schemars::JsonSchema` is the one place where a crate other than serde shows; derive it with schemars 1.
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
            // The schema let it through, so the struct reads more strictly than its schema says.
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

/// An error with its causes, as far as they say more than it does.
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

/// The schema as model providers like it: in one piece, without names of Rust types.
fn schema<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(strip));
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    // The tool's own description says what the struct's would.
    schema.remove("description");
    schema.to_value()
}

/// Drops formats that only Rust knows, such as `uint32`; the bounds beside them say the same.
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
