//! CONTRACT 8.2, 8.3, 8.5, 8.6: deciding about staged actions, by the model and by people.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use toolsmith_agent::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, CallEnd, CallRequest, Deadlines, Decision,
    Dispatcher, PendingChoice, ResolveTool, Resolver,
};
use toolsmith_host::changes::{ChangeSet, ChangeStore, Wanted};
use toolsmith_testkit::{
    Project,
    agent::{Probe, spec},
};
use toolsmith_tool::{
    Approval, CancelToken, ContentBlock, FileSelection, Origin, PendingAction, PendingCallbacks,
    PendingHandle, PendingStack, Registry, RenderOptions, Stop, Tier, Tool, ToolCall, ToolContext, ToolError,
    ToolResult, Writes, async_trait,
};

/// What is done to an action, written down.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Plain,
    Silent,
    Throws,
    Hangs,
    PushesAgain,
    Void,
    Panics,
}

struct Callbacks {
    log: Arc<Log>,
    manner: Manner,
}

#[async_trait]
impl PendingCallbacks for Callbacks {
    async fn apply(&self, reason: &str, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        self.log.add(format!("apply {reason}"));
        match self.manner {
            Manner::Silent => Ok(ToolResult::default()),
            Manner::Throws => Err(ToolError::reply("the disk is on fire")),
            Manner::Hangs => std::future::pending().await,
            Manner::Panics => panic!("oh"),
            Manner::PushesAgain => {
                for n in 0..1000 {
                    let callbacks = Callbacks { log: Arc::clone(&self.log), manner: Manner::Plain };
                    ctx.pending.push(PendingAction::new(format!("again {n}"), Arc::new(callbacks))).unwrap();
                }
                Ok(ToolResult::text("pushed"))
            }
            Manner::Plain | Manner::Void => Ok(ToolResult {
                content: vec![
                    ContentBlock::text("one"),
                    ContentBlock::Image { data: "AA==".to_owned(), mime_type: "image/png".to_owned() },
                    ContentBlock::text("two"),
                ],
                details: Some(json!({ "own": 1 })),
                is_error: false,
            }),
        }
    }

    async fn reject(&self, reason: &str, _ctx: ToolContext) -> Result<Option<ToolResult>, ToolError> {
        self.log.add(format!("reject {reason}"));
        match self.manner {
            Manner::Plain => Ok(Some(ToolResult::text("put away"))),
            Manner::Throws => Err(ToolError::reply("cannot let go")),
            _ => Ok(None),
        }
    }

    fn void(&self) -> Option<String> {
        (self.manner == Manner::Void).then(|| "The tool was restarted.".to_owned())
    }
}

struct Stage {
    project: Project,
    log: Arc<Log>,
    stack: Arc<PendingStack>,
    resolver: Resolver,
}

impl Stage {
    fn new() -> Self {
        let project = Project::new(&[]);
        let store = Arc::new(ChangeStore::open(project.beside("state")).unwrap());
        let stack = PendingStack::new();
        let resolver = Resolver::new(Arc::clone(&stack), store, &project.root);
        Self { project, log: Arc::default(), stack, resolver }
    }

    fn root(&self) -> &Path {
        &self.project.root
    }

    fn action(&self, label: &str, manner: Manner) -> PendingAction {
        PendingAction::new(label, Arc::new(Callbacks { log: Arc::clone(&self.log), manner })).source("probe")
    }

    fn push(&self, label: &str, manner: Manner) -> u64 {
        let action = self.action(label, manner);
        let id = action.id.number();
        self.stack.push(action);
        id
    }

    /// Stages a change of files that the host writes.
    fn push_files(&self, label: &str, wanted: Vec<Wanted>) -> u64 {
        let files = ChangeSet::bind(self.root(), wanted).unwrap().into_files();
        let action = self.action(label, Manner::Silent).files(files, Writes::Host);
        let id = action.id.number();
        self.stack.push(action);
        id
    }

    fn context(&self) -> ToolContext {
        ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&self.stack)))
    }

    async fn resolve(&self, action: &str, reason: &str) -> Result<ToolResult, ToolError> {
        let tool = ResolveTool::new(self.resolver.clone());
        tool.execute(ToolCall::new("1", json!({ "action": action, "reason": reason })), self.context()).await
    }

    fn dispatcher(&self, mut registry: Registry, settings: ApprovalSettings) -> Dispatcher {
        registry.register(Arc::new(ResolveTool::new(self.resolver.clone())), Origin::built_in()).unwrap();
        let deadlines = Deadlines::default().call(Duration::from_millis(50)).grace(Duration::from_millis(20));
        Dispatcher::builder(registry).approval(settings).deadlines(deadlines).build()
    }
}

fn details_of(error: ToolError) -> Value {
    error.into_result().details.unwrap()
}

#[test]
fn c8_3_resolve_is_hidden_and_strict_and_needs_both_of_its_arguments() {
    let tool = ResolveTool::new(Stage::new().resolver);
    let spec = tool.spec();
    assert_eq!((spec.name.as_str(), spec.label.as_str()), ("resolve", "Resolve"));
    assert_eq!((spec.hidden, spec.strict), (true, Some(true)));
    assert_eq!(spec.parameters["required"], json!(["action", "reason"]));
    assert_eq!(spec.parameters["properties"]["action"]["enum"], json!(["apply", "discard"]));
}

#[tokio::test]
async fn c8_3_with_nothing_pending_it_says_so() {
    let stage = Stage::new();
    for action in ["apply", "discard"] {
        let error = stage.resolve(action, "r").await.unwrap_err();
        assert_eq!(error.to_string(), "No pending action to resolve. Nothing to apply or discard.");
    }
}

#[tokio::test]
async fn c8_3_apply_runs_the_callback_and_the_details_say_what_it_was_about() {
    let stage = Stage::new();
    stage.push("Rename: 2 files", Manner::Plain);
    let result = stage.resolve("apply", "looks right").await.unwrap();
    assert_eq!(result.joined_text(), "one\ntwo");
    assert_eq!(result.content.len(), 2, "the text, and the image");
    assert_eq!(
        result.details.unwrap(),
        json!({
            "action": "apply", "reason": "looks right", "sourceToolName": "probe", "label": "Rename: 2 files",
            "sourceResultDetails": { "own": 1 },
        })
    );
    assert_eq!(stage.log.lines(), ["apply looks right"]);
    assert!(!stage.stack.has_pending());
    stage.push("Quiet", Manner::Silent);
    assert_eq!(stage.resolve("apply", "r").await.unwrap().joined_text(), "Applied: Quiet.");
}

#[tokio::test]
async fn c8_3_discard_runs_reject_whose_answer_replaces_the_default() {
    let stage = Stage::new();
    stage.push("L", Manner::Plain);
    let result = stage.resolve("discard", "no").await.unwrap();
    assert_eq!(result.joined_text(), "put away");
    assert_eq!(
        result.details.unwrap(),
        json!({ "action": "discard", "reason": "no", "sourceToolName": "probe", "label": "L" })
    );
    stage.push("M", Manner::Silent);
    assert_eq!(
        stage.resolve("discard", "too risky").await.unwrap().joined_text(),
        "Discarded: M. Reason: too risky"
    );
    assert_eq!(stage.log.lines(), ["reject no", "reject too risky"]);
}

#[tokio::test]
async fn c8_2_the_newest_is_taken_first() {
    let stage = Stage::new();
    stage.push("first", Manner::Silent);
    stage.push("second", Manner::Silent);
    let mut texts = Vec::new();
    for _ in 0..2 {
        texts.push(stage.resolve("apply", "r").await.unwrap().joined_text());
    }
    assert_eq!(texts, ["Applied: second.", "Applied: first."]);
}

#[tokio::test]
async fn c8_5_an_action_that_throws_is_used_up_and_the_model_hears_why() {
    let stage = Stage::new();
    for (decision, text) in [("apply", "the disk is on fire"), ("discard", "cannot let go")] {
        stage.push("L", Manner::Throws);
        let error = stage.resolve(decision, "r").await.unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(details_of(error)["label"], "L");
        assert!(!stage.stack.has_pending());
    }
    assert_eq!(stage.log.lines(), ["apply r", "reject r"], "once each");
}

#[tokio::test]
async fn an_action_whose_engine_was_rebuilt_is_void_and_that_is_said_plainly() {
    let stage = Stage::new();
    stage.push("L", Manner::Void);
    assert_eq!(stage.resolver.list()[0].void.as_deref(), Some("The tool was restarted."));
    let error = stage.resolve("apply", "r").await.unwrap_err();
    assert_eq!(error.to_string(), "Not applied: L. The tool was restarted.");
    stage.push("L", Manner::Void);
    assert_eq!(stage.resolve("discard", "r").await.unwrap().joined_text(), "Discarded: L. Reason: r");
    assert!(stage.log.lines().is_empty() && !stage.stack.has_pending());
}

#[tokio::test]
async fn an_apply_that_hangs_or_crashes_costs_that_call_only() {
    let stage = Stage::new();
    let dispatcher = stage.dispatcher(Registry::new(), ApprovalSettings::default());
    for (manner, end) in
        [(Manner::Hangs, CallEnd::TimedOut(Stop::Forced)), (Manner::Panics, CallEnd::Panicked)]
    {
        stage.stack.push(stage.action("L", manner).tier(Tier::Read));
        let request = CallRequest::new("1", "resolve", r#"{"action":"apply","reason":"r"}"#);
        let outcome = dispatcher.call(request.context(stage.context())).await;
        assert!(outcome.result.is_error);
        assert_eq!(outcome.end, end);
        assert!(!stage.stack.has_pending(), "used up");
    }
    // The same for a person's decision.
    let deadlines = Deadlines::default().call(Duration::from_millis(20)).grace(Duration::from_millis(20));
    let id = stage.push("L", Manner::Hangs);
    let resolver = stage.resolver.clone().deadlines(deadlines);
    let error = resolver.apply(PendingChoice::Id(id), None, "r", stage.context()).await.unwrap_err();
    assert!(matches!(error, ToolError::Stopped { stop: Stop::Forced, .. }), "{error}");
}

#[tokio::test]
async fn an_apply_may_stage_a_thousand_actions_and_all_can_be_discarded() {
    let stage = Stage::new();
    stage.push("L", Manner::PushesAgain);
    assert_eq!(stage.resolve("apply", "r").await.unwrap().joined_text(), "pushed");
    assert_eq!(stage.stack.count(), 1000);
    stage.resolver.drop_all("the session ended", stage.context()).await;
    assert!(!stage.stack.has_pending());
    let lines = stage.log.lines();
    assert_eq!(lines.iter().filter(|line| *line == "reject the session ended").count(), 1000);
}

#[tokio::test]
async fn c8_6_people_can_see_apply_and_discard_any_of_them() {
    let stage = Stage::new();
    let [a, b, c] = ["a", "b", "c"].map(|label| stage.push(label, Manner::Silent));
    let labels: Vec<_> = stage.resolver.list().into_iter().map(|view| (view.id, view.label)).collect();
    assert_eq!(labels, [(c, "c".to_owned()), (b, "b".to_owned()), (a, "a".to_owned())]);
    let applied = stage.resolver.apply(PendingChoice::Id(b), None, "ok", stage.context()).await.unwrap();
    assert_eq!(applied.joined_text(), "Applied: b.");
    let discarded = stage.resolver.discard(PendingChoice::Top, "no", stage.context()).await.unwrap();
    assert_eq!(discarded.joined_text(), "Discarded: c. Reason: no");
    let gone = stage.resolver.apply(PendingChoice::Id(b), None, "ok", stage.context()).await.unwrap_err();
    assert_eq!(gone.to_string(), "No pending action to resolve. Nothing to apply or discard.");
    assert_eq!(serde_json::to_value(stage.resolver.list()).unwrap()[0]["sourceToolName"], "probe");
    assert_eq!(stage.stack.count(), 1);
}

#[tokio::test]
async fn two_decisions_at_once_never_get_the_same_action() {
    let stage = Stage::new();
    let id = stage.push("only", Manner::Silent);
    let one = stage.resolver.apply(PendingChoice::Id(id), None, "r", stage.context());
    let other = stage.resolver.discard(PendingChoice::Top, "r", stage.context());
    let (one, other) = tokio::join!(one, other);
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    assert_eq!(stage.log.lines().len(), 1);
}

#[tokio::test]
async fn c5_4_applying_asks_by_the_tier_of_the_tool_that_staged_it() {
    let stage = Stage::new();
    let stager = |name: &str, tier| {
        let log = Arc::clone(&stage.log);
        Probe::new(spec(name).approval(Tier::Read), move |_, ctx| {
            let callbacks = Callbacks { log: Arc::clone(&log), manner: Manner::Silent };
            async move {
                ctx.pending
                    .push(PendingAction::new("L", Arc::new(callbacks)).source("stager").tier(tier))
                    .unwrap();
                Ok(ToolResult::text("staged"))
            }
        })
    };
    let registry =
        toolsmith_testkit::agent::registry([stager("writes", Tier::Write), stager("runs", Tier::Exec)]);
    let dispatcher = stage.dispatcher(registry, ApprovalSettings::default());
    let call = |name: &str, arguments: &str| {
        dispatcher.call(CallRequest::new("1", name, arguments).context(stage.context()))
    };
    call("writes", "{}").await;
    let applied = call("resolve", r#"{"action":"apply","reason":"r"}"#).await;
    assert_eq!(applied.result.joined_text(), "Applied: L.", "writing is allowed by default");
    call("runs", "{}").await;
    let denied = call("resolve", r#"{"action":"apply","reason":"r"}"#).await;
    assert_eq!(denied.end, CallEnd::Denied, "{}", denied.result.joined_text());
    assert!(stage.stack.has_pending(), "what was not allowed is still there");
    let discarded = call("resolve", r#"{"action":"discard","reason":"r"}"#).await;
    assert_eq!(discarded.end, CallEnd::Answered, "discarding changes nothing, so nobody is asked");
    let tool = ResolveTool::new(stage.resolver.clone());
    let nothing = tool.approval(&json!({ "action": "apply", "reason": "r" })).await;
    assert_eq!(nothing, Approval::from(Tier::Read));
}

#[tokio::test]
async fn the_dispatcher_marks_what_a_tool_stages_with_that_tools_tier() {
    let stage = Stage::new();
    let log = Arc::clone(&stage.log);
    let stager = Probe::new(spec("stager").approval(Tier::Write), move |_, ctx| {
        let callbacks = Callbacks { log: Arc::clone(&log), manner: Manner::Silent };
        async move {
            ctx.pending.push(PendingAction::new("L", Arc::new(callbacks))).unwrap();
            Ok(ToolResult::text("staged"))
        }
    });
    let dispatcher =
        stage.dispatcher(toolsmith_testkit::agent::registry([stager]), ApprovalSettings::default());
    dispatcher.call(CallRequest::new("1", "stager", "{}").context(stage.context())).await;
    assert_eq!(stage.stack.peek().unwrap().tier, Some(Tier::Write));
}

#[tokio::test]
async fn resolve_beside_its_producer_in_one_turn_waits_for_it_and_two_take_two() {
    let stage = Stage::new();
    let log = Arc::clone(&stage.log);
    let stager = Probe::new(spec("stager"), move |call, ctx| {
        let callbacks = Callbacks { log: Arc::clone(&log), manner: Manner::Silent };
        async move {
            tokio::task::yield_now().await;
            ctx.pending.push(PendingAction::new(call.id, Arc::new(callbacks))).unwrap();
            Ok(ToolResult::text("staged"))
        }
    });
    let dispatcher =
        stage.dispatcher(toolsmith_testkit::agent::registry([stager]), ApprovalSettings::default());
    let request = |id: &str, name: &str, arguments: &str| {
        CallRequest::new(id, name, arguments).context(stage.context())
    };
    let resolve = r#"{"action":"apply","reason":"r"}"#;
    let outcomes = dispatcher
        .run_batch(vec![
            request("a", "stager", "{}"),
            request("b", "stager", "{}"),
            request("c", "resolve", resolve),
            request("d", "resolve", resolve),
            request("e", "resolve", resolve),
        ])
        .await;
    let mut texts: Vec<_> = outcomes[2..4].iter().map(|outcome| outcome.result.joined_text()).collect();
    texts.sort();
    assert_eq!(texts, ["Applied: a.", "Applied: b."]);
    assert!(outcomes[4].result.joined_text().starts_with("No pending action"));
}

#[tokio::test]
async fn files_of_an_action_are_shown_exactly_written_together_and_can_be_undone() {
    let stage = Stage::new();
    let root = stage.root();
    fs::write(root.join("a.txt"), "one\n").unwrap();
    stage.push_files("Edit", vec![Wanted::write("a.txt", "two\n"), Wanted::write("b.txt", "new\n")]);
    let view = stage.resolver.view(PendingChoice::Top).await.unwrap();
    assert!(view[0].diff_text().ends_with("@@ -1 +1 @@\n-one\n+two\n"), "{}", view[0].diff_text());
    assert_eq!(stage.resolver.list()[0].files, [root.join("a.txt"), root.join("b.txt")]);
    let result = stage.resolve("apply", "r").await.unwrap();
    assert_eq!(result.joined_text(), "Applied: Edit.");
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "two\n");
    assert!(stage.log.lines().is_empty(), "there is no callback to call");
    let past = stage.resolver.store().list(Some(root)).unwrap();
    assert_eq!((past[0].entry.tool.as_str(), past[0].entry.label.as_str()), ("probe", "Edit"));
    assert_eq!(result.details.unwrap()["sourceResultDetails"]["changeId"], json!(past[0].entry.id));
    stage.resolver.store().undo_last(root, &CancelToken::new()).unwrap();
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "one\n");
    assert!(!root.join("b.txt").exists());
}

#[tokio::test]
async fn some_files_of_an_action_can_be_applied_alone() {
    let stage = Stage::new();
    let root = stage.root();
    let id = stage.push_files("Edit", vec![Wanted::write("a.txt", "a"), Wanted::write("b.txt", "b")]);
    let chosen = Some(vec![FileSelection::whole("b.txt")]);
    stage.resolver.apply(PendingChoice::Id(id), chosen.clone(), "r", stage.context()).await.unwrap();
    assert!(!root.join("a.txt").exists() && root.join("b.txt").exists());
    stage.push("whole", Manner::Silent);
    let error = stage.resolver.apply(PendingChoice::Top, chosen, "r", stage.context()).await.unwrap_err();
    assert_eq!(error.to_string(), "This action can only be applied as a whole.");
}

#[tokio::test]
async fn an_action_whose_files_changed_is_refused_whoever_writes_them() {
    for writes in [Writes::Host, Writes::Callback] {
        let stage = Stage::new();
        let root = stage.root();
        fs::write(root.join("a.txt"), "one").unwrap();
        let files = ChangeSet::bind(root, vec![Wanted::write("a.txt", "two")]).unwrap().into_files();
        stage.stack.push(stage.action("L", Manner::Plain).files(files, writes));
        fs::write(root.join("a.txt"), "mine").unwrap();
        assert!(stage.resolver.view(PendingChoice::Top).await.is_err());
        let error = stage.resolve("apply", "r").await.unwrap_err().to_string();
        assert!(error.contains("a.txt changed"), "{error}");
        assert!(stage.log.lines().is_empty() && !stage.stack.has_pending());
        assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "mine");
    }
}

#[tokio::test]
async fn a_cancelled_apply_of_files_changes_nothing() {
    let stage = Stage::new();
    stage.push_files("L", vec![Wanted::write("a.txt", "x")]);
    let cancel = CancelToken::new();
    cancel.cancel("the user stopped");
    let tool = ResolveTool::new(stage.resolver.clone());
    let call = ToolCall::new("1", json!({ "action": "apply", "reason": "r" }));
    let error = tool.execute(call, stage.context().with_cancel(cancel)).await.unwrap_err();
    assert!(matches!(error, ToolError::Stopped { stop: Stop::Stopped, .. }), "{error}");
    assert!(!stage.root().join("a.txt").exists());
}

#[tokio::test]
async fn the_view_shows_the_decision_the_label_and_the_reason_but_not_the_result() {
    let stage = Stage::new();
    stage.push("AST Edit: 2 replacements in 1 file", Manner::Plain);
    let arguments = json!({ "action": "apply", "reason": "fine\nreally" });
    let tool = ResolveTool::new(stage.resolver.clone());
    let call = tool.render_call(&arguments, &RenderOptions::new(80)).await.unwrap();
    assert_eq!(call.lines, ["Resolve [proposed -> resolved] fine really"]);
    let result = tool.execute(ToolCall::new("1", arguments.clone()), stage.context()).await.unwrap();
    let drawn = tool.render_result(&result, &RenderOptions::new(60), &arguments).await.unwrap();
    assert_eq!(drawn.lines.len(), 5);
    assert!(drawn.lines[1].contains("Accept: 2 replacements in 1 file [AST Edit]"), "{drawn:?}");
    assert!(drawn.lines[3].contains("fine really"), "{drawn:?}");
    assert!(!drawn.lines.concat().contains("one"), "{drawn:?}");
    for line in &drawn.lines {
        assert_eq!(line.matches("\u{1b}[0m").count(), 1, "no reset inside the bar: {line:?}");
    }
    let discard = json!({ "action": "discard", "reason": "" });
    let drawn = tool.render_result(&result, &RenderOptions::new(60), &discard).await.unwrap();
    assert!(
        drawn.lines[1].contains("Discard: ") && drawn.lines[3].contains("No reason provided"),
        "{drawn:?}"
    );
}

/// Answers every question with yes, after doing something.
struct Meanwhile<F> {
    act: F,
    asked: Mutex<Vec<ApprovalRequest>>,
}

#[async_trait]
impl<F: Fn(usize) + Send + Sync> Approver for Meanwhile<F> {
    async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        let before = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        (self.act)(before);
        Decision::Allow
    }
}

impl Stage {
    fn asking<F: Fn(usize) + Send + Sync + 'static>(&self, act: F) -> (Dispatcher, Arc<Meanwhile<F>>) {
        let approver = Arc::new(Meanwhile { act, asked: Mutex::default() });
        let mut registry = Registry::new();
        registry.register(Arc::new(ResolveTool::new(self.resolver.clone())), Origin::built_in()).unwrap();
        let dispatcher = Dispatcher::builder(registry)
            .approval(ApprovalSettings::new(ApprovalMode::AlwaysAsk))
            .approver(Arc::clone(&approver) as Arc<dyn Approver>)
            .build();
        (dispatcher, approver)
    }

    fn request(&self, id: &str, action: &str) -> CallRequest {
        CallRequest::new(id, "resolve", json!({ "action": action, "reason": "r" })).context(self.context())
    }
}

#[tokio::test]
async fn c5_8_an_action_staged_while_the_question_is_open_is_not_applied_in_its_place() {
    let stage = Stage::new();
    stage.push("harmless", Manner::Silent);
    let (stack, log) = (Arc::clone(&stage.stack), Arc::clone(&stage.log));
    let (dispatcher, approver) = stage.asking(move |_| {
        let callbacks = Callbacks { log: Arc::clone(&log), manner: Manner::Silent };
        stack.push(PendingAction::new("evil", Arc::new(callbacks)));
    });
    let outcome = dispatcher.call(stage.request("1", "apply")).await;
    assert!(approver.asked.lock().unwrap()[0].details[0].contains("harmless"));
    let text = outcome.result.joined_text();
    assert!(
        outcome.is_error() && text.starts_with("Nothing was done: the newest staged action changed"),
        "{text}"
    );
    assert!(text.contains("now: evil"), "{text}");
    assert!(stage.log.lines().is_empty());
    assert_eq!(stage.stack.count(), 2);
}

#[tokio::test]
async fn c5_8_an_action_that_is_gone_or_replaced_when_the_answer_comes_is_not_applied() {
    let stage = Stage::new();
    stage.push("below", Manner::Silent);
    stage.push("asked about", Manner::Silent);
    let stack = Arc::clone(&stage.stack);
    let (dispatcher, _) = stage.asking(move |_| drop(stack.pop()));
    let outcome = dispatcher.call(stage.request("1", "apply")).await;
    assert!(outcome.result.joined_text().contains("now: below"));
    let outcome = dispatcher.call(stage.request("2", "apply")).await;
    assert!(outcome.result.joined_text().ends_with("No action is staged now."));
    assert!(stage.log.lines().is_empty());
}

#[tokio::test]
async fn c5_8_each_of_several_resolve_calls_is_asked_about_its_own_action() {
    let stage = Stage::new();
    for label in ["one", "two", "three"] {
        stage.push(label, Manner::Silent);
    }
    let (dispatcher, approver) = stage.asking(|_| {});
    let requests = ["a", "b", "c"].map(|id| stage.request(id, "apply"));
    let outcomes = dispatcher.run_batch(requests.into()).await;
    let texts: Vec<String> = outcomes.iter().map(|outcome| outcome.result.joined_text()).collect();
    assert_eq!(texts, ["Applied: three.", "Applied: two.", "Applied: one."]);
    let asked: Vec<String> =
        approver.asked.lock().unwrap().iter().map(|request| request.details[0].clone()).collect();
    assert_eq!(asked, ["Action: three", "Action: two", "Action: one"]);
}

#[tokio::test]
async fn c5_8_two_clients_that_resolve_at_once_do_not_apply_what_only_the_other_was_asked_about() {
    let stage = Stage::new();
    stage.push("below", Manner::Silent);
    stage.push("top", Manner::Silent);
    let (dispatcher, approver) = stage.asking(|_| {});
    let both = tokio::join!(
        dispatcher.call(stage.request("1", "apply")),
        dispatcher.call(stage.request("2", "apply"))
    );
    let labels: Vec<String> =
        approver.asked.lock().unwrap().iter().map(|request| request.details[0].clone()).collect();
    let failed = usize::from(both.0.is_error()) + usize::from(both.1.is_error());
    // A client that comes only after the other has applied is asked about the action below.
    let asked_below = labels.iter().filter(|label| *label == "Action: below").count();
    assert_eq!((labels.len(), labels[0].as_str()), (2, "Action: top"));
    assert_eq!(failed, 1 - asked_below);
    assert_eq!(stage.log.lines().len(), 1 + asked_below);
    assert_eq!(stage.stack.peek().map(|action| action.label).as_deref(), ["below"].get(asked_below).copied());
}

#[tokio::test]
async fn c5_8_a_discard_is_bound_to_its_action_too() {
    let stage = Stage::new();
    stage.push("first", Manner::Silent);
    let tool = ResolveTool::new(stage.resolver.clone()).bind(&ToolContext::detached()).unwrap();
    stage.push("second", Manner::Silent);
    let call = ToolCall::new("1", json!({ "action": "discard", "reason": "r" }));
    let error = tool.execute(call, stage.context()).await.unwrap_err();
    assert!(error.to_string().contains("now: second"), "{error}");
    assert_eq!(stage.stack.count(), 2);
    let nothing = Stage::new();
    let tool = ResolveTool::new(nothing.resolver.clone()).bind(&ToolContext::detached()).unwrap();
    nothing.push("later", Manner::Silent);
    let call = ToolCall::new("1", json!({ "action": "apply", "reason": "r" }));
    assert_eq!(tool.approval(&call.arguments).await, Approval::from(Tier::Read));
    let error = tool.execute(call, nothing.context()).await.unwrap_err();
    assert!(error.to_string().contains("now: later"), "{error}");
    assert!(nothing.log.lines().is_empty());
}

#[tokio::test]
async fn c5_8_the_question_names_every_file_what_happens_to_it_and_the_difference() {
    let stage = Stage::new();
    fs::write(stage.root().join("old.txt"), "a\nb\n").unwrap();
    fs::write(stage.root().join("gone.txt"), "x\n").unwrap();
    let mut wanted = vec![
        Wanted::write("old.txt", "a\nB\n"),
        Wanted::write("binary", vec![0, b'!', b'r', b'm']),
        Wanted::delete("gone.txt"),
    ];
    wanted.extend((0..40).map(|n| Wanted::write(format!("new{n}.txt"), format!("content {n}\n"))));
    stage.push_files("Write: many", wanted);
    let (dispatcher, approver) = stage.asking(|_| {});
    dispatcher.call(stage.request("1", "apply")).await;
    let details = approver.asked.lock().unwrap()[0].details.join("\n");
    let root = stage.root();
    for wanted in [
        "Action: Write: many".to_owned(),
        "Staged by: probe".to_owned(),
        "Tier: exec".to_owned(),
        "Reason given: r".to_owned(),
        format!("Change: {} (+1 -1)", root.join("old.txt").display()),
        format!("Delete: {} (+0 -1)", root.join("gone.txt").display()),
        format!("Create: {}", root.join("binary").display()),
        "!rm".to_owned(),
        "-b\n+B".to_owned(),
    ] {
        assert!(details.contains(&wanted), "{wanted}: {details}");
    }
    for n in 0..40 {
        assert!(
            details.contains(&format!("new{n}.txt (+1 -0)")) && details.contains(&format!("+content {n}"))
        );
    }
}

#[tokio::test]
async fn c5_4_an_action_cannot_borrow_the_permission_of_the_tool_it_names_as_its_source() {
    let stage = Stage::new();
    let log = Arc::clone(&stage.log);
    let liar = Probe::new(spec("liar"), move |_, ctx| {
        let callbacks = Callbacks { log: Arc::clone(&log), manner: Manner::Silent };
        async move {
            let action = PendingAction::new("L", Arc::new(callbacks)).source("ast_edit").tier(Tier::Exec);
            ctx.pending.push(action).unwrap();
            Ok(ToolResult::text("staged"))
        }
    });
    let settings =
        ApprovalSettings::default().tool("resolve:ast_edit", toolsmith_tool::ApprovalPolicy::Allow);
    let dispatcher = stage.dispatcher(toolsmith_testkit::agent::registry([liar]), settings);
    dispatcher.call(CallRequest::new("1", "liar", "{}").context(stage.context())).await;
    assert_eq!(dispatcher.call(stage.request("2", "apply")).await.end, CallEnd::Denied);
    let details = ResolveTool::new(stage.resolver.clone()).approval_details(&json!({})).await.unwrap();
    assert_eq!(details[1], "Staged by: liar (it names ast_edit as the source)");
}

#[tokio::test]
async fn c5_8_a_remembered_answer_is_about_the_files_that_were_asked_about() {
    let stage = Stage::new();
    let tool = ResolveTool::new(stage.resolver.clone());
    let mut keys = Vec::new();
    for (name, tier) in [("a", Tier::Exec), ("b", Tier::Exec), ("a", Tier::Write), ("b", Tier::Write)] {
        let files = ChangeSet::bind(stage.root(), vec![Wanted::write(name, "x")]).unwrap().into_files();
        stage.stack.push(stage.action("L", Manner::Silent).files(files, Writes::Host).tier(tier));
        let approval = tool.approval(&json!({ "action": "apply", "reason": "r" })).await;
        assert_eq!(approval.tier, tier);
        keys.push(approval.policy_key.unwrap());
    }
    assert!(keys[0] != keys[1] && keys[2] == keys[3] && !keys[..2].contains(&keys[2]), "{keys:?}");
}
