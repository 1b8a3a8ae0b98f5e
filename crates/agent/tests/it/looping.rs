//! The loop: turns, queues, stopping, limits, and what a model can do wrong.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use toolsmith_agent::{
    AfterError, Agent, AgentEvent, AgentLimits, BuildError, ContinueError, Conversation, ConversationError,
    Interrupt, Interruption, Prompt, PromptError, QueueMode, Queued, RequestPlan, RunEnd, TurnContext,
    TurnHook,
};
use toolsmith_llm::{
    AssistantMessage, ErrorClass, LlmError, Message, StopReason, StreamEvent, ToolChoice, Turn, Usage,
};
use toolsmith_testkit::agent::{Probe, agent, assert_paired, heard, playing, results, spec};
use toolsmith_tool::{SessionEvent, Stop, ToolError, ToolResult, async_trait};

fn call() -> Turn {
    Turn::new().call("echo", &json!({ "text": "a" }))
}

#[tokio::test]
async fn a_prompt_goes_in_and_an_answer_comes_out() {
    let (builder, provider) =
        playing([call().text("Let me see."), Turn::new().text("Done.")], [Probe::echo("echo")]);
    let agent = builder.build().unwrap();
    let summary = agent.run("Do it").await.unwrap();
    assert_eq!((&summary.end, summary.text.as_str()), (&RunEnd::Completed, "Done."));
    assert_eq!((summary.totals.turns, summary.totals.tool_calls), (2, 1));
    assert_eq!(results(&agent), [r#"{"text":"a"}"#]);
    assert_paired(&agent);
    let requests = provider.requests();
    assert_eq!(requests[0].tools[0].name, "echo");
    assert_eq!(requests[1].messages.len(), 3);
}

#[tokio::test]
async fn usage_and_cost_add_up() {
    let turns = [call().usage(Usage::new(10, 5, 0, 0)), Turn::new().text("x").usage(Usage::new(20, 7, 3, 0))];
    let agent = agent(turns, [Probe::echo("echo")]);
    agent.run("go").await.unwrap();
    let usage = agent.totals().usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.total_tokens), (30, 12, 3, 45));
}

#[tokio::test]
async fn a_busy_agent_takes_no_second_prompt() {
    let agent = agent([Turn::new().wait_for_abort()], []);
    agent.prompt("one").unwrap();
    assert_eq!(agent.prompt("two"), Err(PromptError::Busy));
    assert!(PromptError::Busy.to_string().starts_with("Agent is already processing."));
    agent.abort("enough");
    let summary = agent.wait_for_idle().await.unwrap();
    assert_eq!(summary.end, RunEnd::Aborted { message: "Request was aborted: enough".to_owned() });
    assert_eq!(agent.prompt("  \n"), Err(PromptError::Empty));
}

#[tokio::test]
async fn without_a_model_there_is_no_agent() {
    assert_eq!(Agent::builder().build().unwrap_err(), BuildError::NoModel);
}

#[tokio::test]
async fn c4_6_an_abort_stops_the_tool_and_keeps_the_pairing() {
    let waiting = Probe::new(spec("wait"), |_, context| async move {
        context.agent.abort();
        context.cancel.cancelled().await;
        Err(ToolError::Stopped { stop: Stop::Stopped, note: context.cancel.reason() })
    });
    let turns = [Turn::new().call("wait", &json!({})).call("wait", &json!({}))];
    let agent = agent(turns, [waiting]);
    agent.follow_up("later").unwrap();
    let summary = agent.run("go").await.unwrap();
    assert!(matches!(summary.end, RunEnd::Aborted { .. }), "{:?}", summary.end);
    assert_eq!(results(&agent)[0], "stopped (requested by a tool)");
    assert_paired(&agent);
    // What was queued is still there.
    assert_eq!(agent.queued(), Queued { steering: 0, follow_up: 1 });
    assert_eq!(agent.clear_queues().len(), 1);
}

#[tokio::test]
async fn an_abort_in_the_middle_of_an_answer_answers_its_calls() {
    let turns = [Turn::new().text("half").call("echo", &json!({ "text": "a" })).wait_for_abort()];
    let agent = agent(turns, [Probe::echo("echo")]);
    let mut events = agent.subscribe();
    agent.prompt("go").unwrap();
    while let Some(event) = events.next().await {
        let json = serde_json::to_value(&*event).unwrap();
        if json["assistantMessageEvent"]["type"] == "toolcall_end" {
            agent.abort("enough");
        }
        if matches!(&*event, AgentEvent::AgentEnd { .. }) {
            break;
        }
    }
    assert_paired(&agent);
    assert_eq!(
        results(&agent),
        ["Tool was not executed because the run was aborted: Request was aborted: enough"]
    );
}

#[tokio::test]
async fn calls_of_an_answer_cut_by_its_length_never_run() {
    let ran = Arc::new(AtomicUsize::new(0));
    let probe = Probe::new(spec("echo"), {
        let ran = Arc::clone(&ran);
        move |_, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolResult::text("ran")) }
        }
    });
    let turns = [call().stop(StopReason::Length), Turn::new().text("Smaller then.")];
    let agent = agent(turns, [probe]);
    let summary = agent.run("go").await.unwrap();
    assert_eq!((ran.load(Ordering::SeqCst), summary.text.as_str()), (0, "Smaller then."));
    assert!(results(&agent)[0].contains("length limit") && results(&agent)[0].contains("smaller calls"));
    assert_paired(&agent);
}

#[tokio::test]
async fn an_error_ends_the_run_with_its_class_and_text() {
    let turns = [call().error(ErrorClass::Overloaded, "busy")];
    let agent = agent(turns, [Probe::echo("echo")]);
    let mut events = agent.subscribe();
    let summary = agent.run("go").await.unwrap();
    let RunEnd::Failed { class, message } = &summary.end else { panic!("{:?}", summary.end) };
    assert_eq!(*class, "overloaded");
    assert!(message.contains("busy"), "{message}");
    assert_paired(&agent);
    assert!(results(&agent)[0].contains("the response failed"), "{:?}", results(&agent));
    assert!(heard(&mut events).iter().any(|event| matches!(&**event, AgentEvent::Error { .. })));
    // And the agent can be prompted again.
    assert!(agent.is_idle());
}

#[tokio::test]
async fn steering_goes_before_the_next_request_and_follow_ups_wait_for_the_end() {
    let turns = [call(), Turn::new().text("one"), Turn::new().text("two"), Turn::new().text("three")];
    let steering = Arc::new(Mutex::new(None::<Agent>));
    let probe = Probe::new(spec("echo"), {
        let steering = Arc::clone(&steering);
        move |_, _| {
            let agent = steering.lock().unwrap().clone().unwrap();
            agent.follow_up("after all").unwrap();
            agent.follow_up("after that").unwrap();
            agent.steer("left").unwrap();
            async { Ok(ToolResult::text("ok")) }
        }
    });
    let (builder, provider) = playing(turns, [probe]);
    let agent = builder.build().unwrap();
    *steering.lock().unwrap() = Some(agent.clone());
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.text, "three");
    let last_words: Vec<String> = provider
        .requests()
        .iter()
        .map(|request| match request.messages.last() {
            Some(Message::User(input)) => input.content[0].as_text().unwrap().to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(last_words, ["go", "left", "after all", "after that"]);
    steering.lock().unwrap().take();
}

#[tokio::test]
async fn queues_can_be_emptied_all_at_once() {
    let mut limits = AgentLimits::default();
    limits.steering = QueueMode::All;
    let (builder, provider) = playing([Turn::new().text("ok")], []);
    let agent = builder.limits(limits).build().unwrap();
    agent.steer("a").unwrap();
    agent.steer("b").unwrap();
    agent.run("go").await.unwrap();
    assert_eq!(provider.requests()[0].messages.len(), 3);
}

#[tokio::test]
async fn a_model_that_calls_unknown_tools_for_ever_is_stopped() {
    let turns = (0..100).map(|_| Turn::new().call("no_such_tool", &json!({})));
    let agent = agent(turns, [Probe::echo("echo")]);
    let summary = agent.run("go").await.unwrap();
    let RunEnd::Limit { message } = &summary.end else { panic!("{:?}", summary.end) };
    assert!(message.contains("last 15 turns") && message.contains("unknown tool"), "{message}");
    assert_eq!(results(&agent)[0], "Tool no_such_tool not found. Available: echo");
    assert_paired(&agent);
}

#[tokio::test]
async fn a_run_has_a_limit_of_turns() {
    let (builder, _) = playing((0..100).map(|_| call()), [Probe::echo("echo")]);
    let agent = builder.limits(AgentLimits::default().max_turns(7)).build().unwrap();
    let summary = agent.run("go").await.unwrap();
    let RunEnd::Limit { message } = &summary.end else { panic!("{:?}", summary.end) };
    assert!(message.starts_with("Stopped after 7 turns,") && message.contains("continue"), "{message}");
    assert_eq!(summary.totals.turns, 7);
}

#[tokio::test]
async fn arguments_cut_in_half_are_refused_and_the_model_recovers() {
    let turns = [
        Turn::new().call_with_text("1", "echo", r#"{"text":"half"#),
        Turn::new().call_with_text("2", "echo", r#"{"text":"mended"}}"#),
        Turn::new().text("ok"),
    ];
    let agent = agent(turns, [Probe::echo("echo")]);
    agent.run("go").await.unwrap();
    assert!(results(&agent)[0].contains("not valid JSON"), "{:?}", results(&agent));
    assert_eq!(results(&agent)[1], r#"{"text":"mended"}"#);
}

#[tokio::test]
async fn a_hundred_calls_in_one_turn_come_back_in_order() {
    let many = (0..100).fold(Turn::new(), |turn, at| turn.call("echo", &json!({ "count": at })));
    let agent = agent([many, Turn::new().text("ok")], [Probe::echo("echo")]);
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.totals.tool_calls, 100);
    let expected: Vec<String> = (0..100).map(|at| format!("{{\"count\":{at}}}")).collect();
    assert_eq!(results(&agent), expected);
    assert_paired(&agent);
}

#[tokio::test]
async fn a_call_id_used_twice_is_told_apart() {
    let twice = Turn::new().call_with_text("same", "echo", r#"{"text":"a"}"#).call_with_text(
        "same",
        "echo",
        r#"{"text":"b"}"#,
    );
    let again = Turn::new().call_with_text("same", "echo", r#"{"text":"c"}"#);
    let agent = agent([twice, again, Turn::new().text("ok")], [Probe::echo("echo")]);
    agent.run("go").await.unwrap();
    assert_paired(&agent);
    assert_eq!(results(&agent), [r#"{"text":"a"}"#, r#"{"text":"b"}"#, r#"{"text":"c"}"#]);
}

#[tokio::test]
async fn an_empty_answer_ends_the_run_and_is_told() {
    let agent = agent([Turn::new(), Turn::new().text("  ")], []);
    for _ in 0..2 {
        let mut events = agent.subscribe();
        let summary = agent.run("go").await.unwrap();
        assert!(summary.end.is_completed());
        let told = heard(&mut events).iter().any(
            |event| matches!(&**event, AgentEvent::Notice { message } if message == "The model returned an empty response."),
        );
        assert!(told);
    }
}

#[tokio::test]
async fn a_megabyte_of_text_goes_through() {
    let long = "x".repeat(1 << 20);
    let agent = agent([Turn::new().text(&long), Turn::new().text("ok")], []);
    assert_eq!(agent.run(long.as_str()).await.unwrap().text.len(), 1 << 20);
    assert_eq!(agent.run("again").await.unwrap().text, "ok");
}

#[tokio::test]
async fn a_fatal_tool_ends_the_run() {
    let probe =
        Probe::new(spec("echo"), |_, _| async { Err(ToolError::Fatal("the disk is gone".to_owned())) });
    let agent = agent([call(), Turn::new().text("never")], [probe]);
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.end, RunEnd::Fatal { message: "the disk is gone".to_owned() });
    assert_paired(&agent);
}

#[derive(Debug, Default)]
struct FullDisk(AtomicUsize);

#[async_trait]
impl Conversation for FullDisk {
    async fn append(&self, _message: Arc<Message>) -> Result<(), ConversationError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(()),
            _ => Err(ConversationError("no space left on device".to_owned())),
        }
    }
    fn context(&self) -> Vec<Arc<Message>> {
        vec![Arc::new(Message::user("go"))]
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_kept_ends_the_run_before_anything_is_built_on_it() {
    let ran = Arc::new(AtomicUsize::new(0));
    let probe = Probe::new(spec("echo"), {
        let ran = Arc::clone(&ran);
        move |_, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolResult::text("ran")) }
        }
    });
    let (builder, _) = playing([call()], [probe]);
    let agent = builder.conversation(Arc::new(FullDisk::default())).build().unwrap();
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.end.message(), Some("The conversation could not be saved: no space left on device"));
    assert_eq!(ran.load(Ordering::SeqCst), 0);
}

struct Insisting(AtomicUsize);

#[async_trait]
impl TurnHook for Insisting {
    async fn next_request(&self, plan: &mut RequestPlan) {
        plan.tools = vec!["resolve".to_owned()];
        plan.tool_choice = ToolChoice::Tool("resolve".to_owned());
    }
    async fn before_stop(&self, _context: &TurnContext) -> Option<Message> {
        (self.0.fetch_add(1, Ordering::SeqCst) == 0).then(|| Message::developer("go on"))
    }
    async fn on_error(&self, error: &LlmError, attempt: usize, _context: &TurnContext) -> AfterError {
        if error.is_retryable() && attempt < 3 { AfterError::Again } else { AfterError::End }
    }
}

#[tokio::test]
async fn a_hook_chooses_the_tools_and_makes_the_model_go_on() {
    let turns =
        [Turn::new().call("resolve", &json!({})), Turn::new().text("stop"), Turn::new().text("stop again")];
    let (builder, provider) = playing(turns, [Probe::echo("echo"), Probe::echo("resolve")]);
    let agent = builder.hook(Arc::new(Insisting(AtomicUsize::new(0)))).build().unwrap();
    agent.dispatcher().registry().write(|registry| registry.set_tool_active("resolve", false));
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.text, "stop again");
    let request = &provider.requests()[0];
    assert_eq!((request.tools.len(), request.tools[0].name.as_str()), (1, "resolve"));
    assert_eq!(request.tool_choice, ToolChoice::Tool("resolve".to_owned()));
    // Named by the hook, it could be called although it is not active.
    assert_eq!(results(&agent), ["{}"]);
}

#[tokio::test]
async fn a_hook_can_have_a_failed_request_made_again() {
    let turns = [
        Turn::new().text("half").error(ErrorClass::Overloaded, "busy"),
        Turn::new().error(ErrorClass::Network, "gone"),
        Turn::new().text("whole"),
    ];
    let (builder, provider) = playing(turns, []);
    let hook = Insisting(AtomicUsize::new(1));
    let agent = builder.hook(Arc::new(hook)).build().unwrap();
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.text, "whole");
    // What had arrived is not part of the conversation.
    assert!(provider.requests().iter().all(|request| request.messages.len() == 1));
}

/// Interrupts once, as soon as the model says "wrong".
struct Objecting(AtomicUsize);

#[async_trait]
impl TurnHook for Objecting {
    fn on_stream(&self, _event: &StreamEvent, partial: &AssistantMessage) -> Option<Interrupt> {
        (partial.text().contains("wrong") && self.0.fetch_add(1, Ordering::SeqCst) == 0).then_some(Interrupt)
    }
    async fn interrupted(&self, partial: &AssistantMessage, context: &TurnContext) -> Interruption {
        context.announce(SessionEvent::TtsrTriggered { rules: vec![json!({ "name": "no-wrong" })] }).await;
        let told = Message::developer(format!("You said {:?}. Do not.", partial.text()));
        Interruption { messages: vec![told], ..Interruption::default() }
    }
}

#[tokio::test]
async fn a_hook_can_interrupt_an_answer_and_have_another_one() {
    let turns = [Turn::new().text("wrong").call("echo", &json!({})), Turn::new().text("right")];
    let (builder, provider) = playing(turns, [Probe::echo("echo")]);
    let agent = builder.hook(Arc::new(Objecting(AtomicUsize::new(0)))).build().unwrap();
    let mut events = agent.subscribe();
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.text, "right");
    let messages = &provider.requests()[1].messages;
    assert!(
        matches!(&messages[1], Message::Developer(told) if told.content[0].as_text().unwrap().contains("Do not"))
    );
    assert_eq!(messages.len(), 2, "what was interrupted is no part of the conversation");
    let mut told = Vec::new();
    while let Some(event) = events.try_next() {
        let event = serde_json::to_value(&*event).unwrap();
        assert_ne!(event["type"], "tool_execution_start");
        told.push(event);
    }
    assert!(told.contains(&json!({ "type": "ttsr_triggered", "rules": [{ "name": "no-wrong" }] })));
}

#[tokio::test]
async fn an_agent_that_is_held_takes_no_prompt() {
    let agent = agent([Turn::new().text("x")], []);
    let held = agent.occupy().unwrap();
    assert_eq!(agent.prompt("go"), Err(PromptError::Busy));
    agent.abort("enough");
    assert!(held.context().cancel().is_cancelled());
    drop(held);
    assert_eq!(agent.run("go").await.unwrap().text, "x");
    assert!(agent.occupy().is_ok());
    assert_eq!(agent.wait_for_idle().await.unwrap().text, "x", "the last run is remembered");
}

struct Failing;

#[async_trait]
impl TurnHook for Failing {
    async fn next_request(&self, _plan: &mut RequestPlan) {
        panic!("oops")
    }
}

#[tokio::test]
async fn a_hook_that_panics_ends_the_run_and_not_the_agent() {
    let (builder, _) = playing([Turn::new().text("x")], []);
    let agent = builder.hook(Arc::new(Failing)).build().unwrap();
    let summary = agent.run("go").await.unwrap();
    assert_eq!(summary.end.message(), Some("The run crashed: oops"));
    assert!(agent.is_idle());
}

#[tokio::test]
async fn a_run_can_go_on_from_where_the_conversation_is() {
    let (builder, _) =
        playing([Turn::new().text("half").error(ErrorClass::Server, "x"), Turn::new().text("y")], []);
    let agent = builder.build().unwrap();
    assert_eq!(agent.continue_run(), Err(ContinueError::NoMessages));
    agent.run("go").await.unwrap();
    assert_eq!(agent.continue_run(), Err(ContinueError::AfterAssistant));
    let (builder, _) = playing([Turn::new().text("y")], []);
    let history = toolsmith_agent::InMemory::new([Message::user("go")]);
    let agent = builder.conversation(Arc::new(history)).build().unwrap();
    agent.continue_run().unwrap();
    assert_eq!(agent.wait_for_idle().await.unwrap().text, "y");
}

#[tokio::test]
async fn dropping_the_agent_stops_its_run() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let probe = Probe::new(spec("wait"), move |_, context| {
        let sender = sender.lock().unwrap().take();
        async move {
            context.updates.send(ToolResult::text("running"));
            context.cancel.cancelled().await;
            sender.unwrap().send(context.cancel.reason()).unwrap();
            Ok(ToolResult::default())
        }
    });
    let agent = agent([Turn::new().call("wait", &json!({}))], [probe]);
    let mut events = agent.subscribe();
    agent.prompt("go").unwrap();
    while let Some(event) = events.next().await {
        if matches!(&*event, AgentEvent::ToolExecutionUpdate { .. }) {
            break;
        }
    }
    drop(agent);
    assert_eq!(receiver.await.unwrap().as_deref(), Some("the agent was dropped"));
}

#[tokio::test]
async fn images_reach_the_model_as_they_were_given() {
    let (builder, provider) = playing([Turn::new().text("a cat")], []);
    let agent = builder.build().unwrap();
    agent.run(Prompt::from("What is it?").image("aGVsbG8=", "image/png")).await.unwrap();
    let Message::User(input) = &provider.requests()[0].messages[0] else { panic!() };
    assert_eq!(input.content.len(), 2);
}

#[tokio::test]
async fn an_image_no_provider_takes_is_not_taken_here() {
    let agent = agent([], []);
    for (data, mime) in [("no base64!", "image/png"), ("aGVsbG8=", "text/html"), ("", "image/png")] {
        let error = agent.prompt(Prompt::from("look").image(data, mime)).unwrap_err();
        assert!(error.to_string().starts_with("The image cannot be sent: "), "{error}");
    }
}

#[tokio::test]
async fn a_prompt_that_is_aborted_at_once_is_still_part_of_the_conversation() {
    let agent = agent([Turn::new().text("never")], []);
    agent.prompt("said").unwrap();
    agent.abort("changed my mind");
    agent.wait_for_idle().await;
    assert_eq!(agent.conversation().context().len(), 1);
}

#[test]
fn outside_a_runtime_a_prompt_is_refused_and_the_agent_stays_idle() {
    let agent = agent([Turn::new().text("x")], []);
    assert_eq!(agent.prompt("go"), Err(PromptError::NoRuntime));
    assert!(agent.is_idle());
}

#[tokio::test]
async fn a_model_that_insists_on_what_is_not_allowed_is_stopped() {
    use toolsmith_tool::{Approval, ApprovalPolicy};
    let denied = Approval { policy: Some(ApprovalPolicy::Deny), ..Approval::default() };
    let probe = Probe::echo("echo").approval(move |_| denied.clone());
    let agent = agent((0..100).map(|_| call()), [probe]);
    let summary = agent.run("go").await.unwrap();
    assert!(matches!(&summary.end, RunEnd::Limit { message } if message.contains("not allowed")));
}

#[tokio::test]
async fn c4_4_a_tool_is_never_called_idle_sees_what_is_queued_and_keeps_its_result_when_it_aborts() {
    for (queue, says) in [(false, "false false true"), (true, "false true true")] {
        let look = Probe::new(spec("look"), |_, context| async move {
            let agent = &context.agent;
            let text = format!("{} {}", agent.is_idle(), agent.has_queued_messages());
            agent.abort();
            Ok(ToolResult::text(format!("{text} {}", context.cancel.is_cancelled())))
        });
        let agent = agent([Turn::new().call("look", &json!({}))], [look]);
        if queue {
            agent.follow_up("later").unwrap();
        }
        let summary = agent.run("go").await.unwrap();
        assert!(matches!(summary.end, RunEnd::Aborted { .. }), "{:?}", summary.end);
        assert_eq!(results(&agent), [says]);
        assert_paired(&agent);
        assert!(agent.is_idle());
    }
}
