//! Stream rules in the loop.

use std::{path::Path, sync::Arc};

use serde_json::json;
use toolsmith_agent::{
    Agent, AgentEvent, Queued, RunEnd,
    session::{CurrentSession, EntryKind, SessionLog, Sessions},
};
use toolsmith_llm::{ErrorClass, Message, Script, ScriptedProvider, Turn};
use toolsmith_middleware::rules::{InterruptMode, Repeat, Rule, RuleSettings, StreamRules};
use toolsmith_testkit::agent::{Probe, assert_paired, dispatching, heard, spec, yolo};
use toolsmith_tool::{SessionEvent, ToolResult};

struct Bench {
    agent: Agent,
    session: CurrentSession,
    provider: ScriptedProvider,
}

fn rule(name: &str, fields: &str) -> Rule {
    let path = format!("/p/.toolsmith/rules/{name}.md");
    Rule::parse(Path::new(&path), &format!("---\n{fields}\n---\nObey {name}.")).unwrap().unwrap()
}

fn bench(
    rules: &[Rule],
    settings: RuleSettings,
    session: SessionLog,
    turns: impl IntoIterator<Item = Turn>,
) -> Bench {
    let provider = ScriptedProvider::new(Script::new(turns));
    let session = CurrentSession::new(session);
    let ran =
        Probe::new(spec("run"), |call, _| async move { Ok(ToolResult::text(call.arguments.to_string())) });
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(dispatching([ran]).approval(yolo()).build())
        .conversation(Arc::new(session.clone()))
        .session(Arc::new(session.clone()))
        .hook(Arc::new(StreamRules::new(rules, settings, session.clone()).unwrap()))
        .build()
        .unwrap();
    Bench { agent, session, provider }
}

fn no_foo() -> Vec<Rule> {
    vec![rule("no-foo", "condition: 'foo\\b'")]
}

fn foo() -> Turn {
    Turn::new().text("I will use foo here, and then some more words.").chunk(4)
}

fn call_foo() -> Turn {
    Turn::new().text("So:").call("run", &json!({ "text": "foo" }))
}

fn fine() -> Turn {
    Turn::new().text("All is fine.")
}

impl Bench {
    /// Runs, and gives the names of the rules that interrupted, each time.
    async fn run(&self, prompt: &str) -> Vec<Vec<String>> {
        let mut events = self.agent.subscribe();
        let summary = self.agent.run(prompt).await.unwrap();
        assert_eq!(summary.end, RunEnd::Completed, "{:#?}", self.agent.conversation().context());
        assert_paired(&self.agent);
        let events = heard(&mut events);
        let told = events.iter().filter_map(|event| match event.as_ref() {
            AgentEvent::Session(SessionEvent::TtsrTriggered { rules }) => Some(rules),
            _ => None,
        });
        told.map(|rules| rules.iter().map(|rule| rule["name"].as_str().unwrap().to_owned()).collect())
            .collect()
    }

    /// Who said what.
    fn said(&self) -> Vec<String> {
        let words = |message: Message| match message {
            Message::User(said) => format!("user: {}", said.content[0].as_text().unwrap()),
            Message::Developer(said) => format!("told: {}", said.content[0].as_text().unwrap()),
            Message::Assistant(said) => format!("model: {}", said.text()),
            Message::ToolResult(result) => format!("result: {}", result.joined_text()),
            other => format!("{other:?}"),
        };
        self.session.get().messages().into_iter().map(words).collect()
    }

    /// How often the model was told of rules.
    fn told(&self) -> usize {
        self.said().iter().filter(|line| line.starts_with("told:")).count()
    }

    fn recorded(&self) -> Vec<Vec<String>> {
        let entries = self.session.get().entries().into_iter();
        let recorded = entries.filter_map(|entry| match entry.kind {
            EntryKind::StreamRules { rules } => Some(rules),
            _ => None,
        });
        recorded.collect()
    }
}

#[tokio::test]
async fn an_answer_that_breaks_a_rule_is_dropped_and_the_model_is_told_and_asked_again() {
    let bench = bench(&no_foo(), RuleSettings::default(), SessionLog::in_memory("/p"), [foo(), fine()]);
    assert_eq!(bench.run("Go").await, [["no-foo"]]);
    let said = bench.said();
    assert_eq!(said.len(), 3, "{said:#?}");
    assert!(
        said[1].starts_with(
            "told: <system-interrupt reason=\"rule_violation\" rule=\"no-foo\" path=\"/p/.toolsmith/rules/no-foo.md\">\n"
        ) && said[1].ends_with("\n\nObey no-foo.\n</system-interrupt>"),
        "{}",
        said[1]
    );
    assert_eq!(said[2], "model: All is fine.");
    assert_eq!(bench.recorded(), [["no-foo"]]);
    // The record follows the message that shows the rule.
    let kinds: Vec<bool> = bench
        .session
        .get()
        .entries()
        .iter()
        .map(|entry| matches!(entry.kind, EntryKind::StreamRules { .. }))
        .collect();
    assert_eq!(kinds, [false, false, true, false]);
    assert_eq!(bench.provider.requests().len(), 2);
}

#[tokio::test]
async fn a_call_that_breaks_a_rule_does_not_run() {
    let settings = RuleSettings::default();
    let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), [call_foo(), fine()]);
    assert_eq!(bench.run("Go").await, [["no-foo"]]);
    assert!(!bench.said().iter().any(|line| line.starts_with("result")), "{:#?}", bench.said());
}

#[tokio::test]
async fn an_interrupted_answer_can_be_kept_and_its_calls_are_answered() {
    let settings = RuleSettings::default().keep_partial(true);
    let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), [call_foo(), fine()]);
    assert_eq!(bench.run("Go").await, [["no-foo"]]);
    let said = bench.said();
    assert_eq!(said[1], "model: So:", "{said:#?}");
    assert!(
        said[2].starts_with("result: ") && said[2].contains("a rule interrupted the response"),
        "{said:#?}"
    );
    assert!(said[3].starts_with("told: <system-interrupt"), "{said:#?}");
}

#[tokio::test]
async fn rules_broken_at_once_are_told_at_once() {
    let rules = [rule("a", "condition: foo"), rule("b", "condition: '[f]oo'"), rule("c", "condition: bar")];
    let bench = bench(&rules, RuleSettings::default(), SessionLog::in_memory("/p"), [foo(), fine()]);
    assert_eq!(bench.run("Go").await, [["a", "b"]]);
    assert_eq!(bench.said()[1].matches("<system-interrupt ").count(), 2);
    assert_eq!(bench.recorded(), [["a", "b"]]);
}

#[tokio::test]
async fn a_rule_is_shown_once_in_a_session_also_after_resuming_it() {
    let home = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(home.path());
    let first =
        bench(&no_foo(), RuleSettings::default(), sessions.create(home.path()), [foo(), foo(), foo()]);
    assert_eq!(first.run("Go").await, [["no-foo"]]);
    assert_eq!(first.run("Again").await, Vec::<Vec<String>>::new());
    let session = first.session.get();
    let beginning = session.entries()[0].id.clone();
    drop((first, session));
    let open = || sessions.open_latest(home.path()).unwrap().unwrap();
    let second = bench(&no_foo(), RuleSettings::default(), open(), [foo()]);
    assert_eq!(second.run("And again").await, Vec::<Vec<String>>::new());
    drop(second);
    // On another branch it was never shown.
    let session = open();
    session.go_to(Some(&beginning), None).unwrap();
    let third = bench(&no_foo(), RuleSettings::default(), session, [foo(), fine()]);
    assert_eq!(third.run("Differently").await, [["no-foo"]]);
}

#[tokio::test]
async fn after_a_gap_a_rule_is_shown_again() {
    let settings = RuleSettings::default().repeat(Repeat::AfterGap(2));
    let turns = [foo(), foo(), foo(), foo(), fine()];
    let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), turns);
    assert_eq!(bench.run("1").await, [["no-foo"]]);
    assert_eq!(bench.run("2").await, Vec::<Vec<String>>::new());
    assert_eq!(bench.run("3").await, [["no-foo"]]);
}

#[tokio::test]
async fn a_rule_that_the_answer_to_it_breaks_again_does_not_go_on_for_ever() {
    for mode in [InterruptMode::Always, InterruptMode::Never] {
        for turn in [foo, call_foo] {
            let settings = RuleSettings::default().repeat(Repeat::AfterGap(0)).interrupt(mode);
            let turns = (0..20).map(|_| turn()).chain([fine()]);
            let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), turns);
            bench.run("Go").await;
            assert!((1..=3).contains(&bench.told()), "{mode:?}: {:#?}", bench.said());
        }
    }
}

#[tokio::test]
async fn where_a_rule_does_not_interrupt_the_model_is_told_after_the_turn() {
    let settings = RuleSettings::default().interrupt(InterruptMode::Never);
    let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), [call_foo(), foo(), fine()]);
    assert_eq!(bench.run("Go").await, Vec::<Vec<String>>::new());
    let said = bench.said();
    assert_eq!(said[2], "result: {\"text\":\"foo\"}", "{said:#?}");
    assert!(
        said[3].starts_with("told: <system-reminder reason=\"rule_violation\" rule=\"no-foo\""),
        "{said:#?}"
    );
    assert_eq!(bench.recorded(), [["no-foo"]]);
    assert_eq!(said.len(), 5);
}

#[tokio::test]
async fn a_final_answer_that_breaks_a_rule_is_gone_over_once_more() {
    let rules = [rule("calm", "condition: foo\ninterruptMode: never")];
    let bench = bench(&rules, RuleSettings::default(), SessionLog::in_memory("/p"), [foo(), fine()]);
    bench.run("Go").await;
    let said = bench.said();
    assert!(said[1].starts_with("model: I will use foo") && said[2].starts_with("told: "), "{said:#?}");
    assert_eq!(said[3], "model: All is fine.");
}

#[tokio::test]
async fn prose_only_and_tool_only_say_what_is_interrupted() {
    for (mode, turn, interrupts) in [
        (InterruptMode::ProseOnly, foo(), true),
        (InterruptMode::ProseOnly, call_foo(), false),
        (InterruptMode::ToolOnly, foo(), false),
        (InterruptMode::ToolOnly, call_foo(), true),
    ] {
        let settings = RuleSettings::default().interrupt(mode);
        let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), [turn, fine(), fine()]);
        assert_eq!(!bench.run("Go").await.is_empty(), interrupts, "{mode:?}");
        assert_eq!(bench.told(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn an_answer_that_failed_or_was_stopped_breaks_no_rule() {
    let settings = RuleSettings::default().interrupt(InterruptMode::Never);
    let turns = [Turn::new().text("foo, and\n").error(ErrorClass::Auth, "no"), fine()];
    let bench = bench(&no_foo(), settings, SessionLog::in_memory("/p"), turns);
    assert!(matches!(bench.agent.run("Go").await.unwrap().end, RunEnd::Failed { .. }));
    assert_eq!(bench.agent.queued(), Queued { steering: 0, follow_up: 0 });
    assert_eq!(bench.run("Again").await, Vec::<Vec<String>>::new());
    assert_eq!(bench.told(), 0);
}

#[tokio::test]
async fn thinking_is_watched_where_a_rule_says_so() {
    let rules = [rule("calm", "condition: foo\nscope: thinking")];
    let thinks = Turn::new().thinking("Maybe foo.").text("Bar.");
    let bench = bench(&rules, RuleSettings::default(), SessionLog::in_memory("/p"), [thinks, fine()]);
    assert_eq!(bench.run("Go").await, [["calm"]]);
}

#[tokio::test]
async fn an_abort_while_a_rule_is_told_keeps_the_record() {
    // The tool that hears of it aborts; the message is in the conversation and the record too.
    struct Aborting(toolsmith_tool::ToolSpec);
    #[toolsmith_tool::async_trait]
    impl toolsmith_tool::Tool for Aborting {
        fn spec(&self) -> &toolsmith_tool::ToolSpec {
            &self.0
        }
        async fn execute(
            &self,
            _: toolsmith_tool::ToolCall,
            _: toolsmith_tool::ToolContext,
        ) -> Result<ToolResult, toolsmith_tool::ToolError> {
            Ok(ToolResult::text(""))
        }
        async fn on_session(
            &self,
            event: &SessionEvent,
            ctx: &toolsmith_tool::ToolContext,
        ) -> Result<(), toolsmith_tool::ToolError> {
            assert_eq!(event.reason(), "ttsr_triggered");
            assert!(!ctx.agent.is_idle());
            ctx.agent.abort();
            Ok(())
        }
    }
    let provider = ScriptedProvider::new(Script::new([foo(), fine()]));
    let session = CurrentSession::new(SessionLog::in_memory("/p"));
    let mut registry = toolsmith_tool::Registry::new();
    let origin = toolsmith_tool::Origin::new(toolsmith_tool::OriginKind::Sdk, "");
    registry.register(Arc::new(Aborting(spec("aborting"))), origin).unwrap();
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(toolsmith_agent::Dispatcher::builder(registry).build())
        .conversation(Arc::new(session.clone()))
        .hook(Arc::new(StreamRules::new(&no_foo(), RuleSettings::default(), session.clone()).unwrap()))
        .build()
        .unwrap();
    assert!(matches!(agent.run("Go").await.unwrap().end, RunEnd::Aborted { .. }));
    let kinds: Vec<String> = session
        .get()
        .entries()
        .iter()
        .map(|entry| match &entry.kind {
            EntryKind::Message(Message::User(_)) => "user".to_owned(),
            EntryKind::Message(Message::Developer(_)) => "told".to_owned(),
            EntryKind::StreamRules { rules } => rules.join(","),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["user", "told", "no-foo"]);
    assert_eq!(provider.requests().len(), 1);
}
