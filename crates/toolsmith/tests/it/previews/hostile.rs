//! Actions that do not behave, decided by the model of a whole session: each costs its own call only.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use serde_json::json;
use toolsmith::{Session, settings::Settings};
use toolsmith_testkit::Reply;

use super::{Bench, Choice, resolve};

const HOSTILE: &str = r#"
export default (pi) => ({
  name: "hostile",
  description: "Stages what does not behave",
  approval: "read",
  parameters: { type: "object", properties: { how: { type: "string" } } },
  async execute(id, { how }) {
    const push = (label, apply) => pi.pushPendingAction({ label, sourceToolName: "hostile", apply });
    const fine = async () => ({ content: [{ type: "text", text: "fine" }] });
    if (how === "files") {
      pi.pushPendingAction({ label: "Bound", files: ["a.txt", "b.txt"].map((path) => ({ path, content: "new" })) });
      return { content: [] };
    }
    push("below", fine);
    push(how, async () => {
      if (how === "throws") throw new TypeError("the disk is on fire");
      if (how === "spins") for (;;) {}
      if (how === "hangs") await new Promise(() => setInterval(() => {}, 1000));
      if (how === "again") push("pushed by apply", fine);
      if (how === "thousand") for (let n = 0; n < 1000; n++) push(`number ${n}`, fine);
      if (how === "nonsense") return 5;
      return { content: [{ type: "text", text: "did it" }] };
    });
    return { content: [] };
  },
});
"#;

async fn session(bench: &Bench) -> Session {
    bench.place.write("hostile.ts", HOSTILE);
    let mut settings = Settings::default();
    (settings.limits.call, settings.limits.grace) = (Duration::from_millis(300), Duration::from_millis(20));
    let builder = bench.builder().settings(settings).tool_path(bench.place.path("hostile.ts"));
    builder.build().await.unwrap()
}

/// Stages, lets the model apply the newest, then the one below it.
async fn apply_both(how: &str) -> (Bench, Session) {
    let bench = Bench::plain().await;
    let session = session(&bench).await;
    bench.answer(Reply::new().call("c1", "hostile", &json!({ "how": how })));
    bench.answer(Reply::new().call("c2", "resolve", &resolve("apply", "r")));
    bench.answer(Reply::new().call("c3", "resolve", &resolve("apply", "r")));
    bench.server.otherwise(|_| Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    (bench, session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_5_an_apply_that_throws_or_talks_nonsense_is_used_up_and_the_next_works() {
    for (how, said) in [("throws", "the disk is on fire"), ("nonsense", "Tool returned an invalid result")] {
        let (bench, session) = apply_both(how).await;
        let asked = bench.requests();
        assert!(asked[2].says(said), "{}", asked[2].body());
        assert!(asked[2].says("This is a preview: below (staged by hostile)"), "{}", asked[2].body());
        assert!(asked[3].says("fine"), "{}", asked[3].body());
        assert_eq!((asked[3].choice(), asked.len()), (Choice::Free, 4), "nothing is tried again");
        assert!(session.pending_actions().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_that_hangs_is_stopped_and_what_its_engine_had_staged_is_void() {
    for how in ["spins", "hangs"] {
        let (bench, session) = apply_both(how).await;
        let asked = bench.requests();
        assert!(asked[2].says("killed"), "{}", asked[2].body());
        assert!(
            asked[3].says("Not applied: below. The tool that staged this action was stopped"),
            "{how}: {}",
            asked[3].body()
        );
        assert_eq!(asked[3].choice(), Choice::Free);
        // The tool itself works again.
        bench.answer(Reply::new().call("c4", "hostile", &json!({ "how": "works" })));
        bench.answer(Reply::new().call("c5", "resolve", &resolve("apply", "r")).call(
            "c6",
            "resolve",
            &resolve("apply", "r"),
        ));
        session.run("Again").await.unwrap();
        let last = bench.requests().pop().unwrap();
        assert!(last.says("did it") && last.says("fine"), "{}", last.body());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_that_stages_again_is_decided_about_like_any_other() {
    let (bench, session) = apply_both("again").await;
    let asked = bench.requests();
    assert!(asked[2].says("did it"), "{}", asked[2].body());
    assert!(asked[2].says("This is a preview: pushed by apply"), "{}", asked[2].body());
    assert!(asked[3].says("This is a preview: below"), "{}", asked[3].body());
    assert_eq!(session.pending_actions().len(), 1);
    let (bench, session) = apply_both("thousand").await;
    let asked = bench.requests();
    assert!(asked[2].says("This is a preview: number 999 "), "{}", asked[2].body());
    assert_eq!(asked[2].count("This is a preview"), 1, "one reminder, however many wait");
    assert!(asked[3].says("This is a preview: number 998 "), "{}", asked[3].body());
    assert_eq!(session.pending_actions().len(), 1000);
    session.dispose().await;
    assert!(session.pending_actions().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_7_bound_files_that_changed_are_named_to_the_model_and_none_is_written() {
    type Meanwhile = fn(&Path);
    let cases: [(&str, Meanwhile); 5] = [
        ("b.txt changed", |path| fs::write(path, "mine").unwrap()),
        ("b.txt was deleted", |path| fs::remove_file(path).unwrap()),
        ("b.txt is read-only", |path| fs::set_permissions(path, fs::Permissions::from_mode(0o444)).unwrap()),
        ("b.txt leads elsewhere now", |path| {
            fs::rename(path, path.with_file_name("c.txt")).unwrap();
            std::os::unix::fs::symlink("c.txt", path).unwrap();
        }),
        ("b.txt is no regular file", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
    ];
    for (said, meanwhile) in cases {
        let bench = Bench::plain().await;
        let session = session(&bench).await;
        bench.place.write("project/a.txt", "old");
        bench.place.write("project/b.txt", "old");
        bench.answer(Reply::new().call("c1", "hostile", &json!({ "how": "files" })));
        let gate = toolsmith_testkit::Gate::new();
        bench.answer(Reply::new().wait(&gate).call("c2", "resolve", &resolve("apply", "r")));
        bench.answer(Reply::new().text("Oh."));
        session.prompt("Go").unwrap();
        bench.server.wait_for_requests(2).await;
        meanwhile(&bench.file("b.txt"));
        gate.open();
        session.wait_for_idle().await;
        let last = bench.requests().pop().unwrap();
        assert!(last.says(said), "{said}: {}", last.body());
        assert_eq!(last.choice(), Choice::Free, "used up");
        assert_eq!(bench.read("a.txt").as_deref(), Some("old"), "{said}");
        assert!(session.changes().await.unwrap().is_empty());
    }
}
