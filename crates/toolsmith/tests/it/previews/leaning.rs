//! CONTRACT 8.4, end to end on each wire: what is staged is shown, `resolve` is asked for in the strongest way there is,
//! and stays in the list afterwards, so that the prompt cache survives (CONTRACT 5.6).

use serde_json::json;
use toolsmith::BuiltIns;
use toolsmith_llm::ForcedTool;
use toolsmith_testkit::{Gate, Reply, Wire};

use super::{Asked, Bench, Choice, resolve, rewrite};

/// The beginning of what the model is told while something waits.
const REMINDER: &str = "This is a preview: ";

fn assert_leans(asked: &Asked, forced: ForcedTool, label: &str) {
    let tools = asked.tools();
    assert!(asked.says(&format!("{REMINDER}{label}")), "reminded everywhere: {}", asked.body());
    match forced {
        ForcedTool::Named => {
            assert_eq!(asked.choice(), Choice::Named("resolve".to_owned()));
            assert!(tools.contains(&"resolve") && tools.contains(&"read"), "{tools:?}");
        }
        ForcedTool::Required => {
            assert_eq!((asked.choice(), tools.as_slice()), (Choice::Any, ["resolve"].as_slice()));
        }
        _ => {
            assert_eq!(asked.choice(), Choice::Free);
            assert!(tools.contains(&"resolve") && tools.contains(&"read"), "{tools:?}");
        }
    }
    let refused = asked.wire == Wire::Anthropic && forced != ForcedTool::None;
    assert_eq!(
        asked.thinks(),
        !refused,
        "thinking is dropped only where the pair is refused: {}",
        asked.body()
    );
}

fn assert_free(asked: &Asked) {
    let tools = asked.tools();
    assert_eq!(asked.choice(), Choice::Free);
    assert!(!tools.contains(&"resolve") && tools.contains(&"stage"), "{tools:?}");
    assert!(!asked.says(REMINDER), "{}", asked.body());
    assert!(asked.thinks(), "{}", asked.body());
}

/// Preview, demand, apply; first with an action of a tool in JavaScript, then with `ast_edit`.
async fn preview_demand_apply(wire: Wire, forced: ForcedTool) {
    let bench = Bench::new(wire, forced).await;
    let session = bench.session().await;
    let read = json!({ "path": "a.ts" });
    bench.answer(Reply::new().call("c1", "stage", &json!({})).call("c2", "read", &read));
    if forced == ForcedTool::None {
        // It cannot be made to decide, so it may try to get away.
        bench.answer(Reply::new().text("All done!"));
    }
    bench.answer(Reply::new().call("c3", "read", &read).call(
        "c4",
        "resolve",
        &resolve("apply", "looks right"),
    ));
    bench.answer(Reply::new().call("c5", "ast_edit", &rewrite()));
    bench.answer(Reply::new().call("c6", "resolve", &resolve("apply", "also fine")));
    bench.answer(Reply::new().text("Done."));
    let summary = session.run("Go").await.unwrap();
    assert_eq!(summary.text, "Done.", "{summary:?}");
    assert_eq!((summary.totals.tool_calls, summary.totals.failed_calls), (6, 0));
    assert_eq!(bench.read("out.txt").as_deref(), Some("looks right"));
    assert_eq!(bench.read("a.ts").as_deref(), Some("g(1);\n"));

    let mut asked = bench.requests().into_iter();
    assert_free(&asked.next().unwrap());
    let leaning = asked.next().unwrap();
    assert_leans(&leaning, forced, "Write: out.txt (staged by stage)");
    assert!(leaning.says("Staged.") && leaning.says("f(1);"), "both calls of the turn have results");
    if forced == ForcedTool::None {
        let again = asked.next().unwrap();
        assert_eq!(again.count(REMINDER), 1, "reminded once: {}", again.body());
        assert_leans(&again, forced, "Write: out.txt");
        assert!(again.says("All done!"));
    }
    let after = asked.next().unwrap();
    assert_eq!(after.choice(), Choice::Free, "the calls beside `resolve` are finished too");
    assert!(after.says("Written.") && after.count("f(1);") >= 2, "{}", after.body());
    assert_eq!(after.tools().last(), Some(&"resolve"), "it stays, at the end");
    assert!(after.thinks());
    let leaning = asked.next().unwrap();
    assert_leans(&leaning, forced, "AST Edit: 1 replacement in 1 file (staged by ast_edit)");
    let last = asked.next().unwrap();
    assert!(last.says("Applied 1 replacement in 1 file."), "{}", last.body());
    assert_eq!(last.choice(), Choice::Free);
    assert_eq!(last.tools(), after.tools(), "the list does not change again");
    assert!(asked.next().is_none());
}

macro_rules! preview_demand_apply {
    ($($name:ident: $wire:ident $forced:ident,)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            preview_demand_apply(Wire::$wire, ForcedTool::$forced).await;
        })*
    };
}

preview_demand_apply! {
    c8_4_anthropic_is_told_by_name: Anthropic Named,
    c8_4_anthropic_models_that_cannot_be_forced_are_reminded: Anthropic None,
    c8_4_openai_responses_is_told_by_name: Responses Named,
    c8_4_openai_chat_is_told_by_name: Chat Named,
    c8_4_openai_chat_that_knows_no_names_is_offered_resolve_alone: Chat Required,
    c8_4_openai_chat_that_cannot_be_forced_is_reminded: Chat None,
    c8_4_google_is_told_by_name: Gemini Named,
    c8_4_google_that_knows_no_names_is_offered_resolve_alone: Gemini Required,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_4_each_demand_is_about_the_newest_until_nothing_waits() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().call("c2", "ast_edit", &rewrite()));
    bench.answer(Reply::new().call("c3", "resolve", &resolve("discard", "no")));
    bench.answer(Reply::new().call("c4", "resolve", &resolve("discard", "neither")));
    bench.answer(Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    let asked = bench.requests();
    assert_leans(&asked[1], ForcedTool::Named, "Write: out.txt");
    assert_leans(&asked[2], ForcedTool::Named, "AST Edit: 1 replacement");
    assert_leans(&asked[3], ForcedTool::Named, "Write: out.txt");
    assert_eq!(asked[3].count(REMINDER), 1, "said once a request, and not kept");
    assert_eq!((asked[4].choice(), asked.len()), (Choice::Free, 5));
    assert_eq!((bench.read("a.ts").as_deref(), bench.read("out.txt")), (Some("f(1);\n"), None));
    assert_eq!(bench.read("rejected.txt").as_deref(), Some("neither\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_4_a_push_makes_one_more_request_with_the_reminder_between_the_two_answers() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().text("First.").call("c1", "stage", &json!({})));
    bench.answer(Reply::new().wait(&Gate::new()).text("never"));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(2).await;
    let said = bench.requests()[1].body()["messages"].to_string();
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{text}: {said}"));
    assert!(at("First.") < at("Staged.") && at("Staged.") < at(REMINDER), "{said}");
    session.abort("enough");
    session.wait_for_idle().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_4_resolve_is_offered_whatever_tools_were_asked_for() {
    for built_ins in [BuiltIns::Named(vec!["read".to_owned()]), BuiltIns::None] {
        let bench = Bench::plain().await;
        let session = bench.builder().built_ins(built_ins).build().await.unwrap();
        bench.answer(Reply::new().call("c1", "stage", &json!({})));
        bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "ok")));
        bench.answer(Reply::new().text("Done."));
        session.run("Go").await.unwrap();
        let asked = bench.requests();
        assert!(!asked[0].tools().contains(&"resolve"));
        assert!(asked[1].tools().contains(&"resolve"), "{:?}", asked[1].tools());
        assert_eq!(asked[1].choice(), Choice::Named("resolve".to_owned()));
        assert_eq!(asked[2].tools(), asked[1].tools());
        assert_eq!(bench.read("out.txt").as_deref(), Some("ok"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_4_a_model_that_never_decides_is_reminded_and_then_let_go() {
    let bench = Bench::new(Wire::Chat, ForcedTool::None).await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.server.otherwise(|_| Reply::new().text("No."));
    let summary = session.run("Go").await.unwrap();
    assert_eq!(summary.text, "No.");
    assert_eq!(bench.requests().len(), 5, "one, one that leans, and three reminders");
    assert_eq!(session.pending().list().len(), 1, "still there for the person");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_3_an_action_can_be_staged_and_resolved_in_one_answer() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})).call(
        "c2",
        "resolve",
        &resolve("apply", "at once"),
    ));
    bench.answer(Reply::new().text("Done."));
    let summary = session.run("Go").await.unwrap();
    assert_eq!((summary.totals.tool_calls, summary.totals.failed_calls), (2, 0));
    let asked = bench.requests();
    assert!(asked[1].says("Staged.") && asked[1].says("Written."), "{}", asked[1].body());
    assert_eq!(bench.read("out.txt").as_deref(), Some("at once"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_2_two_resolve_calls_in_one_turn_take_the_newest_then_the_next() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().call("c2", "ast_edit", &rewrite()));
    bench.answer(
        Reply::new()
            .call("c3", "resolve", &resolve("apply", "one"))
            .call("c4", "resolve", &resolve("apply", "two"))
            .call("c5", "resolve", &resolve("apply", "three")),
    );
    bench.answer(Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    let last = bench.requests().pop().unwrap();
    let said = last.body().to_string();
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{text}: {said}"));
    assert!(at("Applied 1 replacement in 1 file.") < at("Written."), "{said}");
    assert!(at("Written.") < at("No pending action to resolve. Nothing to apply or discard."), "{said}");
    assert_eq!(bench.read("out.txt").as_deref(), Some("two"));
}
