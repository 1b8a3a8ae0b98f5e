//! CONTRACT 8.6: staged actions outlive an abort, and are dropped with `reject` called when the session ends.

use std::time::Duration;

use serde_json::json;
use toolsmith::settings::Settings;
use toolsmith_agent::PendingChoice;
use toolsmith_testkit::{Gate, Reply};

use super::{Bench, Choice, resolve, rewrite};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_an_abort_leaves_what_is_staged_and_the_next_prompt_leans_to_it() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})));
    bench.answer(Reply::new().wait(&Gate::new()).text("never"));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(2).await;
    session.abort("changed my mind");
    session.wait_for_idle().await;
    assert_eq!(session.pending_actions().len(), 1);
    assert_eq!((bench.read("out.txt"), bench.read("rejected.txt")), (None, None));
    bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "after all")));
    bench.answer(Reply::new().text("Done."));
    session.run("Go on").await.unwrap();
    assert_eq!(bench.requests()[2].choice(), Choice::Named("resolve".to_owned()));
    assert_eq!(bench.read("out.txt").as_deref(), Some("after all"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_the_end_of_a_session_drops_everything_and_calls_reject() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})).call("c2", "ast_edit", &rewrite()));
    bench.answer(Reply::new().wait(&Gate::new()).text("never"));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(2).await;
    assert_eq!(session.pending_actions().len(), 2);
    session.dispose().await;
    assert!(session.pending_actions().is_empty());
    assert_eq!(bench.read("rejected.txt").as_deref(), Some("the session ended\n"));
    assert_eq!((bench.read("out.txt"), bench.read("a.ts").as_deref()), (None, Some("f(1);\n")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_the_model_of_the_next_conversation_hears_nothing_of_what_was_dropped() {
    let bench = Bench::plain().await;
    let session = bench.session().await;
    bench.answer(Reply::new().call("c1", "stage", &json!({})).call("c2", "stage", &json!({})));
    bench.answer(Reply::new().wait(&Gate::new()).text("never"));
    session.prompt("Go").unwrap();
    bench.server.wait_for_requests(2).await;
    session.discard_pending(PendingChoice::Top, "no").await.unwrap();
    session.abort("enough");
    session.wait_for_idle().await;
    session.drop_pending("the session was switched").await;
    assert_eq!(bench.read("rejected.txt").as_deref(), Some("no\nthe session was switched\n"));
    bench.answer(Reply::new().text("Hello."));
    session.run("Hi").await.unwrap();
    let last = bench.requests().pop().unwrap();
    assert!(!last.says("The user discarded"), "{}", last.body());
    assert_eq!(last.choice(), Choice::Free);
    assert!(!last.tools().contains(&"resolve"));
}

/// Stages two actions whose `reject` does no good.
const BAD: &str = r#"
export default (pi) => ({
  name: "bad",
  description: "Stages what cannot be dropped",
  approval: "read",
  parameters: { type: "object", properties: { how: { type: "string" } } },
  async execute(id, { how }) {
    const push = (label) => pi.pushPendingAction({
      label,
      apply: async () => ({ content: [] }),
      reject: async () => {
        if (how === "hangs") await new Promise(() => setInterval(() => {}, 1000));
        if (how === "spins") for (;;) {}
        if (how === "throws") throw new Error("no");
        push("again");
      },
    });
    push("one");
    push("two");
    return { content: [] };
  },
});
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_6_a_reject_that_hangs_throws_or_stages_again_does_not_keep_a_session_from_ending() {
    for how in ["hangs", "spins", "throws", "pushes"] {
        let bench = Bench::plain().await;
        bench.place.write("bad.ts", BAD);
        let mut settings = Settings::default();
        (settings.limits.call, settings.limits.grace) =
            (Duration::from_millis(50), Duration::from_millis(20));
        let session =
            bench.builder().settings(settings).tool_path(bench.place.path("bad.ts")).build().await.unwrap();
        bench.answer(Reply::new().call("c1", "bad", &json!({ "how": how })));
        bench.answer(Reply::new().wait(&Gate::new()).text("never"));
        session.prompt("Go").unwrap();
        bench.server.wait_for_requests(2).await;
        assert_eq!(session.pending_actions().len(), 2, "{how}");
        session.dispose().await;
        assert!(session.pending_actions().is_empty(), "{how}");
    }
}
