//! The path of one call, and every place where it can turn back.

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use serde_json::json;
use tokio::sync::oneshot;
use toolsmith_agent::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, CallEnd, CallEvent, CallRequest, Deadlines,
    Decision, Dispatcher, DispatcherBuilder, Gate, GateVerdict, GatedCall, OutputCut,
};
use toolsmith_testkit::agent::{Probe, dispatching, embedded, registry, spec, yolo};
use toolsmith_tool::{
    Approval, ApprovalPolicy, CancelToken, ContentBlock, DialogOptions, Stop, Tier, ToolContext, ToolError,
    ToolResult, Ui, UiSlot, UpdateSink, async_trait,
};

fn soon() -> Deadlines {
    Deadlines::default().call(Duration::from_millis(40)).grace(Duration::from_millis(20))
}

async fn text(dispatcher: &Dispatcher, request: CallRequest) -> String {
    dispatcher.call(request).await.result.joined_text()
}

#[tokio::test]
async fn a_call_gets_what_the_model_meant() {
    let dispatcher = dispatching([Probe::echo("echo")]).build();
    let outcome = dispatcher.call(CallRequest::new("1", "echo", r#"{"text":"a","count":"3"}"#)).await;
    assert_eq!(outcome.result.joined_text(), r#"{"text":"a","count":3}"#);
    assert!(outcome.is_repaired() && !outcome.is_error());
    assert_eq!(
        (outcome.end, outcome.arguments),
        (CallEnd::Answered, Some(json!({ "text": "a", "count": 3 })))
    );
    let outcome = dispatcher.call(CallRequest::new("2", "echo", json!({ "text": "a" }))).await;
    assert!(!outcome.is_repaired());
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_the_closest_ones() {
    let dispatcher = dispatching([Probe::echo("read_file"), Probe::echo("grep")]).build();
    let outcome = dispatcher.call(CallRequest::new("1", "read_fil", "{}")).await;
    assert_eq!(outcome.result.joined_text(), "Tool read_fil not found. Did you mean read_file?");
    assert_eq!(outcome.end, CallEnd::UnknownTool);
    let answer = text(&dispatcher, CallRequest::new("1", "xyzzy", "{}")).await;
    assert_eq!(answer, "Tool xyzzy not found. Available: read_file, grep");
    let answer = text(&dispatcher, CallRequest::new("1", "x".repeat(1 << 20), "{}")).await;
    assert!(answer.len() < 300, "{}", answer.len());
    let none = dispatching([]).build();
    assert_eq!(text(&none, CallRequest::new("1", "a", "{}")).await, "Tool a not found. There are no tools.");
}

#[tokio::test]
async fn a_model_cannot_call_what_it_was_not_offered() {
    let dispatcher = dispatching([Probe::echo("shown"), Probe::echo("hidden")]).build();
    let offered = ["shown".to_owned()];
    let answer = text(&dispatcher, CallRequest::new("1", "hidden", "{}").offered(offered)).await;
    assert_eq!(answer, "Tool hidden not found. Available: shown");
    assert_eq!(text(&dispatcher, CallRequest::new("1", "hidden", "{}")).await, "{}");
}

#[tokio::test]
async fn c8_3_resolve_can_be_called_without_being_offered() {
    let dispatcher = dispatching([Probe::echo("shown"), Probe::echo("resolve")]).build();
    let offered = ["shown".to_owned()];
    let answer = text(&dispatcher, CallRequest::new("1", "resolve", "{}").offered(offered.clone())).await;
    assert_eq!(answer, "{}");
    let answer = text(&dispatcher, CallRequest::new("1", "xyzzy", "{}").offered(offered)).await;
    assert_eq!(answer, "Tool xyzzy not found. Available: shown");
}

#[tokio::test]
async fn c4_2_wrong_arguments_are_refused_before_anything_runs() {
    let dispatcher = dispatching([Probe::echo("echo")]).build();
    let outcome = dispatcher.call(CallRequest::new("1", "echo", r#"{"count":"many"}"#)).await;
    assert_eq!(outcome.end, CallEnd::InvalidArguments);
    let answer = outcome.result.joined_text();
    assert!(
        answer.starts_with("Validation failed for tool \"echo\":") && answer.contains("count"),
        "{answer}"
    );
    let cut_in_half = dispatcher.call(CallRequest::new("1", "echo", r#"{"text":"half of it"#)).await;
    assert_eq!(cut_in_half.end, CallEnd::InvalidArguments);
}

struct Rule(GateVerdict);

#[async_trait]
impl Gate for Rule {
    fn name(&self) -> &str {
        "rule.ts"
    }
    async fn before(&self, _call: GatedCall<'_>) -> GateVerdict {
        self.0.clone()
    }
    async fn after(&self, call: GatedCall<'_>, mut result: ToolResult) -> ToolResult {
        result.content.push(ContentBlock::text(format!("seen with {}", call.arguments)));
        result
    }
}

#[tokio::test]
async fn gates_refuse_rewrite_and_change_results() {
    let through = |verdict| dispatching([Probe::echo("echo")]).gate(Arc::new(Rule(verdict))).build();
    let call = || CallRequest::new("1", "echo", r#"{"text":"a"}"#);
    let outcome = through(GateVerdict::Refuse("not on Sundays".to_owned())).call(call()).await;
    assert_eq!((outcome.result.joined_text().as_str(), &outcome.end), ("not on Sundays", &CallEnd::Blocked));
    let answer = text(&through(GateVerdict::Refuse(String::new())), call()).await;
    assert_eq!(answer, "Tool execution was blocked by rule.ts");
    let answer = text(&through(GateVerdict::Rewrite(json!({ "text": "b", "count": "2" }))), call()).await;
    assert_eq!(answer, "{\"text\":\"b\",\"count\":2}\nseen with {\"text\":\"b\",\"count\":2}");
    let outcome = through(GateVerdict::Rewrite(json!({ "nonsense": 1, "count": [] }))).call(call()).await;
    assert_eq!(outcome.end, CallEnd::InvalidArguments);
}

struct Broken;

#[async_trait]
impl Gate for Broken {
    fn name(&self) -> &str {
        "broken.ts"
    }
    async fn before(&self, _call: GatedCall<'_>) -> GateVerdict {
        panic!("oops")
    }
}

#[tokio::test]
async fn a_gate_that_fails_lets_nothing_through() {
    let dispatcher = dispatching([Probe::echo("echo")]).gate(Arc::new(Broken)).build();
    let outcome = dispatcher.call(CallRequest::new("1", "echo", "{}")).await;
    assert_eq!(outcome.result.joined_text(), "Tool execution was blocked: broken.ts failed: oops");
}

#[derive(Default)]
struct Person {
    answers: Mutex<Vec<Decision>>,
    asked: Mutex<Vec<ApprovalRequest>>,
}

impl Person {
    fn saying(answers: impl IntoIterator<Item = Decision>) -> Arc<Self> {
        let mut answers: Vec<Decision> = answers.into_iter().collect();
        answers.reverse();
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default() })
    }
    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl Approver for Person {
    async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.asked.lock().unwrap().push(request.clone());
        self.answers.lock().unwrap().pop().expect("one question too many")
    }
}

fn exec_probe() -> Probe {
    Probe::new(spec("run").approval(Tier::Exec), |_, _| async { Ok(ToolResult::text("ran")) })
}

#[tokio::test]
async fn c5_4_without_anybody_to_ask_the_answer_is_no_and_says_how_to_allow_it() {
    let dispatcher = dispatching([exec_probe()]).build();
    let outcome = dispatcher.call(CallRequest::new("1", "run", "{}")).await;
    assert_eq!(outcome.end, CallEnd::Denied);
    let answer = outcome.result.joined_text();
    assert!(
        answer.starts_with("Tool \"run\" requires approval but no interactive UI available.\n"),
        "{answer}"
    );
    assert!(answer.contains("tools.approval.run") && answer.contains("--approval-mode yolo"), "{answer}");
    assert!(toolsmith_agent::is_refused_unasked(&outcome.result));
    let allowed = dispatching([exec_probe()]).approval(yolo()).build();
    assert_eq!(text(&allowed, CallRequest::new("1", "run", "{}")).await, "ran");
    let allowed = ApprovalSettings::default().tool("run", ApprovalPolicy::Allow);
    let allowed = dispatching([exec_probe()]).approval(allowed).build();
    assert_eq!(text(&allowed, CallRequest::new("1", "run", "{}")).await, "ran");
}

#[tokio::test]
async fn c5_4_deny_wins_and_says_who_denied() {
    let settings = yolo().tool("run", ApprovalPolicy::Deny);
    let dispatcher = dispatching([exec_probe()]).approval(settings).approver(Person::saying([])).build();
    assert_eq!(
        text(&dispatcher, CallRequest::new("1", "run", "{}")).await,
        "Tool \"run\" is blocked by user policy.\nTo allow: remove \"tools.approval.run: deny\" from the settings."
    );
    let own = Approval { policy: Some(ApprovalPolicy::Deny), ..Approval::default() };
    let probe = Probe::echo("run").approval(move |_| own.clone());
    let dispatcher = dispatching([probe]).approval(yolo()).build();
    let answer = text(&dispatcher, CallRequest::new("1", "run", "{}")).await;
    assert_eq!(answer, "Tool \"run\" is blocked by tool policy.");
}

#[tokio::test]
async fn c5_4_a_person_is_asked_with_the_details_the_tool_gives() {
    let person = Person::saying([Decision::Allow, Decision::Deny { note: Some("use ls".to_owned()) }]);
    let long = "x".repeat(3000);
    let probe = exec_probe().details(&["Command: ls", &long, "shown too"]);
    let dispatcher = dispatching([probe]).approver(person.clone()).build();
    let call = || CallRequest::new("7", "run", r#"{"text":"ls"}"#);
    assert_eq!(text(&dispatcher, call()).await, "ran");
    assert_eq!(text(&dispatcher, call()).await, "Tool call denied by user: run\nuse ls");
    let asked = person.asked.lock().unwrap();
    assert_eq!((asked[0].tool_call_id.as_str(), asked[0].tier), ("7", Tier::Exec));
    assert_eq!(asked[0].arguments, json!({ "text": "ls" }));
    assert_eq!(
        asked[0].details,
        ["Command: ls", &long, "shown too"],
        "nothing is cut before a UI lays it out"
    );
}

#[tokio::test]
async fn c5_4_allowing_for_the_session_is_asked_once_also_for_calls_side_by_side() {
    let person = Person::saying([Decision::AllowForSession]);
    let dispatcher = dispatching([exec_probe()]).approver(person.clone()).build();
    let calls = (0..10).map(|at| CallRequest::new(at.to_string(), "run", "{}")).collect();
    let outcomes = dispatcher.run_batch(calls).await;
    assert!(outcomes.iter().all(|outcome| outcome.result.joined_text() == "ran"));
    assert_eq!(person.asked(), 1);
}

#[tokio::test]
async fn c5_4_allowing_a_low_tier_for_the_session_does_not_allow_a_higher_one() {
    let person = Person::saying([Decision::AllowForSession, Decision::Deny { note: None }]);
    let probe = Probe::echo("save").approval(|arguments| match arguments["text"].as_str() {
        Some("hook") => Tier::Exec.into(),
        _ => Tier::Write.into(),
    });
    let dispatcher = dispatching([probe])
        .approver(person.clone())
        .approval(ApprovalSettings::new(ApprovalMode::AlwaysAsk))
        .build();
    let call = |text: &str| CallRequest::new("1", "save", json!({ "text": text }));
    assert!(!dispatcher.call(call("file")).await.is_error());
    assert_eq!(dispatcher.call(call("hook")).await.end, CallEnd::Denied);
    assert!(!dispatcher.call(call("file")).await.is_error());
    assert_eq!(person.asked(), 2);
}

#[tokio::test]
async fn c5_4_a_tool_may_decide_by_its_arguments() {
    let probe = Probe::echo("run").approval(|arguments| match arguments["text"].as_str() {
        Some("danger") => Tier::Exec.into(),
        _ => Tier::Read.into(),
    });
    let dispatcher = dispatching([probe]).build();
    assert!(!dispatcher.call(CallRequest::new("1", "run", r#"{"text":"fine"}"#)).await.is_error());
    let outcome = dispatcher.call(CallRequest::new("1", "run", r#"{"text":"danger"}"#)).await;
    assert_eq!(outcome.end, CallEnd::Denied);
    // One that panics is asked about, as one that says nothing.
    let probe = Probe::echo("run").approval(|_| panic!("no idea"));
    let outcome = dispatching([probe]).build().call(CallRequest::new("1", "run", "{}")).await;
    assert_eq!(outcome.end, CallEnd::Denied);
}

#[tokio::test]
async fn the_mode_can_be_changed_while_running() {
    let dispatcher = dispatching([exec_probe()]).build();
    assert!(!dispatcher.is_auto_approving());
    dispatcher.set_approval_settings(ApprovalSettings::new(ApprovalMode::Yolo));
    assert!(dispatcher.is_auto_approving());
    assert_eq!(text(&dispatcher, CallRequest::new("1", "run", "{}")).await, "ran");
}

struct NobodyAnswers;

#[async_trait]
impl Approver for NobodyAnswers {
    async fn ask(&self, _request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        cancel.cancel("escape");
        std::future::pending().await
    }
}

/// Answers when two questions are open.
struct SeveralPeople(tokio::sync::Barrier);

#[async_trait]
impl Approver for SeveralPeople {
    fn asks_one_at_a_time(&self) -> bool {
        false
    }

    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.0.wait().await;
        Decision::Allow
    }
}

#[tokio::test]
async fn c4_8_a_question_to_one_person_does_not_hold_up_calls_of_another() {
    let people = Arc::new(SeveralPeople(tokio::sync::Barrier::new(2)));
    let dispatcher = dispatching([exec_probe()]).approver(people).build();
    let call = |id: &'static str| text(&dispatcher, CallRequest::new(id, "run", "{}"));
    assert_eq!(tokio::join!(call("1"), call("2")), ("ran".to_owned(), "ran".to_owned()));
}

#[tokio::test]
async fn c4_6_a_call_cancelled_before_it_started_says_so() {
    let dispatcher = dispatching([exec_probe()]).approver(Arc::new(NobodyAnswers)).build();
    let outcome = dispatcher.call(CallRequest::new("1", "run", "{}")).await;
    assert_eq!(outcome.result.joined_text(), "cancelled before it started (escape)");
    assert_eq!(outcome.end, CallEnd::Stopped(Stop::NotStarted));
    let cancel = CancelToken::new();
    cancel.cancel("");
    let context = ToolContext::detached().with_cancel(cancel);
    let outcome = dispatcher.call(CallRequest::new("1", "run", "{}").context(context)).await;
    assert!(outcome.result.joined_text().starts_with("cancelled before it started"));
}

#[tokio::test]
async fn c4_6_a_tool_that_stops_when_asked_tells_itself_how() {
    let probe = Probe::new(spec("wait"), |_, context| async move {
        context.cancel.cancelled().await;
        Err(ToolError::Stopped { stop: Stop::Stopped, note: context.cancel.reason() })
    });
    let dispatcher = dispatching([probe]).build();
    let cancel = CancelToken::new();
    let context = ToolContext::detached().with_cancel(cancel.clone());
    let call = dispatcher.call(CallRequest::new("1", "wait", "{}").context(context));
    let (outcome, ()) = tokio::join!(call, async { cancel.cancel("user") });
    assert_eq!(outcome.end, CallEnd::Stopped(Stop::Stopped));
    assert_eq!(outcome.result.joined_text(), "stopped (user)");
}

#[tokio::test]
async fn c4_6_a_tool_that_hears_nothing_is_stopped_by_force() {
    struct Dropped(Option<oneshot::Sender<()>>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.take().unwrap().send(()).unwrap();
        }
    }
    for setup in [dispatching as fn([Probe; 1]) -> DispatcherBuilder, embedded] {
        let (sender, dropped) = oneshot::channel();
        let sender = Mutex::new(Some(sender));
        let probe = Probe::new(spec("deaf"), move |_, _| {
            let guard = Dropped(sender.lock().unwrap().take());
            async move {
                let _guard = guard;
                std::future::pending().await
            }
        });
        let dispatcher = setup([probe]).deadlines(soon()).build();
        let cancel = CancelToken::new();
        let context = ToolContext::detached().with_cancel(cancel.clone());
        let call = CallRequest::new("1", "deaf", "{}").context(context).deadline(Duration::from_secs(60));
        let (outcome, ()) = tokio::join!(dispatcher.call(call), async { cancel.force("user") });
        assert_eq!(outcome.result.joined_text(), "killed; its side effects may be incomplete (user)");
        dropped.await.unwrap();
    }
}

#[tokio::test]
async fn c4_7_a_tool_that_never_yields_costs_its_call_only() {
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let probe = Probe::new(spec("spin"), {
        let stop = Arc::clone(&stop);
        move |_, _| {
            let stop = Arc::clone(&stop);
            async move {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
                Ok(ToolResult::default())
            }
        }
    });
    let dispatcher = embedded([probe]).deadlines(soon()).build();
    let outcome = dispatcher.call(CallRequest::new("1", "spin", "{}")).await;
    stop.store(true, Ordering::Relaxed);
    assert_eq!(outcome.end, CallEnd::TimedOut(Stop::Forced));
    let answer = outcome.result.joined_text();
    assert!(answer.starts_with("Timed out: no result and no progress for 40ms;"), "{answer}");
    assert!(answer.contains("killed; its side effects may be incomplete"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn c4_7_progress_extends_the_deadline() {
    let probe = Probe::new(spec("slow"), |_, context| async move {
        for step in 0..10 {
            tokio::time::sleep(Duration::from_secs(8)).await;
            context.updates.send(ToolResult::text(step.to_string()));
        }
        Ok(ToolResult::text("done"))
    });
    let tools = registry([probe]);
    let dispatcher =
        Dispatcher::builder(tools).deadlines(Deadlines::default().call(Duration::from_secs(10))).build();
    assert_eq!(text(&dispatcher, CallRequest::new("1", "slow", "{}")).await, "done");
    let shorter = CallRequest::new("1", "slow", "{}").deadline(Duration::from_secs(5));
    assert_eq!(dispatcher.call(shorter).await.end, CallEnd::TimedOut(Stop::Forced));
}

#[tokio::test(start_paused = true)]
async fn c4_7_the_call_comes_before_the_tool_and_the_tool_before_the_setting() {
    let wait = |spec| Probe::new(spec, |_, _| std::future::pending());
    let own = spec("own").deadline(Duration::from_secs(7));
    let set = spec("set").deadline(Duration::from_secs(7));
    let deadlines = Deadlines::default().call(Duration::from_secs(3)).tool("set", Duration::from_secs(5));
    let dispatcher = dispatching([wait(own), wait(set), wait(spec("plain"))]).deadlines(deadlines).build();
    for (name, deadline, expected) in [
        ("plain", None, "3s"),
        ("own", None, "7s"),
        ("set", None, "5s"),
        ("own", Some(Duration::from_secs(2)), "2s"),
    ] {
        let mut request = CallRequest::new("1", name, "{}");
        request.deadline = deadline;
        let answer = text(&dispatcher, request).await;
        assert!(answer.contains(&format!("no progress for {expected};")), "{answer}");
    }
    // A deadline no clock can hold is none.
    let fast = dispatching([Probe::echo("echo")]).deadlines(Deadlines::default().call(Duration::MAX)).build();
    assert_eq!(text(&fast, CallRequest::new("1", "echo", "{}")).await, "{}");
}

#[tokio::test]
async fn c4_3_updates_come_in_order_and_none_after_the_result() {
    let late = Arc::new(Mutex::new(None));
    let probe = Probe::new(spec("talk"), {
        let late = Arc::clone(&late);
        move |_, context| {
            *late.lock().unwrap() = Some(context.updates.clone());
            async move {
                for step in 0..3 {
                    context.updates.send(ToolResult::text(step.to_string()));
                }
                Ok(ToolResult::text("done"))
            }
        }
    });
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (by_sink, by_observer) = (Arc::clone(&heard), Arc::new(Mutex::new(Vec::<String>::new())));
    let seen = Arc::clone(&by_observer);
    let sink = UpdateSink::new(move |partial| by_sink.lock().unwrap().push(partial.joined_text()));
    let request = CallRequest::new("1", "talk", "{}")
        .context(ToolContext::detached().with_updates(sink))
        .observe(move |event| {
            seen.lock().unwrap().push(match event {
                CallEvent::Started => "started".to_owned(),
                CallEvent::Prepared { arguments } => format!("prepared {arguments}"),
                CallEvent::Update { partial } => partial.joined_text(),
                CallEvent::Finished { outcome } => format!("finished {}", outcome.result.joined_text()),
                _ => "?".to_owned(),
            });
        });
    dispatching([probe]).build().call(request).await;
    late.lock().unwrap().take().unwrap().send(ToolResult::text("too late"));
    assert_eq!(*heard.lock().unwrap(), ["0", "1", "2"]);
    assert_eq!(*by_observer.lock().unwrap(), ["started", "prepared {}", "0", "1", "2", "finished done"]);
}

#[tokio::test]
async fn c4_5_a_panic_in_a_tool_is_an_error_result() {
    for setup in [dispatching as fn([Probe; 1]) -> DispatcherBuilder, embedded] {
        let probe = Probe::new(spec("bad"), |_, _| async { panic!("index out of {}", "reach") });
        let outcome = setup([probe]).build().call(CallRequest::new("1", "bad", "{}")).await;
        assert_eq!(outcome.end, CallEnd::Panicked);
        assert_eq!(
            outcome.result.joined_text(),
            "Tool \"bad\" crashed (panic): index out of reach\nIts side effects may be incomplete."
        );
    }
}

#[tokio::test]
async fn c4_5_failures_and_empty_failures_have_a_text() {
    let failing = |error: ToolError| {
        dispatching([Probe::new(spec("t"), move |_, _| {
            let error = error.clone();
            async move { Err(error) }
        })])
        .build()
    };
    let call = || CallRequest::new("1", "t", "{}");
    assert_eq!(text(&failing(ToolError::reply("no such branch")), call()).await, "no such branch");
    assert_eq!(text(&failing(ToolError::reply("")), call()).await, "Tool failed with no output.");
    assert!(failing(ToolError::Fatal("disk gone".to_owned())).call(call()).await.is_fatal());
    let empty =
        Probe::new(spec("t"), |_, _| async { Ok(ToolResult { is_error: true, ..ToolResult::default() }) });
    let outcome = dispatching([empty]).build().call(call()).await;
    assert_eq!(outcome.result.joined_text(), "Tool failed with no output.");
}

#[tokio::test]
async fn an_image_no_provider_takes_becomes_a_note() {
    let image =
        |data: &str, mime: &str| ContentBlock::Image { data: data.to_owned(), mime_type: mime.to_owned() };
    let blocks = vec![
        image("aGVsbG8=", "image/png"),
        image("data:image/png;base64,aGVsbG8=", "image/png"),
        image("no base64!", "image/png"),
        image("aGVsbG8=", "image/tiff"),
        image("", "image/png"),
    ];
    let probe = Probe::new(spec("draw"), move |_, _| {
        let content = blocks.clone();
        async move { Ok(ToolResult { content, ..ToolResult::default() }) }
    });
    let outcome = dispatching([probe]).build().call(CallRequest::new("1", "draw", "{}")).await;
    let content = outcome.result.content;
    assert_eq!(content[0], image("aGVsbG8=", "image/png"));
    assert_eq!(content[1], image("aGVsbG8=", "image/png"));
    for block in &content[2..] {
        assert!(block.as_text().unwrap().starts_with("[An image was left out: "), "{block:?}");
    }
}

#[tokio::test]
async fn c4_9_long_output_is_cut_and_the_file_has_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let whole = "a line\n".repeat(100_000);
    let probe = Probe::new(spec("flood"), {
        let whole = whole.clone();
        move |_, _| {
            let whole = whole.clone();
            async move { Ok(ToolResult::text(whole)) }
        }
    });
    let dispatcher = dispatching([probe]).output(OutputCut::default().folder(folder.path())).build();
    let outcome = dispatcher.call(CallRequest::new("1", "flood", "{}")).await;
    let file = outcome.full_output.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), whole);
    let shown = outcome.result.joined_text();
    assert!(shown.len() < 51 * 1024 && shown.contains(&file.display().to_string()));
}

#[tokio::test]
async fn a_failed_call_still_carries_its_details() {
    let probe = Probe::new(spec("t"), |_, _| async {
        Ok(ToolResult::error("bad").with_details(json!({ "why": 1 })))
    });
    let outcome = dispatching([probe]).build().call(CallRequest::new("1", "t", json!({}))).await;
    assert!(outcome.is_error());
    assert_eq!(outcome.result.details, Some(json!({ "why": 1 })));
}

#[tokio::test]
async fn c4_9_a_refusal_is_cut_like_any_output() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Rule(GateVerdict::Refuse("no ".repeat(1 << 20)));
    let dispatcher = dispatching([Probe::echo("echo")])
        .gate(Arc::new(gate))
        .output(OutputCut::default().folder(folder.path()))
        .build();
    let outcome = dispatcher.call(CallRequest::new("1", "echo", "{}")).await;
    assert_eq!(outcome.end, CallEnd::Blocked);
    assert!(outcome.result.joined_text().len() < 52 * 1024 && outcome.full_output.is_some());
}

struct Thinker;

#[async_trait]
impl Ui for Thinker {
    async fn confirm(&self, _title: &str, _message: &str, _dialog: DialogOptions) -> bool {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        true
    }
}

#[tokio::test(start_paused = true)]
async fn c4_7_the_time_a_person_takes_to_answer_does_not_count() {
    let probe = Probe::new(spec("ask"), |call, context| async move {
        let ui = context.ui.current();
        assert!(ui.has_ui());
        let sure = ui.confirm("Sure?", "", DialogOptions::default()).await;
        if call.arguments["text"] == "hang" {
            std::future::pending::<()>().await;
        }
        Ok(ToolResult::text(sure.to_string()))
    });
    let slot = UiSlot::headless();
    slot.set(Arc::new(Thinker));
    let context = || ToolContext::detached().with_ui(slot.handle());
    let dispatcher = dispatching([probe]).build();
    let ask = |text: &str| {
        CallRequest::new("1", "ask", json!({ "text": text }))
            .context(context())
            .deadline(Duration::from_secs(5))
    };
    assert_eq!(text(&dispatcher, ask("")).await, "true");
    // Afterwards it does again.
    assert_eq!(dispatcher.call(ask("hang")).await.end, CallEnd::TimedOut(Stop::Forced));
}

#[tokio::test(start_paused = true)]
async fn c4_6_a_call_that_is_stopped_opens_no_further_dialogs() {
    let probe = Probe::new(spec("ask"), |_, context| async move {
        let ui = context.ui.current();
        context.cancel.cancel("stopped");
        let sure = ui.confirm("Sure?", "", DialogOptions::default()).await;
        Ok(ToolResult::text(sure.to_string()))
    });
    let slot = UiSlot::headless();
    slot.set(Arc::new(Thinker));
    let dispatcher = dispatching([probe]).build();
    let request =
        CallRequest::new("1", "ask", json!({})).context(ToolContext::detached().with_ui(slot.handle()));
    assert_eq!(text(&dispatcher, request).await, "false");
}

#[tokio::test(start_paused = true)]
async fn c4_7_dialogs_beyond_the_limit_answer_at_once() {
    let probe = Probe::new(spec("ask"), |_, context| async move {
        let ui = context.ui.current();
        let asked = (0..100).map(|_| ui.confirm("Sure?", "", DialogOptions::default()));
        let answers = futures::future::join_all(asked).await;
        Ok(ToolResult::text(answers.iter().filter(|sure| **sure).count().to_string()))
    });
    let slot = UiSlot::headless();
    slot.set(Arc::new(Thinker));
    let dispatcher = dispatching([probe]).build();
    let request =
        CallRequest::new("1", "ask", json!({})).context(ToolContext::detached().with_ui(slot.handle()));
    assert_eq!(text(&dispatcher, request).await, "64");
}
