//! CONTRACT 8.6: where the user can be asked, the user decides about previews, and the model only proposes.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::json;
use toolsmith::{
    Session,
    settings::{PreviewDecision, Settings},
};
use toolsmith_agent::{ApprovalMode, ReviewDecision, ReviewRequest, Reviewer};
use toolsmith_testkit::Reply;
use toolsmith_tool::{CancelToken, FileSelection, async_trait};

use super::{Bench, Choice, resolve, rewrite};

/// Gives these answers, and keeps the questions.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<ReviewDecision>>,
    asked: Mutex<Vec<ReviewRequest>>,
    /// Does not answer.
    hangs: bool,
}

#[async_trait]
impl Reviewer for Scripted {
    async fn review(&self, request: &ReviewRequest, _cancel: &CancelToken) -> ReviewDecision {
        self.asked.lock().unwrap().push(request.clone());
        if self.hangs {
            std::future::pending::<()>().await;
        }
        self.answers.lock().unwrap().pop_front().expect("an answer for each question")
    }
}

fn reviewer(answers: impl IntoIterator<Item = ReviewDecision>) -> Arc<Scripted> {
    let answers = Mutex::new(answers.into_iter().collect());
    Arc::new(Scripted { answers, ..Scripted::default() })
}

async fn session(bench: &Bench, reviewer: &Arc<Scripted>) -> Session {
    bench.builder().reviewer(Arc::clone(reviewer) as Arc<dyn Reviewer>).build().await.unwrap()
}

fn apply() -> ReviewDecision {
    ReviewDecision::Apply { selection: None, note: None }
}

fn discard(note: &str) -> ReviewDecision {
    ReviewDecision::Discard { note: Some(note.to_owned()) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_the_user_is_asked_before_the_next_request_and_the_model_is_not_forced() {
    let bench = Bench::plain().await;
    let reviewer = reviewer([apply()]);
    let session = session(&bench, &reviewer).await;
    bench.answer(Reply::new().call("c1", "ast_edit", &rewrite()));
    bench.answer(Reply::new().text("Fine."));
    session.run("Go").await.unwrap();
    let asked = reviewer.asked.lock().unwrap();
    assert_eq!((asked.len(), asked[0].files.len(), asked[0].proposal.is_none()), (1, 1, true));
    assert!(asked[0].files[0].diff_text().starts_with("--- a/a.ts\n"), "{}", asked[0].files[0].diff_text());
    let requests = bench.requests();
    assert!(requests[1].says("The user applied the staged action: AST Edit: 1 replacement in 1 file"));
    assert_eq!(requests[1].choice(), Choice::Free);
    assert_ne!(bench.read("a.ts").as_deref(), Some("f(1);\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_a_resolve_in_the_same_answer_only_proposes() {
    let bench = Bench::plain().await;
    let reviewer = reviewer([discard("not like this")]);
    let session = session(&bench, &reviewer).await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})).call(
        "c2",
        "resolve",
        &resolve("apply", "I want it"),
    ));
    bench.answer(Reply::new().text("Fine."));
    session.run("Go").await.unwrap();
    let asked = reviewer.asked.lock().unwrap();
    let proposal = asked[0].proposal.as_ref().unwrap();
    assert_eq!((proposal.apply, proposal.reason.as_str()), (true, "I want it"));
    let last = bench.requests().pop().unwrap();
    assert!(last.says("The user decides about this preview and is asked now: Write: out.txt."));
    assert!(last.says("The user discarded the staged action"), "{}", last.body());
    assert_eq!(
        (bench.read("out.txt"), bench.read("rejected.txt").as_deref()),
        (None, Some("not like this\n"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_what_the_user_keeps_is_asked_again_only_after_a_proposal() {
    let bench = Bench::plain().await;
    let reviewer = reviewer([ReviewDecision::Keep, apply()]);
    let session = session(&bench, &reviewer).await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().call("c2", "ls", &json!({})));
    bench.answer(Reply::new().call("c3", "resolve", &resolve("apply", "now?")));
    bench.answer(Reply::new().text("Fine."));
    session.run("Go").await.unwrap();
    assert_eq!(reviewer.asked.lock().unwrap().len(), 2);
    let requests = bench.requests();
    assert!(requests[1].says("The user has not decided about the staged action yet: Write: out.txt"));
    assert_eq!(requests[1].choice(), Choice::Free);
    assert_eq!(bench.read("out.txt").as_deref(), Some("decided by the user"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_the_user_applies_some_files() {
    let bench = Bench::plain().await;
    std::fs::write(bench.file("b.ts"), "f(2);\n").unwrap();
    let selection = Some(vec![FileSelection::whole("b.ts")]);
    let reviewer = reviewer([ReviewDecision::Apply { selection, note: None }]);
    let session = session(&bench, &reviewer).await;
    let both = json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }] });
    bench.answer(Reply::new().call("c1", "ast_edit", &both));
    bench.answer(Reply::new().text("Fine."));
    session.run("Go").await.unwrap();
    assert_eq!(bench.read("a.ts").as_deref(), Some("f(1);\n"));
    assert_eq!(bench.read("b.ts").as_deref(), Some("g(2);\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_the_model_decides_where_the_settings_say_so() {
    let mut settings = Settings::default();
    settings.tools.preview_decision = PreviewDecision::Model;
    for (settings, mode) in [(settings, ApprovalMode::Write), (Settings::default(), ApprovalMode::Yolo)] {
        let bench = Bench::plain().await;
        let reviewer = reviewer([]);
        let builder = bench.builder().settings(settings).approval_mode(mode);
        let session = builder.reviewer(Arc::clone(&reviewer) as Arc<dyn Reviewer>).build().await.unwrap();
        bench.answer(Reply::new().call("c1", "stage", &json!({})));
        bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "mine")));
        bench.answer(Reply::new().text("Fine."));
        session.run("Go").await.unwrap();
        assert_eq!(bench.read("out.txt").as_deref(), Some("mine"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_an_abort_takes_the_question_back_and_the_action_stays() {
    let bench = Bench::plain().await;
    let reviewer = Arc::new(Scripted { hangs: true, ..Scripted::default() });
    let session = session(&bench, &reviewer).await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    session.prompt("Go").unwrap();
    while reviewer.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    session.abort("enough");
    session.wait_for_idle().await;
    assert_eq!(session.pending_actions().len(), 1);
    assert_eq!((bench.read("out.txt"), bench.read("rejected.txt")), (None, None));
}
