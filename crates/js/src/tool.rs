//! A module's tool, as the rest of the program sees it.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};
use toolsmith_host::location::directory_line;
use toolsmith_tool::{
    Approval, ArgumentSchema, CallTape, Place, RenderHooks, RenderOptions, RenderedLines, ResultSchema,
    SessionEvent, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use crate::{
    described::{DescribedTool, read_approval},
    errors::LoadError,
    instance::{Answer, CallFailure, CallKind, Drawn},
    load::SchemaKind,
    module::ModuleHost,
    options::EngineKind,
    wrapped_tool::{OpenCall, Wrapped},
};

/// A tool written in TypeScript or JavaScript.
#[derive(Clone)]
pub(crate) struct JsTool {
    spec: ToolSpec,
    module: Arc<ModuleHost>,
    decides_approval: bool,
    has_approval_details: bool,
    render_hooks: RenderHooks,
    has_on_session: bool,
    has_prepare: bool,
    /// The built-in tool it is made from.
    wrapped: Option<Arc<Wrapped>>,
    /// Parameters are of a library whose code checks more than JSON Schema can say.
    has_own_check: bool,
    /// A failing renderer is logged once.
    render_failure_logged: Arc<AtomicBool>,
    /// The tape of the call that it is bound to.
    tape: Option<CallTape>,
}

impl JsTool {
    pub(crate) fn new(module: Arc<ModuleHost>, described: &DescribedTool) -> Result<Self, String> {
        let spec = described.spec();
        // Checked here rather than at registration, so that the error is reported with its module. Definitions with errors are
        // not cached.
        if !module.is_cached() {
            ArgumentSchema::compile_shared(Arc::clone(&spec.parameters))
                .map_err(|error| format!("Tool \"{}\" has invalid parameters: {error}", spec.name))?;
            if let Some(schema) = &spec.output_schema {
                ResultSchema::compile(schema).map_err(|error| {
                    format!("Tool \"{}\" has an invalid outputSchema: {error}", spec.name)
                })?;
            }
        }
        let mut render_hooks = RenderHooks::new(described.has_render_call, described.has_render_result);
        render_hooks.own_frame = described.own_frame;
        render_hooks.merges = described.merges_result;
        render_hooks.animates = described.animates;
        Ok(Self {
            spec,
            module,
            decides_approval: described.decides_approval(),
            has_approval_details: described.has_approval_details,
            render_hooks,
            has_on_session: described.has_on_session,
            has_prepare: described.has_prepare,
            wrapped: described.wraps.as_ref().map(|wraps| Arc::new(Wrapped::new(wraps))),
            has_own_check: matches!(described.schema, SchemaKind::Zod | SchemaKind::ArkType),
            render_failure_logged: Arc::default(),
            tape: None,
        })
    }

    /// Returns the approval that the tool declares, or that of the built-in tool it is made from.
    async fn own_approval(&self, arguments: &Value) -> Approval {
        if !self.decides_approval {
            return self.spec.approval.clone();
        }
        let wrapped = self.wrapped.as_ref().filter(|wrapped| wrapped.keeps_approval());
        if let Some(tool) = wrapped.and_then(|wrapped| wrapped.tool(&self.module, arguments)) {
            return tool.approval(arguments).await;
        }
        // A hook that fails, or returns something other than an approval, leaves the strictest answer.
        let answer = self.ask("approval", arguments).await.unwrap_or(Value::Null);
        read_approval(&answer).unwrap_or_else(|| {
            let answer: String = answer.to_string().chars().take(200).collect();
            tracing::warn!(
                tool = self.spec.name,
                answer,
                "The tool's approval function did not return an approval; the call counts as exec"
            );
            Approval::default()
        })
    }

    /// Returns the built-in tool that makes the call which these arguments describe.
    fn working_tool(&self, arguments: &Value) -> Option<Arc<dyn Tool>> {
        self.wrapped.as_ref()?.working_tool(&self.module, arguments)
    }

    fn other_directory(&self) -> Option<PathBuf> {
        self.wrapped.as_ref()?.other_directory(&self.module)
    }

    /// Makes a call of the kind that `make` returns for this tool's number.
    async fn call(
        &self,
        make: impl FnOnce(u32) -> CallKind,
        context: ToolContext,
    ) -> Result<Answer, CallFailure> {
        let tape = context.tape.clone();
        let found = self.module.instance_for(tape.as_ref()).await;
        // Also of a load that failed, and of one before the call.
        let missing = || self.module.last_load().map(|load| load.tape.take_missing()).unwrap_or_default();
        if let Some(tape) = tape.as_ref().filter(|tape| tape.is_playing()) {
            tape.add_missing(missing());
        }
        let running = match found {
            Ok(running) => running,
            Err(_) if self.module.is_replaced() => {
                let message = format!(
                    "The tool \"{}\" was not called: its code was changed while the call waited. Call it again.",
                    self.spec.name
                );
                return Err(CallFailure::Tool(ToolError::reply(message)));
            }
            Err(error) => return Err(CallFailure::Tool(load_failed(&error))),
        };
        let Some(number) = running.number(&self.spec.name) else {
            let message = format!("after reloading, its module no longer has a tool \"{}\"", self.spec.name);
            return Err(CallFailure::Tool(ToolError::reply(message)));
        };
        if running.is_changed(&self.spec.name) {
            let message = format!(
                "The tool \"{}\" was not called: its definition differs from the one that was offered. Reload the tools, or start \
                 the program again.",
                self.spec.name
            );
            return Err(CallFailure::Tool(ToolError::reply(message)));
        }
        if self.module.is_replaying() && self.module.engine().0 != EngineKind::Embedded {
            let message =
                "The call was not replayed: the module runs in Bun or Node, where nothing can be recorded";
            return Err(CallFailure::Tool(ToolError::reply(message)));
        }
        if let (Some(tape), Some(load)) = (&tape, &running.load)
            && !tape.is_playing()
        {
            tape.set_load(load);
        }
        running.instance.call(make(number), context).await
    }

    /// Calls a hook within its deadline; failures are logged and count as no answer.
    async fn ask(&self, what: &'static str, arguments: &Value) -> Option<Value> {
        let kind = |number| CallKind::Approval { number, what, arguments: arguments.to_string() };
        let mut context = ToolContext::detached();
        // What is shown to the approver is not part of the call: a replay asks nobody.
        context.tape = self.tape.clone().filter(|_| what != "details");
        let outcome = self.with_hook_deadline(kind, context).await;
        match outcome {
            Ok(answer) => match answer.read() {
                Ok(value) => Some(value),
                Err(error) => {
                    // No answer has no text.
                    if !answer.text().is_empty() {
                        tracing::warn!(tool = %self.spec.name, %error, "The answer of the tool's {what} hook cannot be used");
                    }
                    None
                }
            },
            Err(error) => {
                tracing::warn!(tool = %self.spec.name, %error, "The tool's {what} hook failed");
                None
            }
        }
    }

    async fn with_hook_deadline(
        &self,
        make: impl FnOnce(u32) -> CallKind + Send,
        context: ToolContext,
    ) -> Result<Answer, ToolError> {
        let time = self.module.limits().hook;
        let cancel = context.cancel.child();
        let call = self.call(make, context.with_cancel(cancel.clone()));
        tokio::pin!(call);
        let outcome = tokio::select! {
            outcome = &mut call => outcome,
            () = tokio::time::sleep(time) => {
                cancel.cancel(format!("it took longer than {time:?}"));
                call.await
            }
        };
        outcome.map_err(|failure| match failure {
            CallFailure::Tool(error) => error,
            CallFailure::Refused(_) => ToolError::reply("its arguments were rejected"),
        })
    }

    async fn draw(&self, what: &'static str, width: usize, payload: Value) -> Option<RenderedLines> {
        let running = self.module.for_rendering().await?;
        let number = running.number(&self.spec.name)?;
        match running.instance.draw(number, what, width, payload.to_string()).await? {
            Drawn::Lines(mut drawn) => {
                drawn.is_framed |= self.render_hooks.own_frame;
                Some(drawn)
            }
            Drawn::Json(_) => None,
            Drawn::Failed(error) => {
                if !self.render_failure_logged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(tool = %self.spec.name, %error, "Tool renderer failed");
                }
                None
            }
        }
    }
}

fn load_failed(error: &LoadError) -> ToolError {
    ToolError::reply(format!("The tool could not be restarted: {error}"))
}

fn options_json(options: &RenderOptions) -> Value {
    let mut json = json!({ "expanded": options.expanded, "isPartial": options.is_partial });
    if let Some(frame) = options.spinner_frame.filter(|_| options.is_partial) {
        json["spinnerFrame"] = frame.into();
    }
    // Left out where they have their usual value, which a missing member means too.
    if !options.args_complete {
        json["argsComplete"] = false.into();
    }
    if !options.execution_started {
        json["executionStarted"] = false.into();
    }
    json
}

/// Returns the facts about a row that renderers receive beside the options.
fn row_json(options: &RenderOptions) -> Value {
    json!({
        "toolCallId": options.tool_call_id,
        "showImages": options.shows_images,
        "argsComplete": options.args_complete,
        "executionStarted": options.execution_started,
        "durationMs": options.duration.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)),
    })
}

#[async_trait]
impl Tool for JsTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn bind(&self, context: &ToolContext) -> Option<Arc<dyn Tool>> {
        let tape = context.tape.clone()?;
        Some(Arc::new(Self { tape: Some(tape), ..self.clone() }))
    }

    async fn execute(&self, call: ToolCall, mut ctx: ToolContext) -> Result<ToolResult, ToolError> {
        if let Some(tape) = &ctx.tape {
            let (engine, _) = self.module.engine();
            if engine != EngineKind::Embedded {
                let message = format!("the module runs in {engine}, where nothing can be recorded");
                if tape.is_playing() {
                    return Err(ToolError::reply(format!("The call was not replayed: {message}")));
                }
                tape.give_up(message);
            }
        }
        // The context of a call that made this one may have another.
        let open = self.wrapped.as_ref();
        let open = open.map(|wrapped| wrapped.begin(&self.module, &self.spec.name, &call.arguments));
        ctx.wrapped = open.as_ref().map(OpenCall::call);
        let arguments = Arc::new(call.arguments);
        let given = Arc::clone(&arguments);
        let kind = |number| CallKind::Execute { number, tool_call_id: call.id, arguments: given };
        match self.call(kind, ctx).await {
            Ok(answer) => Ok(answer.into_result()?.unwrap_or_default()),
            Err(CallFailure::Tool(error)) => Err(error),
            Err(CallFailure::Refused(problems)) => Err(ToolError::reply(
                ArgumentSchema::refuse(&self.spec.name, problems, &arguments).to_string(),
            )),
        }
    }

    fn translates_arguments(&self) -> bool {
        self.has_prepare
    }

    async fn prepare_arguments(&self, arguments: &Value) -> Option<Value> {
        if !self.has_prepare {
            return None;
        }
        self.ask("prepare", arguments).await
    }

    async fn accepts_arguments(&self, arguments: &Value) -> bool {
        self.has_own_check && self.ask("accepts", arguments).await == Some(Value::Bool(true))
    }

    async fn approval(&self, arguments: &Value) -> Approval {
        let wraps = self.wrapped.as_ref().map(|wrapped| wrapped.name().to_owned());
        Approval { wraps, ..self.own_approval(arguments).await }
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        match self.wrapped.as_ref().and_then(|wrapped| wrapped.tool(&self.module, arguments)) {
            Some(tool) => tool.places(arguments).await,
            None => Vec::new(),
        }
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        // Loaded before the question, so that the code that is asked about is the code that runs.
        let _ = self.module.instance().await;
        let mut lines = match self.working_tool(arguments) {
            Some(tool) => tool.approval_details(arguments).await,
            // Operations of the extension's own work there too.
            None => self.other_directory().map(|directory| vec![directory_line(&directory)]),
        };
        if self.has_approval_details
            && let Some(own) = self.ask("details", arguments).await
            && let Ok(own) = serde_json::from_value::<Vec<String>>(own)
        {
            lines.get_or_insert_default().extend(own);
        }
        lines
    }

    async fn details_are_complete(&self, arguments: &Value) -> bool {
        let Some(tool) = self.working_tool(arguments) else { return false };
        let known = &tool.spec().parameters["properties"];
        let mut given = arguments.as_object().into_iter().flatten();
        given.all(|(key, _)| known.get(key).is_some()) && tool.details_are_complete(arguments).await
    }

    fn render_hooks(&self) -> RenderHooks {
        self.render_hooks
    }

    async fn render_call(&self, arguments: &Value, options: &RenderOptions) -> Option<RenderedLines> {
        if !self.render_hooks.call {
            return None;
        }
        let payload =
            json!({ "args": arguments, "options": options_json(options), "row": row_json(options) });
        self.draw("call", options.width, payload).await
    }

    async fn render_result(
        &self,
        result: &ToolResult,
        options: &RenderOptions,
        arguments: &Value,
    ) -> Option<RenderedLines> {
        if !self.render_hooks.result {
            return None;
        }
        let payload = json!({
            "args": arguments,
            "options": options_json(options),
            "row": row_json(options),
            "result": { "content": result.content, "details": result.details, "isError": result.is_error },
        });
        self.draw("result", options.width, payload).await
    }

    fn handles_session_events(&self) -> bool {
        self.has_on_session
    }

    async fn on_session(&self, event: &SessionEvent, ctx: &ToolContext) -> Result<(), ToolError> {
        if !self.has_on_session {
            return Ok(());
        }
        let kind = |number| CallKind::Session { number, event: event.to_json().to_string() };
        self.with_hook_deadline(kind, ctx.clone()).await.map(|_| ())
    }
}
