//! `edit` and `write` in preview mode: the same path as every other preview.

use serde_json::{Value, json};
use toolsmith_agent::{ApprovalMode, PendingChoice};
use toolsmith_testkit::Reply;

use super::{Bench, Choice, resolve};

fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "a.ts", "edits": [{ "oldText": old, "newText": new }] })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_setting_edit_and_write_stage_and_the_model_decides() {
    let bench = Bench::plain().await;
    bench.place.write("home/.toolsmith/config.toml", "[tools]\npreview = true\n");
    let settings = bench.place.settings().settings;
    assert!(settings.tools.preview);
    let session = bench.builder().settings(settings).build().await.unwrap();
    bench.answer(Reply::new().call("c1", "edit", &edit("f(1)", "h(1)")));
    bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "ok")));
    bench.answer(Reply::new().call("c3", "write", &json!({ "path": "new.ts", "content": "n\n" })));
    bench.answer(Reply::new().call("c4", "resolve", &resolve("discard", "no")));
    bench.answer(Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    let asked = bench.requests();
    assert!(asked[1].says("Preview, nothing is written yet: Edited a.ts"), "{}", asked[1].body());
    assert_eq!(asked[1].choice(), Choice::Named("resolve".to_owned()));
    assert_eq!(asked[3].choice(), Choice::Named("resolve".to_owned()));
    assert_eq!((bench.read("a.ts").as_deref(), bench.read("new.ts")), (Some("h(1);\n"), None));
    session.undo(None).await.unwrap();
    assert_eq!(bench.read("a.ts").as_deref(), Some("f(1);\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_preview_asks_nobody_and_applying_it_asks_for_what_writing_asks_for() {
    let bench = Bench::plain().await;
    // Without anybody to ask, writing is refused.
    let session = bench.builder().preview(true).approval_mode(ApprovalMode::AlwaysAsk).build().await.unwrap();
    bench.answer(Reply::new().call("c1", "edit", &edit("f(1)", "h(1)")));
    bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "ok")));
    bench.server.otherwise(|_| Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    let asked = bench.requests();
    assert!(asked[1].says("Preview, nothing is written yet"), "{}", asked[1].body());
    assert_eq!(bench.read("a.ts").as_deref(), Some("f(1);\n"), "{}", asked[2].body());
    assert_eq!(session.pending_actions().len(), 1, "what was not allowed still waits");
    let shown = session.view_pending(PendingChoice::Top).await.unwrap();
    assert!(shown[0].diff_text().ends_with("-f(1);\n+h(1);\n"));
    session.apply_pending(PendingChoice::Top, None, "I say so").await.unwrap();
    assert_eq!(bench.read("a.ts").as_deref(), Some("h(1);\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_change_of_a_file_waits_until_the_first_is_decided() {
    let bench = Bench::plain().await;
    let session = bench.builder().preview(true).build().await.unwrap();
    bench.answer(Reply::new().call("c1", "edit", &edit("f(1)", "h(1)")).call("c2", "edit", &edit("f", "k")));
    bench.answer(Reply::new().call("c3", "resolve", &resolve("apply", "ok")));
    bench.answer(Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    let asked = bench.requests();
    assert!(
        asked[1].says(
            "A change of a.ts is staged already (edit: a.ts). Call resolve to apply or discard that first."
        ),
        "{}",
        asked[1].body()
    );
    assert_eq!(bench.read("a.ts").as_deref(), Some("h(1);\n"));
}
