//! CONTRACT 8.6: people see, apply, discard and undo in a session, and the model hears of it.

use std::sync::Arc;

use serde_json::json;
use toolsmith::Session;
use toolsmith_agent::{AgentEvent, PendingChoice};
use toolsmith_llm::ForcedTool;
use toolsmith_testkit::{Gate, Reply, Wire};
use toolsmith_tool::{
    FileSelection, PendingAction, PendingCallbacks, Tier, ToolContext, ToolError, ToolResult, async_trait,
};

use super::{Bench, Choice, resolve, rewrite};

/// A session in which `stage` was called and the model stopped without deciding.
async fn staged(bench: &Bench) -> Session {
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    // Said once, and again after each reminder.
    (0..4).for_each(|_| bench.answer(Reply::new().text("You decide.")));
    session.run("Go").await.unwrap();
    session
}

async fn undecided() -> Bench {
    Bench::new(Wire::Chat, ForcedTool::None).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_what_the_user_decided_between_runs_is_told_with_the_next_request_and_kept() {
    let bench = undecided().await;
    let session = staged(&bench).await;
    assert_eq!(session.pending_actions().len(), 1);
    let result = session.discard_pending(PendingChoice::Top, "wrong file").await.unwrap();
    assert_eq!(result.joined_text(), "Discarded: Write: out.txt. Reason: wrong file");
    assert!(session.pending_actions().is_empty());
    let before = bench.requests().len();
    bench.answer(Reply::new().text("I see."));
    bench.answer(Reply::new().text("Bye."));
    session.run("And now?").await.unwrap();
    session.run("Thanks").await.unwrap();
    let note = "The user discarded the staged action: Write: out.txt (staged by stage). Reason: wrong file";
    for asked in &bench.requests()[before..] {
        assert_eq!(asked.count(note), 1, "{}", asked.body());
        assert_eq!(asked.choice(), Choice::Free);
        let said = asked.body().to_string();
        assert!(said.find(note) < said.find("And now?"), "in the order it happened: {said}");
    }
    assert_eq!(bench.read("rejected.txt").as_deref(), Some("wrong file\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_what_the_user_decides_while_the_model_is_asked_wins_and_is_told() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    let gate = Gate::new();
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().wait(&gate).call("c2", "resolve", &resolve("discard", "no")));
    bench.answer(Reply::new().text("Fine."));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(2).await;
    let result = session.apply_pending(PendingChoice::Top, None, "I want it").await.unwrap();
    assert_eq!(result.joined_text(), "Written.");
    gate.open();
    session.wait_for_idle().await;
    let last = bench.requests().pop().unwrap();
    assert!(last.says("No pending action to resolve. Nothing to apply or discard."), "{}", last.body());
    assert!(
        last.says("The user applied the staged action: Write: out.txt (staged by stage). Reason: I want it")
    );
    assert!(last.says("Outcome: Written."), "{}", last.body());
    assert_eq!(last.choice(), Choice::Free);
    assert_eq!((bench.read("out.txt").as_deref(), bench.read("rejected.txt")), (Some("I want it"), None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_a_model_never_decides_about_another_action_than_it_was_shown() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    let gate = Gate::new();
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().call("c2", "ast_edit", &rewrite()));
    bench.answer(Reply::new().wait(&gate).call("c3", "resolve", &resolve("apply", "the rewrite")));
    bench.answer(Reply::new().call("c4", "resolve", &resolve("discard", "not this")));
    bench.answer(Reply::new().text("Fine."));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(3).await;
    session.discard_pending(PendingChoice::Top, "no").await.unwrap();
    gate.open();
    session.wait_for_idle().await;
    let asked = bench.requests();
    assert!(
        asked[3].says("Nothing was done: the user decided about staged actions meanwhile. The newest staged action is now: Write: out.txt"),
        "{}",
        asked[3].body()
    );
    assert!(asked[3].says("The user discarded the staged action: AST Edit: 1 replacement in 1 file"));
    assert_eq!(asked[3].choice(), Choice::Named("resolve".to_owned()));
    assert_eq!((bench.read("out.txt"), bench.read("rejected.txt").as_deref()), (None, Some("not this\n")));
}

struct Unseen;

#[async_trait]
impl PendingCallbacks for Unseen {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        panic!("applied")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_8_an_action_staged_while_the_model_answers_is_not_decided_by_that_answer() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    let gate = Gate::new();
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().wait(&gate).call("c2", "resolve", &resolve("apply", "the file")).call(
        "c3",
        "resolve",
        &resolve("discard", "the file"),
    ));
    bench.answer(Reply::new().call("c4", "resolve", &resolve("discard", "not this")));
    bench.answer(Reply::new().call("c5", "resolve", &resolve("apply", "this")));
    bench.answer(Reply::new().text("Fine."));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(2).await;
    session.pending().stack().push(PendingAction::new("Unseen", Arc::new(Unseen)).tier(Tier::Read));
    gate.open();
    session.wait_for_idle().await;
    let asked = bench.requests();
    let refusal = "Nothing was done: an action was staged that you have not been shown. \
                   The newest staged action is now: Unseen";
    assert_eq!(asked[2].count(refusal), 2, "{}", asked[2].body());
    assert!(asked[2].says("This is a preview: Unseen"), "{}", asked[2].body());
    assert!(asked[3].says("Discarded: Unseen. Reason: not this"), "{}", asked[3].body());
    assert_eq!(bench.read("out.txt").as_deref(), Some("this"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_3_an_answer_may_stage_and_resolve_at_once() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(
        Reply::new()
            .call("c2", "stage", &json!({}))
            .call("c3", "resolve", &resolve("apply", "at once"))
            .call("c4", "resolve", &resolve("discard", "the first")),
    );
    bench.answer(Reply::new().text("Fine."));
    session.run("Go").await.unwrap();
    assert_eq!(bench.read("rejected.txt").as_deref(), Some("the first\n"));
    assert_eq!(bench.read("out.txt").as_deref(), Some("at once"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_a_decision_that_fails_is_told_as_what_it_is() {
    let bench = undecided().await;
    let session = staged(&bench).await;
    std::fs::create_dir(bench.file("out.txt")).unwrap();
    session.apply_pending(PendingChoice::Top, None, "").await.unwrap_err();
    assert!(session.pending_actions().is_empty(), "used up");
    bench.answer(Reply::new().text("Oh."));
    session.run("Well?").await.unwrap();
    let last = bench.requests().pop().unwrap();
    assert!(
        last.says("The user wanted to apply the staged action, which failed: Write: out.txt"),
        "{}",
        last.body()
    );
    assert!(last.says("EISDIR"), "{}", last.body());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_files_are_viewed_applied_in_part_listed_and_undone() {
    let bench = undecided().await;
    bench.place.write("project/b.ts", "f(2);\n");
    let session = bench.session().await;
    let ops = json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }] });
    bench.answer(Reply::new().call("c1", "ast_edit", &ops));
    bench.server.otherwise(|_| Reply::new().text("You decide."));
    session.run("Go").await.unwrap();
    let id = session.pending_actions()[0].id;
    let shown = session.view_pending(PendingChoice::Id(id)).await.unwrap();
    assert_eq!(shown.len(), 2);
    let json = serde_json::to_value(&shown).unwrap();
    assert!(json[1]["diff"].as_str().unwrap().ends_with("-f(2);\n+g(2);\n"), "{json}");
    let files = Some(vec![FileSelection::whole("b.ts")]);
    session.apply_pending(PendingChoice::Id(id), files, "only b").await.unwrap();
    assert_eq!(bench.read("a.ts").as_deref(), Some("f(1);\n"));
    assert_eq!(bench.read("b.ts").as_deref(), Some("g(2);\n"));
    let changes = session.changes().await.unwrap();
    assert_eq!((changes.len(), changes[0].entry.tool.as_str()), (1, "ast_edit"));
    let undone = session.undo(None).await.unwrap();
    assert_eq!(serde_json::to_value(&undone).unwrap()["undone"], true);
    assert_eq!(bench.read("b.ts").as_deref(), Some("f(2);\n"));
    assert_eq!(session.undo(None).await.unwrap_err().to_string(), "There is nothing to undo.");
    assert!(session.undo(Some(&undone.entry.id)).await.is_err(), "undone already");
    session.run("What happened?").await.unwrap();
    let last = bench.requests().pop().unwrap();
    assert!(last.says("Only these files were chosen; the rest was dropped: b.ts."), "{}", last.body());
    assert!(last.says("The user undid a change: AST Edit: 2 replacements in 2 files"), "{}", last.body());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_front_ends_hear_when_something_is_staged_and_taken() {
    let bench = undecided().await;
    let session = bench.session().await;
    let mut events = session.subscribe();
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "ok")));
    bench.answer(Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    let heard: Vec<_> = std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.as_ref() {
            AgentEvent::PendingPushed { action, count } => Some(("pushed", action.label.clone(), *count)),
            AgentEvent::PendingPopped { action, count } => Some(("popped", action.label.clone(), *count)),
            _ => None,
        })
        .collect();
    let label = "Write: out.txt".to_owned();
    assert_eq!(heard, [("pushed", label.clone(), 1), ("popped", label, 0)]);
}
