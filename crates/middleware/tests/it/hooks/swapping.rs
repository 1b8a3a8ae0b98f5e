//! Links and directories that are replaced while a hook runs, a gate looks or a person is asked: the call uses the file that
//! was looked at, or does not run (CONTRACT 5.7, 5.8).

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolsmith_agent::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, CallEnd, CallOutcome, CallRequest, Decision,
    Dispatcher, DispatcherBuilder, Gate, GateVerdict, GatedCall, PendingChoice, Resolver,
};
use toolsmith_builtins::{AstEditTool, AstGrepTool, built_in_tools};
use toolsmith_host::changes::{ChangeSet, ChangeStore, Wanted};
use toolsmith_middleware::hooks::{Hook, HookEvent, HookGate, Hooks, HooksOptions};
use toolsmith_testkit::agent::yolo;
use toolsmith_tool::{
    ApprovalPolicy, CancelToken, Origin, PendingAction, PendingCallbacks, PendingHandle, PendingStack, Place,
    Places, Registry, Tool, ToolCall, ToolContext, ToolError, ToolResult, Writes, async_trait,
};

use super::kit::{claude, file, text};

/// Replaces the links `l` and `lf`, which lead to `pub`, by links to `sec`.
const LINKS: &str = "ln -sfn sec l; ln -sfn sec/f.ts lf";
/// Replaces the directory itself.
const DIRECTORY: &str = "mv pub pub2; ln -s sec pub";

struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pub", "sec"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("f.ts"), format!("f('{name}-text')\n")).unwrap();
        }
        symlink("pub", folder.path().join("l")).unwrap();
        symlink("pub/f.ts", folder.path().join("lf")).unwrap();
        fs::write(folder.path().join("sec/secret-name.ts"), "").unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let cwd = self.folder.path();
        let store = Arc::new(ChangeStore::open(self.path("changes")).unwrap());
        let mut tools = built_in_tools(cwd, None);
        tools.push(Arc::new(AstGrepTool::new(cwd)));
        tools.push(Arc::new(AstEditTool::new(cwd, store)));
        tools
    }

    fn dispatching(&self) -> DispatcherBuilder {
        let mut registry = Registry::new();
        for tool in self.tools() {
            registry.register(tool, Origin::built_in()).unwrap();
        }
        registry.activate_initial(None).unwrap();
        Dispatcher::builder(registry).approval(yolo())
    }

    fn hooks(&self, hooks: Vec<Hook>) -> Arc<HookGate> {
        let hooks = hooks.into_iter().map(Arc::new).collect();
        Arc::new(HookGate::new(Hooks::new(hooks, HooksOptions::new(self.folder.path()))))
    }

    fn context(&self) -> ToolContext {
        ToolContext::detached().with_pending(PendingHandle::new(PendingStack::new()))
    }

    async fn call(&self, dispatcher: &Dispatcher, tool: &str, arguments: &Value) -> CallOutcome {
        dispatcher.call(CallRequest::new("1", tool, arguments.clone()).context(self.context())).await
    }

    /// Nothing of `sec` was changed, and nothing of it is in the outcome.
    fn assert_refused(&self, outcome: &CallOutcome, what: &str) {
        let text = text(outcome);
        assert_eq!(outcome.end, CallEnd::Blocked, "{what}: {text}");
        assert!(text.contains("leads elsewhere"), "{what}: {text}");
        let all = format!("{text} {:?}", outcome.result.details);
        assert!(!all.contains("sec-text") && !all.contains("secret-name"), "{what}: {all}");
        assert_eq!(fs::read_to_string(self.path("sec/f.ts")).unwrap(), "f('sec-text')\n", "{what}");
        assert_eq!(fs::read_dir(self.path("sec")).unwrap().count(), 2, "{what}");
    }
}

/// Calls of every built-in tool with a path, through links and through the directory itself.
fn calls() -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for path in ["l/f.ts", "lf", "pub/f.ts"] {
        calls.push(("read", json!({ "path": path })));
        calls.push(("write", json!({ "path": path, "content": "new" })));
        calls.push(("edit", json!({ "path": path, "edits": [{ "oldText": "f(", "newText": "g(" }] })));
        calls.push(("grep", json!({ "path": path, "pattern": "text" })));
        calls.push(("ast_grep", json!({ "path": path, "pat": ["f($A)"] })));
        calls.push(("ast_edit", json!({ "path": path, "ops": [{ "pat": "f($A)", "out": "g($A)" }] })));
    }
    for path in ["l", "pub"] {
        calls.push(("read", json!({ "path": path })));
        calls.push(("write", json!({ "path": format!("{path}/deep/new.ts"), "content": "new" })));
        calls.push(("ls", json!({ "path": path })));
        calls.push(("grep", json!({ "path": path, "pattern": "text" })));
        calls.push(("find", json!({ "path": path, "pattern": "*" })));
        calls.push(("ast_grep", json!({ "path": path, "pat": ["f($A)"] })));
        calls.push(("ast_edit", json!({ "path": path, "ops": [{ "pat": "f($A)", "out": "g($A)" }] })));
    }
    calls
}

/// Returns the replacement that redirects the path of a call.
fn swap_for(arguments: &Value) -> &'static str {
    if arguments["path"].as_str().unwrap().starts_with('p') { DIRECTORY } else { LINKS }
}

#[tokio::test]
async fn c5_8_a_link_that_a_hook_did_not_see_is_not_followed_by_any_tool() {
    for (tool, arguments) in calls() {
        let stage = Stage::new();
        let hook =
            file(stage.folder.path(), HookEvent::PreToolUse, &format!("{tool}.sh"), swap_for(&arguments));
        let dispatcher = stage.dispatching().gate(stage.hooks(vec![hook])).build();
        stage
            .assert_refused(&stage.call(&dispatcher, tool, &arguments).await, &format!("{tool} {arguments}"));
    }
}

#[tokio::test]
async fn calls_through_links_run_if_nothing_is_replaced() {
    for (tool, arguments) in calls() {
        let stage = Stage::new();
        let hook = file(stage.folder.path(), HookEvent::PreToolUse, &format!("{tool}.sh"), "true");
        let dispatcher = stage.dispatching().gate(stage.hooks(vec![hook])).build();
        let outcome = stage.call(&dispatcher, tool, &arguments).await;
        assert!(!outcome.is_error(), "{tool} {arguments}: {}", text(&outcome));
    }
}

#[tokio::test]
async fn every_hook_sees_the_file_that_was_fixed_first() {
    let stage = Stage::new();
    let first = file(stage.folder.path(), HookEvent::PreToolUse, "_all.sh", LINKS);
    let second = claude(HookEvent::PreToolUse, "Read", "cat > seen");
    let dispatcher = stage.dispatching().gate(stage.hooks(vec![first, second])).build();
    let outcome = stage.call(&dispatcher, "read", &json!({ "path": "l/f.ts" })).await;
    stage.assert_refused(&outcome, "read");
    if let Ok(seen) = fs::read_to_string(stage.path("seen")) {
        assert!(seen.contains("/pub/f.ts") && !seen.contains("/sec/"), "{seen}");
    }
}

/// An extension's handler, as dispatch sees it.
struct Meanwhile<F>(F);

#[async_trait]
impl<F: Fn() + Send + Sync> Gate for Meanwhile<F> {
    fn name(&self) -> &str {
        "a handler"
    }

    async fn before(&self, _call: GatedCall<'_>) -> GateVerdict {
        (self.0)();
        GateVerdict::Pass
    }
}

#[async_trait]
impl<F: Fn() + Send + Sync> Approver for Meanwhile<F> {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        (self.0)();
        Decision::Allow
    }
}

fn relink(folder: &Path) {
    let _ = fs::remove_file(folder.join("l"));
    symlink("sec", folder.join("l")).unwrap();
}

#[tokio::test]
async fn c5_8_a_link_that_changes_while_a_handler_or_a_question_runs_is_not_followed() {
    for tool in ["read", "write"] {
        let arguments = json!({ "path": "l/f.ts", "content": "new" });
        let stage = Stage::new();
        let folder = stage.folder.path().to_path_buf();
        let gate = Arc::new(Meanwhile(move || relink(&folder)));
        let dispatcher = stage.dispatching().gate(gate).build();
        stage.assert_refused(&stage.call(&dispatcher, tool, &arguments).await, tool);

        let stage = Stage::new();
        let folder = stage.folder.path().to_path_buf();
        let mut asking = ApprovalSettings::new(ApprovalMode::AlwaysAsk);
        asking.tools.insert(tool.to_owned(), ApprovalPolicy::Prompt);
        let approver = Arc::new(Meanwhile(move || relink(&folder)));
        let dispatcher = stage.dispatching().approval(asking).approver(approver).build();
        stage.assert_refused(&stage.call(&dispatcher, tool, &arguments).await, tool);
    }
}

#[tokio::test]
async fn arguments_that_a_hook_replaces_are_fixed_too() {
    let stage = Stage::new();
    let replace = file(
        stage.folder.path(),
        HookEvent::PreToolUse,
        "read.sh",
        r#"[ -e done ] || { touch done; echo '{"input":{"path":"l/f.ts"}}'; }"#,
    );
    let swap = claude(HookEvent::PreToolUse, "Read", LINKS);
    let dispatcher = stage.dispatching().gate(stage.hooks(vec![replace, swap])).build();
    let outcome = stage.call(&dispatcher, "read", &json!({ "path": "other" })).await;
    stage.assert_refused(&outcome, "read");
}

#[tokio::test]
async fn c5_8_a_tool_opens_only_the_place_that_its_gates_saw() {
    // The link changes after the last comparison: only the tool itself can notice.
    for (tool, arguments) in calls() {
        let stage = Stage::new();
        let found = stage.tools().into_iter().find(|found| found.spec().name == tool).unwrap();
        let places = Places::default();
        for place in found.places(&arguments).await {
            places.pin(Place::new(place.written, Some(stage.path("elsewhere"))));
        }
        let context = stage.context().with_places(places);
        let error = found.execute(ToolCall::new("1", arguments.clone()), context).await.unwrap_err();
        assert!(error.to_string().contains("leads elsewhere"), "{tool} {arguments}: {error}");
    }
}

struct HostWrites;

#[async_trait]
impl PendingCallbacks for HostWrites {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::default())
    }
}

#[tokio::test]
async fn a_hook_sees_the_file_a_staged_change_is_bound_to_wherever_links_lead_now() {
    let stage = Stage::new();
    relink(stage.folder.path());
    let wanted = vec![Wanted::write(stage.path("l/f.ts"), "new")];
    let files = ChangeSet::bind(stage.folder.path(), wanted).unwrap().into_files();
    // Leads to `pub` while the hook looks, and back to `sec` before the change is applied.
    let guard = "input=$(cat); ln -sfn sec l; case $input in *sec/f.ts*) echo guarded >&2; exit 2;; esac";
    let gate = stage.hooks(vec![claude(HookEvent::PreToolUse, "Write", guard)]);
    let store = Arc::new(ChangeStore::open(stage.path("changes")).unwrap());
    let resolver = Resolver::new(PendingStack::new(), store, stage.folder.path()).gate(gate);
    resolver.stack().push(PendingAction::new("A file", Arc::new(HostWrites)).files(files, Writes::Host));
    fs::remove_file(stage.path("l")).unwrap();
    symlink("pub", stage.path("l")).unwrap();
    let error = resolver.apply(PendingChoice::Top, None, "ok", stage.context()).await.unwrap_err();
    assert!(error.to_string().contains("guarded"), "{error}");
    assert_eq!(fs::read_to_string(stage.path("sec/f.ts")).unwrap(), "f('sec-text')\n");
}
