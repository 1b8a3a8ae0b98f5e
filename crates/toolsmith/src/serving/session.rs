//! The state of one connection: its pending actions, and its tools' view of a session.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};
use toolsmith_agent::{ApplyTool, CallEnd, CallRequest, PendingChoice, Resolver, UndoTool};
use toolsmith_mcp::server::{Decision, FileChoice, ServedCall, ServedOutcome, ServedPending, ServedSession};
use toolsmith_middleware::hooks::HookGate;
use toolsmith_tool::{
    ContentBlock, FileSelection, PendingHandle, PendingStack, PendingSubscription, SessionEvent, SessionView,
    Tool, ToolContext, ToolResult, async_trait,
};

use super::{
    approver::{CALLER, above},
    tools::{ServeApproval, ServingTools},
};

/// The names under which clients see the server's own tools.
const RESOLVE: &str = "toolsmith_resolve";
const UNDO: &str = "toolsmith_undo";

/// An empty conversation in the served directory.
#[derive(Debug)]
struct ServedView {
    cwd: PathBuf,
    id: String,
}

impl SessionView for ServedView {
    fn cwd(&self) -> PathBuf {
        self.cwd.clone()
    }
    fn session_id(&self) -> String {
        self.id.clone()
    }
}

/// A connection's session.
pub(super) struct ServingSession {
    tools: Arc<ServingTools>,
    resolver: Resolver,
    view: Arc<ServedView>,
    listening: Mutex<Vec<PendingSubscription>>,
    is_over: AtomicBool,
}

impl ServingSession {
    pub(super) async fn open(tools: Arc<ServingTools>) -> Self {
        static LAST: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::SeqCst) + 1;
        let pending = PendingStack::with_file_tiers(Arc::clone(&tools.rules) as Arc<_>);
        let resolver = Resolver::new(pending, Arc::clone(&tools.store), tools.cwd())
            .deadlines(tools.settings().deadlines())
            .gate(Arc::new(HookGate::new(tools.hooks.clone())));
        let view = Arc::new(ServedView { cwd: tools.cwd().to_path_buf(), id: format!("mcp-{number}") });
        let session =
            Self { tools, resolver, view, listening: Mutex::default(), is_over: AtomicBool::new(false) };
        session.announce(&SessionEvent::Start).await;
        session
    }

    fn context(&self, context: ToolContext) -> ToolContext {
        context
            .with_pending(PendingHandle::new(Arc::clone(self.resolver.stack())))
            .with_session(Arc::clone(&self.view) as Arc<dyn SessionView>)
    }

    /// Finds the chosen files and hunks in the action's diff.
    async fn select(
        &self,
        choice: PendingChoice,
        files: Vec<FileChoice>,
    ) -> Result<Vec<FileSelection>, String> {
        let root = self.tools.cwd();
        let previews = self.resolver.view(choice).await.map_err(|error| error.to_string())?;
        let mut selected = Vec::new();
        for file in files {
            let path = root.join(&file.path);
            let preview = previews.iter().find(|preview| root.join(&preview.path) == path);
            let preview = preview.ok_or_else(|| format!("\"{}\" is not a file of the action.", file.path))?;
            let hunks = file.hunks.map(|numbers| {
                let range = |number: usize| {
                    let hunk = number.checked_sub(1).and_then(|at| preview.hunks.get(at));
                    let count = preview.hunks.len();
                    hunk.map(|hunk| hunk.range.clone())
                        .ok_or_else(|| format!("\"{}\" has {count} hunks, not hunk {number}.", file.path))
                };
                numbers.into_iter().map(range).collect::<Result<Vec<_>, _>>()
            });
            selected.push(FileSelection { path: preview.path.clone(), hunks: hunks.transpose()? });
        }
        Ok(selected)
    }

    /// Calls a tool of the server itself on the path of all calls.
    async fn call_own(
        &self,
        tool: Arc<dyn Tool>,
        id: &str,
        name: &str,
        arguments: Value,
        context: ToolContext,
    ) -> ToolResult {
        let ui = context.ui.clone();
        let request = CallRequest::new(id, name, arguments).context(self.context(context));
        let dispatcher = match self.tools.own_dispatcher(tool) {
            Ok(dispatcher) => dispatcher,
            Err(error) => return ToolResult::error(error.to_string()),
        };
        let outcome = CALLER.scope(ui, dispatcher.call(request)).await;
        let mut result = outcome.result;
        if outcome.end == CallEnd::Denied && name == RESOLVE {
            result.content.push(ContentBlock::text("Not applied; the action is still pending."));
        }
        result
    }

    async fn announce(&self, event: &SessionEvent) {
        self.tools.follow_trust().await;
        let context = self.context(ToolContext::detached());
        for tool in self.tools.custom_tools() {
            let told = tokio::time::timeout(
                self.tools.settings().limits.grace * 5,
                tool.on_session(event, &context),
            );
            if let Ok(Err(error)) = told.await {
                tracing::warn!(tool = tool.spec().name, %error, "A tool failed on a session event");
            }
        }
    }
}

/// Describes what was written and how to revert it, from the details of an applied action.
fn changed(details: &Value, root: &Path) -> Option<String> {
    let own = details.get("sourceResultDetails")?;
    let id = own.get("changeId")?.as_str()?;
    let files = own.get("files")?.as_array()?.iter().filter_map(Value::as_str);
    let files: Vec<String> = files
        .map(|file| Path::new(file).strip_prefix(root).unwrap_or(Path::new(file)).display().to_string())
        .collect();
    Some(format!(
        "Changed: {}. To revert, call toolsmith_undo with {{\"change\": \"{id}\"}}.",
        files.join(", ")
    ))
}

#[async_trait]
impl ServedSession for ServingSession {
    async fn call(&self, call: ServedCall) -> ServedOutcome {
        let ui = call.context.ui.clone();
        let stale = self.tools.before_call(&call.name).await;
        let request =
            CallRequest::new(&call.id, &call.name, call.arguments).context(self.context(call.context));
        let mut outcome = CALLER.scope(ui, self.tools.dispatcher().call(request)).await;
        outcome.result.content.extend(stale.map(ContentBlock::text));
        let mut staged: Vec<u64> = self
            .resolver
            .stack()
            .list()
            .iter()
            .filter(|action| action.staged_by.as_ref().is_some_and(|by| by.call_id == call.id))
            .map(|action| action.id.number())
            .collect();
        staged.reverse();
        ServedOutcome::new(outcome.result, staged)
    }

    fn pending(&self) -> Vec<ServedPending> {
        let root = self.tools.cwd();
        let actions = self.resolver.stack().list();
        actions
            .iter()
            .map(|action| {
                let files = action.files.iter().map(|file| {
                    file.path.strip_prefix(root).unwrap_or(&file.path).to_string_lossy().into_owned()
                });
                let tier = action.tier.unwrap_or_default();
                ServedPending::new(
                    action.id.number(),
                    action.label.clone(),
                    action.source_tool_name.clone(),
                    files.collect(),
                    tier,
                )
            })
            .collect()
    }

    async fn diff(&self, number: u64) -> Option<String> {
        let action = self.resolver.stack().list().into_iter().find(|action| action.id.number() == number)?;
        match self.resolver.view(PendingChoice::Id(number)).await {
            Ok(files) if files.is_empty() => Some(format!(
                "{}\nThis action does not declare its files, so there is no diff.\n",
                action.label
            )),
            Ok(files) => {
                let mut text = String::new();
                for file in files {
                    let _ = writeln!(text, "{}", String::from_utf8_lossy(&file.diff).trim_end());
                }
                Some(text)
            }
            Err(error) => Some(format!("There is no exact diff any more: {error}\n")),
        }
    }

    async fn resolve(
        &self,
        call: &str,
        number: u64,
        decision: Decision,
        reason: &str,
        context: ToolContext,
    ) -> ToolResult {
        self.tools.follow_trust().await;
        let stack = self.resolver.stack();
        let found = stack.list().into_iter().find(|action| action.id.number() == number);
        if let (ServeApproval::UpTo(cap), Decision::Apply(_), Some(action)) =
            (self.tools.approval(), &decision, &found)
        {
            let tier = stack.tier_to_apply(action);
            if tier > cap {
                return ToolResult::error(format!(
                    "Not applied; the action is still pending. {}",
                    above(tier, cap)
                ));
            }
        }
        let choice = PendingChoice::Id(number);
        let mut result = match decision {
            Decision::Apply(files) => {
                let files = match files {
                    Some(files) => match self.select(choice, files).await {
                        Ok(files) => Some(files),
                        Err(problem) => {
                            return ToolResult::error(format!(
                                "Not applied; the action is still pending. {problem}"
                            ));
                        }
                    },
                    None => None,
                };
                let tool = Arc::new(ApplyTool::new(RESOLVE, self.resolver.clone(), choice, files));
                self.call_own(tool, call, RESOLVE, json!({ "reason": reason }), context).await
            }
            Decision::Discard => {
                let discarded = self.resolver.discard(choice, reason, self.context(context)).await;
                discarded.unwrap_or_else(|error| error.into_result())
            }
            _ => return ToolResult::error("unknown decision"),
        };
        if let Some(note) = result.details.as_ref().and_then(|details| changed(details, self.tools.cwd())) {
            result.content.push(ContentBlock::text(note));
        }
        result
    }

    async fn undo(&self, call: &str, change: Option<&str>, context: ToolContext) -> ToolResult {
        let tool = Arc::new(UndoTool::new(UNDO, self.resolver.clone()));
        let arguments = change.map_or_else(|| json!({}), |change| json!({ "change": change }));
        self.call_own(tool, call, UNDO, arguments, context).await
    }

    fn on_pending(&self, listener: Box<dyn Fn() + Send + Sync>) {
        let subscription = self.resolver.stack().subscribe(move |_| listener());
        self.listening.lock().unwrap_or_else(PoisonError::into_inner).push(subscription);
    }

    async fn end(&self) {
        if self.is_over.swap(true, Ordering::SeqCst) {
            return;
        }
        self.resolver.drop_all("the client disconnected", self.context(ToolContext::detached())).await;
        self.announce(&SessionEvent::Shutdown).await;
    }
}
