//! What reaches a tool from around it: the person (CONTRACT 3.3), the session (4.4, 7), staged actions (8.1), the bus.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use toolsmith_js::Limits;
use toolsmith_testkit::BATCH_RENAME;
use toolsmith_tool::{
    AgentView, Approval, CancelToken, Component, CustomOptions, DialogOptions, NoticeLevel, PendingHandle,
    PendingStack, SessionEvent, SessionView, Stop, Tier, ToolCall, ToolContext, ToolError, Ui, WidgetContent,
    WidgetPlacement, async_trait,
};

use crate::project::{Project, call, tool_source};

/// Answers every dialog and writes down what it was told.
#[derive(Default)]
struct Person {
    heard: Mutex<Vec<String>>,
}

impl Person {
    fn note(&self, text: String) {
        self.heard.lock().unwrap().push(text);
    }
}

#[async_trait]
impl Ui for Person {
    async fn select(&self, title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        self.note(format!("select {title} {options:?}"));
        options.last().cloned()
    }
    async fn confirm(&self, title: &str, message: &str, _dialog: DialogOptions) -> bool {
        self.note(format!("confirm {title} {message}"));
        true
    }
    async fn input(&self, title: &str, placeholder: Option<&str>, _dialog: DialogOptions) -> Option<String> {
        self.note(format!("input {title} {placeholder:?}"));
        Some("typed ünï".to_owned())
    }
    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        self.note(format!("editor {title} {prefill:?}"));
        // Nobody ever answers this one.
        dialog.cancel.cancelled().await;
        None
    }
    async fn custom(
        &self,
        view: Arc<dyn Component>,
        _options: CustomOptions,
        dialog: DialogOptions,
    ) -> Option<Value> {
        self.note(format!("custom {:?}", view.render(10).await.map(|drawn| drawn.lines)));
        view.input("\u{1b}[B").await;
        self.note(format!("custom {:?}", view.render(10).await.map(|drawn| drawn.lines)));
        view.input("\r").await;
        dialog.cancel.cancelled().await;
        None
    }
    fn notify(&self, message: &str, level: NoticeLevel) {
        self.note(format!("notify {message} {level:?}"));
    }
    fn set_status(&self, key: &str, text: Option<&str>) {
        self.note(format!("status {key} {text:?}"));
    }
    fn set_widget(&self, key: &str, content: Option<WidgetContent>, _placement: WidgetPlacement) {
        self.note(format!("widget {key} {content:?}"));
    }
    fn set_title(&self, title: &str) {
        self.note(format!("title {title}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_the_interface_is_switched_for_tools_that_took_it_earlier() {
    let source = "export default (pi) => { const { ui } = pi; return { name: \"t\", description: \"d\", parameters: {},\n\
        async execute() { ui.notify(\"n\", \"warning\"); ui.setStatus(\"k\", \"a\\nb\"); ui.setStatus(\"k\", undefined); ui.setWidget(\"w\", [\"l1\"]); ui.setTitle(\"T\");\n\
        const answers = [await ui.select(\"s\", [\"a\", \"b\"]), await ui.confirm(\"c\", \"m\"), await ui.input(\"i\", \"p\"), pi.hasUI];\n\
        return { content: [{ type: \"text\", text: JSON.stringify(answers) }] }; } }; };";
    let project = Project::new(&[("t.ts", source)]);
    let tool = project.tool("t.ts").await;
    let headless = call(&tool, json!({})).await.unwrap().joined_text();
    assert_eq!(headless, "[null,false,null,false]");
    let person = Arc::new(Person::default());
    project.engine.set_ui_context(Arc::<Person>::clone(&person));
    let answered = call(&tool, json!({})).await.unwrap().joined_text();
    assert_eq!(answered, "[\"b\",true,\"typed ünï\",true]");
    assert_eq!(
        *person.heard.lock().unwrap(),
        [
            "notify n Warning",
            "status k Some(\"a b\")",
            "status k None",
            "widget w Some(Lines([\"l1\"]))",
            "title T",
            "select s [\"a\", \"b\"]",
            "confirm c m",
            "input i Some(\"p\")"
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_a_dialog_ends_with_its_signal_its_timeout_or_the_call() {
    let body = "const c = new AbortController(); setTimeout(() => c.abort(), 1);\n\
        const one = await ctx.ui.editor(\"t\", \"x\", { signal: c.signal }); const two = await ctx.ui.editor(\"t\", \"x\", { timeout: 1 });\n\
        onUpdate({ content: [] }); const three = await ctx.ui.editor(\"t\"); throw new Error(`${one} ${two} ${three} ${signal.aborted}`);";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let slot = toolsmith_tool::UiSlot::headless();
    slot.set(Arc::new(Person::default()));
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = toolsmith_tool::UpdateSink::new(move |_| stop.cancel("stop"));
    let ctx = ToolContext::detached().with_ui(slot.handle()).with_cancel(cancel).with_updates(updates);
    let error = tool.execute(ToolCall::new("c", json!({})), ctx).await.unwrap_err();
    assert_eq!(error.to_string(), "stopped (undefined undefined undefined true)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_a_tool_shows_a_view_of_its_own_and_takes_keys() {
    let source = "import { SelectList, matchesKey } from \"@oh-my-pi/pi-tui\";\n\
        export default (pi) => ({ name: \"t\", description: \"d\", parameters: {}, async execute() {\n\
        const chosen = await pi.ui.custom((tui, theme, done) => { const list = new SelectList([{ value: \"one\" }, { value: \"two\" }], 5); list.onSelect = (item) => done(item.value); return list; });\n\
        return { content: [{ type: \"text\", text: String(chosen) }] }; } });";
    let project = Project::new(&[("t.ts", source)]);
    let tool = project.tool("t.ts").await;
    let person = Arc::new(Person::default());
    project.engine.set_ui_context(Arc::<Person>::clone(&person));
    assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "two");
    assert_eq!(
        *person.heard.lock().unwrap(),
        ["custom Some([\"→ one\", \"  two\"])", "custom Some([\"  one\", \"→ two\"])"]
    );
}

#[derive(Debug)]
struct Session;

impl SessionView for Session {
    fn cwd(&self) -> PathBuf {
        "the/session/cwd".into()
    }
    fn session_id(&self) -> String {
        "s-1".into()
    }
    fn session_file(&self) -> Option<PathBuf> {
        Some("sessions/s-1.jsonl".into())
    }
    fn entries(&self) -> Vec<Value> {
        vec![json!({ "id": "1", "type": "message" }), json!({ "id": "2", "type": "custom" })]
    }
    fn entry(&self, id: &str) -> Option<Value> {
        self.entries().into_iter().find(|entry| entry["id"] == id)
    }
    fn leaf_id(&self) -> Option<String> {
        Some("2".into())
    }
    fn branch(&self, from: Option<&str>) -> Vec<Value> {
        vec![json!({ "from": from })]
    }
    fn tree(&self) -> Vec<Value> {
        // A long conversation, and a second beginning with two answers.
        let long = (0..20_000_usize).map(|at| (at, at.checked_sub(1)));
        let rows = long.chain([(20_000, None), (20_001, Some(20_000)), (20_002, Some(20_000))]);
        rows.map(|(at, parent)| json!({ "entry": { "id": at }, "parent": parent, "label": (at == 20_001).then_some("good") }))
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_4_the_tree_reaches_a_tool_however_deep_it_is() {
    let body = "let depth = 0; const tree = ctx.sessionManager.getTree();\n\
        for (let node = tree[0]; node; node = node.children[0]) depth++;\n\
        const text = JSON.stringify([tree.length, depth, tree[1], Object.keys(tree[0])]);\n\
        return { content: [{ type: \"text\", text }] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let ctx = ToolContext::detached().with_session(Arc::new(Session));
    let text = tool.execute(ToolCall::new("c", json!({})), ctx).await.unwrap().joined_text();
    assert_eq!(
        text,
        "[2,20000,{\"entry\":{\"id\":20000},\"children\":[{\"entry\":{\"id\":20001},\"children\":[],\"label\":\"good\"},{\"entry\":{\"id\":20002},\"children\":[]}]},[\"entry\",\"children\",\"label\"]]"
    );
}

#[derive(Debug, Default)]
struct Agent {
    aborted: Mutex<bool>,
}

impl AgentView for Agent {
    fn model(&self) -> Option<Value> {
        Some(json!({ "provider": "p", "id": "m" }))
    }
    fn models(&self) -> Vec<Value> {
        vec![json!({ "provider": "p", "id": "m" }), json!({ "provider": "q", "id": "n", "available": false })]
    }
    fn is_idle(&self) -> bool {
        false
    }
    fn has_queued_messages(&self) -> bool {
        true
    }
    fn abort(&self) {
        *self.aborted.lock().unwrap() = true;
    }
    fn auto_approve(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_4_ctx_shows_the_session_and_the_agent() {
    let body = "const m = ctx.sessionManager; ctx.abort();\n\
        return { content: [{ type: \"text\", text: JSON.stringify([m.getCwd(), m.getSessionId(), m.getSessionFile(), m.getSessionDir(), m.getEntries().length, m.getEntry(\"2\").type, m.getEntry(\"9\") ?? \"none\", m.getLeafId(), m.getLeafEntry().id, m.getBranch(\"1\")[0].from, ctx.cwd, ctx.sessionId, ctx.model.id, ctx.modelRegistry.getAvailable().length, ctx.modelRegistry.find(\"q\", \"n\").id, ctx.isIdle(), ctx.hasQueuedMessages(), ctx.autoApprove, await ctx.modelRegistry.getApiKey(ctx.model) ?? \"no key\"]) }] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let agent = Arc::new(Agent::default());
    let ctx = ToolContext::detached().with_session(Arc::new(Session)).with_agent(Arc::<Agent>::clone(&agent));
    let text = tool.execute(ToolCall::new("c", json!({})), ctx).await.unwrap().joined_text();
    assert_eq!(
        text,
        "[\"the/session/cwd\",\"s-1\",\"sessions/s-1.jsonl\",\"sessions\",2,\"custom\",\"none\",\"2\",\"2\",\"1\",\"the/session/cwd\",\"s-1\",\"m\",1,\"n\",false,true,true,\"toolsmith-host\"]"
    );
    assert!(*agent.aborted.lock().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c7_1_and_c7_2_a_tool_hears_of_the_session_and_cannot_stop_it() {
    let source = "const heard = []; export default (pi) => [{ name: \"t\", description: \"d\", parameters: {},\n\
        async onSession(event, ctx) { await null; heard.push([event, ctx.sessionId, this.name]); if (event.reason === \"branch\") throw new Error(\"no branches\"); if (event.reason === \"tree\") for (;;) {} if (event.reason === \"switch\") await new Promise(() => {}); },\n\
        execute: async () => ({ content: [{ type: \"text\", text: JSON.stringify(heard) }] }) }, { name: \"deaf\", description: \"d\", parameters: {}, execute: async () => ({ content: [] }) }];";
    let limits = Limits::default().hook(Duration::from_millis(100)).grace(Duration::from_millis(20));
    let project = Project::with_limits(limits, &[("t.ts", source)]);
    let module = project.load("t.ts").await;
    let (tool, deaf) = (&module.tools[0].tool, &module.tools[1].tool);
    let ctx = ToolContext::detached().with_session(Arc::new(Session));
    tool.on_session(&SessionEvent::Start, &ctx).await.unwrap();
    deaf.on_session(&SessionEvent::Start, &ctx).await.unwrap();
    let branch = SessionEvent::Branch { previous_session_file: Some("old".into()) };
    assert_eq!(tool.on_session(&branch, &ctx).await.unwrap_err().to_string(), "no branches");
    let heard = call(tool, json!({})).await.unwrap().joined_text();
    assert_eq!(
        heard,
        "[[{\"reason\":\"start\"},\"s-1\",\"t\"],[{\"reason\":\"branch\",\"previousSessionFile\":\"old\"},\"s-1\",\"t\"]]"
    );
    // One that hangs is left behind, and one that loops is stopped.
    let switch = SessionEvent::Switch { previous_session_file: None };
    let error = tool.on_session(&switch, &ctx).await.unwrap_err();
    assert!(matches!(error, ToolError::Stopped { stop: Stop::Forced, .. }), "{error}");
    let error = tool.on_session(&SessionEvent::Tree, &ctx).await.unwrap_err();
    assert!(error.to_string().contains("longer than 100ms"), "{error}");
    assert_eq!(call(tool, json!({})).await.unwrap().joined_text(), "[]", "and it starts afresh");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_3_approval_by_function_and_its_details() {
    let source = "const base = { description: \"d\", parameters: {}, execute: async () => ({ content: [] }) };\n\
        export default () => [{ ...base, name: \"by_args\", approval: (args) => args.dry ? \"read\" : { tier: \"write\", reason: `writes ${args.path}` }, formatApprovalDetails: (args) => [`Path: ${args.path}`, 5] },\n\
        { ...base, name: \"async\", approval: async () => \"read\", formatApprovalDetails: () => \"one\\ntwo\" },\n\
        { ...base, name: \"throws\", approval: () => { throw new Error(\"x\"); }, formatApprovalDetails: () => { throw 1; } },\n\
        { ...base, name: \"nonsense\", approval: () => 42 }, { ...base, name: \"hangs\", approval: () => new Promise(() => {}) }];";
    let limits = Limits::default().hook(Duration::from_millis(100)).grace(Duration::from_millis(20));
    let project = Project::with_limits(limits, &[("t.ts", source)]);
    let module = project.load("t.ts").await;
    let tools: Vec<_> = module.tools.iter().map(|loaded| &loaded.tool).collect();
    assert_eq!(tools[0].approval(&json!({ "dry": true })).await, Tier::Read.into());
    let write = tools[0].approval(&json!({ "path": "a" })).await;
    assert_eq!((write.tier, write.reason.as_deref()), (Tier::Write, Some("writes a")));
    assert_eq!(tools[0].approval_details(&json!({ "path": "a" })).await.unwrap(), ["Path: a", "5"]);
    assert_eq!(tools[1].approval(&json!({})).await, Tier::Read.into());
    assert_eq!(tools[1].approval_details(&json!({})).await.unwrap(), ["one", "two"]);
    // What goes wrong leaves the most careful answer.
    for tool in &tools[2..] {
        assert_eq!(tool.approval(&json!({})).await, Approval::default(), "{}", tool.spec().name);
    }
    assert_eq!(tools[2].approval_details(&json!({})).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_4_an_undeclared_form_of_approval_is_refused_at_load() {
    let forms = [
        "[\"read\"]",
        "[[\"read\"]]",
        "42",
        "true",
        "{}",
        "{ tier: [\"read\"] }",
        "{ tier: \"Read\" }",
        "\"READ\"",
        "\"\"",
        "Promise.resolve(\"read\")",
        "new String(\"read\")",
        "Symbol(\"read\")",
        "{ tier: \"read\", policy: \"maybe\" }",
        "{ tier: \"read\", override: \"no\" }",
        "{ toJSON: () => \"read\" }",
        "new Map([[\"tier\", \"read\"]])",
    ];
    for form in forms {
        let source = format!(
            "export default () => ({{ name: \"t\", description: \"d\", parameters: {{}}, execute: async () => ({{ content: [] }}), approval: {form} }});"
        );
        let project = Project::new(&[("t.ts", source.as_str())]);
        let module = project.load("t.ts").await;
        assert!(
            module.tools.is_empty(),
            "{form}: {:?}",
            module.tools.first().map(|found| found.tool.spec().approval.clone())
        );
        let error = format!("{:?}", module.errors);
        assert!(error.contains("approval must be"), "{form}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_4_an_approval_function_that_returns_an_undeclared_form_counts_as_exec() {
    let forms = [
        "[\"read\"]",
        "42",
        "{}",
        "{ reason: 5 }",
        "{ tier: [\"read\"] }",
        "undefined",
        "null",
        "\"READ\"",
        "Promise.resolve([\"read\"])",
        "{ tier: \"read\", override: 1 }",
        "{ tier: \"read\", policy: \"maybe\" }",
        "() => \"read\"",
    ];
    for form in forms {
        let source = format!(
            "export default () => ({{ name: \"t\", description: \"d\", parameters: {{}}, execute: async () => ({{ content: [] }}), approval: () => ({form}) }});"
        );
        let project = Project::new(&[("t.ts", source.as_str())]);
        let tool = project.tool("t.ts").await;
        assert_eq!(tool.approval(&json!({})).await, Approval::default(), "{form}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_1_the_seeds_batch_rename_stages_an_action_that_can_be_applied_or_rejected() {
    let project = Project::new(&[("t.ts", BATCH_RENAME)]);
    let tool = project.tool("t.ts").await;
    let stack = PendingStack::new();
    let ctx = ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&stack)));
    let arguments = json!({ "files": ["a", "b"] });
    for _ in 0..2 {
        let result = tool.execute(ToolCall::new("c", arguments.clone()), ctx.clone()).await.unwrap();
        assert_eq!(
            result.joined_text(),
            "Prepared rename plan for 2 files. Call resolve to apply or discard."
        );
    }
    let action = stack.pop().unwrap();
    assert_eq!(
        (action.label.as_str(), action.source_tool_name.as_str()),
        ("Batch rename: 2 files", "batch_rename_preview")
    );
    let applied = action.callbacks.apply("looks right", ToolContext::detached()).await.unwrap();
    assert_eq!(applied.joined_text(), "Applied batch rename. Reason: looks right");
    let again = action.callbacks.apply("again", ToolContext::detached()).await.unwrap_err();
    assert!(again.to_string().contains("already been used"), "{again}");
    let rejected =
        stack.pop().unwrap().callbacks.reject("no", ToolContext::detached()).await.unwrap().unwrap();
    assert_eq!(rejected.joined_text(), "Discarded batch rename. Reason: no");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_1_without_a_store_pushing_throws_and_bad_actions_are_refused() {
    let project = Project::new(&[("t.ts", BATCH_RENAME)]);
    let tool = project.tool("t.ts").await;
    let error = call(&tool, json!({ "files": [] })).await.unwrap_err().to_string();
    assert_eq!(error, "Pending action store unavailable for custom tools in this runtime.");
    let body = "const tries = [undefined, {}, { label: \"x\" }, { label: 5, apply() {} }, { label: \"x\", apply() {}, reject: 5 }];\n\
        return { content: [{ type: \"text\", text: tries.map((t) => { try { pi.pushPendingAction(t); return \"ok\"; } catch (e) { return e.name; } }).join() }] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    assert_eq!(
        call(&tool, json!({})).await.unwrap().joined_text(),
        "TypeError,TypeError,TypeError,TypeError,TypeError"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_of_an_engine_that_was_stopped_are_void() {
    let source = tool_source(
        "if (params.loop) { onUpdate({ content: [] }); for (;;) {} } pi.pushPendingAction({ label: \"x\", details: { n: 1 }, apply: async () => ({ content: [] }) }); return { content: [] };",
    );
    let project =
        Project::with_limits(Limits::default().grace(Duration::from_millis(20)), &[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    let stack = PendingStack::new();
    let ctx = ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&stack)));
    tool.execute(ToolCall::new("c", json!({})), ctx).await.unwrap();
    let action = stack.pop().unwrap();
    assert_eq!((action.details.clone(), action.callbacks.void()), (Some(json!({ "n": 1 })), None));
    assert_eq!(action.source_tool_name, "custom_tool");
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = toolsmith_tool::UpdateSink::new(move |_| stop.cancel("x"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    tool.execute(ToolCall::new("c", json!({ "loop": true })), ctx).await.unwrap_err();
    let reason = action.callbacks.void().unwrap();
    assert!(reason.contains("was stopped, so the action is lost"), "{reason}");
    let error = action.callbacks.apply("r", ToolContext::detached()).await.unwrap_err();
    assert_eq!(error.to_string(), reason);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_tool_emits_the_others_hear() {
    let listener = "const heard = []; export default (pi) => { pi.events.on(\"news\", (data) => heard.push(data)); return { name: \"listener\", description: \"d\", parameters: {}, execute: async () => { while (heard.length < 2) await new Promise((r) => setTimeout(r, 1)); return { content: [{ type: \"text\", text: JSON.stringify(heard) }] }; } }; };";
    let speaker = "export default (pi) => ({ name: \"speaker\", description: \"d\", parameters: {}, execute: async () => { pi.events.emit(\"other\", 0); pi.events.emit(\"news\", { n: 1 }); pi.events.emit(\"news\", \"two\"); return { content: [] }; } });";
    let project = Project::new(&[("listener.ts", listener), ("speaker.ts", speaker)]);
    let (listener, speaker) = (project.tool("listener.ts").await, project.tool("speaker.ts").await);
    call(&speaker, json!({})).await.unwrap();
    assert_eq!(call(&listener, json!({})).await.unwrap().joined_text(), "[{\"n\":1},\"two\"]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_8_calls_of_two_modules_compute_at_the_same_time() {
    // Each computes until the other has said that it runs: one after the other they would never end.
    let spin = |own: &str| {
        format!(
            "let seen = false; export default (pi) => {{ pi.events.on(\"{own}\", () => {{ seen = true; }}); return {{ name: \"{own}\", description: \"d\", parameters: {{}}, execute: async () => {{ pi.events.emit(\"{}\"); while (!seen) await null; return {{ content: [] }}; }} }}; }};",
            if own == "a" { "b" } else { "a" }
        )
    };
    let project = Project::new(&[("a.ts", &spin("a")), ("b.ts", &spin("b"))]);
    let (a, b) = (project.tool("a.ts").await, project.tool("b.ts").await);
    let (one, two) = tokio::join!(call(&a, json!({})), call(&b, json!({})));
    one.unwrap();
    two.unwrap();
}

/// CONTRACT 3.4: the log of a tool is a file of JSON lines.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_4_what_a_tool_logs_is_in_the_file_with_level_and_context() {
    use toolsmith_host::log::{LogLines, RotatingFile};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("logs/toolsmith.log");
    // The log is the whole process's; other tests write to it too, under other names.
    LogLines::new(RotatingFile::new(&path), tracing::Level::DEBUG).install();
    let project = Project::new(&[(
        "chatty.ts",
        &tool_source(
            "pi.logger.warn('careful', { count: 2 }); pi.logger.debug('detail'); console.error('shout');\n\
             return { content: [] };",
        ),
    )]);
    let tool = project.tool("chatty.ts").await;
    call(&tool, json!({})).await.unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let own: Vec<(&str, &str, &Value)> = lines
        .iter()
        .filter(|line| line["tool"].as_str().is_some_and(|tool| tool.contains("chatty")))
        .map(|line| {
            (line["level"].as_str().unwrap(), line["message"].as_str().unwrap(), &line["context"]["count"])
        })
        .collect();
    assert_eq!(
        own,
        [("warn", "careful", &json!(2)), ("debug", "detail", &Value::Null), ("error", "shout", &Value::Null)]
    );
}
