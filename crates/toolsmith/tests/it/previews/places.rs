//! What decides what runs next is not changed unasked, whoever stages or writes it (CONTRACT 5.7).

use std::{fs, os::unix::fs::symlink};

use serde_json::json;
use toolsmith::{Session, SessionBuilder, settings::Settings};
use toolsmith_testkit::Reply;

use super::{Bench, resolve};

/// Stages a file of any name, at tier `read`.
const STAGE_FILE: &str = r#"
import { shout } from "./project/lib/words";
export default (pi) => ({
  name: "stage_file",
  description: "Stages a file",
  approval: "read",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  async execute(id, { path }) {
    pi.pushPendingAction({ label: "Write " + shout(path), files: [{ path, content: "evil" }] });
    return { content: [{ type: "text", text: "Staged." }] };
  },
});
"#;

async fn session(bench: &Bench, adapt: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Session {
    bench.place.write("stage_file.ts", STAGE_FILE);
    bench.place.write("project/lib/words.ts", "export const shout = (text) => text.toUpperCase();\n");
    bench.place.write("project/mytools/one.ts", "export default () => null;\n");
    let builder = bench
        .builder()
        .tool_path(bench.place.path("stage_file.ts"))
        .tool_path(bench.place.path("project/mytools"));
    let session = adapt(builder).build().await.unwrap();
    assert!(session.loaded().errors.is_empty(), "{:?}", session.loaded().errors);
    session
}

/// What the model was told about its last call.
async fn told(bench: &Bench, session: &Session, calls: Vec<Reply>) -> String {
    calls.into_iter().for_each(|call| bench.answer(call));
    bench.server.otherwise(|_| Reply::new().text("Done."));
    session.run("Go").await.unwrap();
    bench.requests().last().unwrap().body().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_7_files_that_a_tool_stages_have_the_tier_of_their_place() {
    for (path, denied) in
        [("plain.txt", false), (".envrc", true), ("../home/elsewhere.txt", true), ("lib/words.ts", true)]
    {
        let bench = Bench::plain().await;
        let session = session(&bench, |builder| builder).await;
        let calls = vec![
            Reply::new().call("c1", "stage_file", &json!({ "path": path })),
            Reply::new().call("c2", "resolve", &resolve("apply", "r")),
        ];
        let told = told(&bench, &session, calls).await;
        assert_eq!(told.contains("requires approval"), denied, "{path}: {told}");
        assert_eq!(bench.read(path).is_some_and(|text| text == "evil"), !denied, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_7_code_that_tools_are_made_of_is_not_written_unasked() {
    for preview in [false, true] {
        let paths = [
            "mytools/one.ts",
            "mytools/new.ts",
            "lib/words.ts",
            "lib/words.js",
            "lib/words/index.ts",
            ".husky/x",
        ];
        for path in paths {
            let bench = Bench::plain().await;
            let session = session(&bench, |builder| builder.preview(preview)).await;
            let before = bench.read(path);
            let mut calls =
                vec![Reply::new().call("c1", "write", &json!({ "path": path, "content": "evil" }))];
            if preview {
                calls.push(Reply::new().call("c2", "resolve", &resolve("apply", "r")));
            }
            let told = told(&bench, &session, calls).await;
            assert!(told.contains("requires approval"), "{path}: {told}");
            assert_eq!(bench.read(path), before, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_7_our_own_data_is_not_written_even_where_everything_is_allowed() {
    let bench = Bench::plain().await;
    let own = bench.place.home().toolsmith().to_path_buf();
    fs::create_dir_all(&own).unwrap();
    let session = session(&bench, |builder| {
        builder.settings(Settings::default()).approval_mode(toolsmith::ApprovalMode::Yolo)
    })
    .await;
    symlink(own.join("config.toml"), bench.file("notes.md")).unwrap();
    let calls = vec![
        Reply::new().call("c1", "write", &json!({ "path": "notes.md", "content": "x" })),
        Reply::new().call("c2", "write", &json!({ "path": own.join("trust.json"), "content": "x" })),
        Reply::new().call("c3", "stage_file", &json!({ "path": own.join("changes/unfinished/1.json") })),
    ];
    let told = told(&bench, &session, calls).await;
    assert_eq!(told.matches("is Toolsmith's own data").count(), 3, "{told}");
    assert!(!own.join("config.toml").exists() && !own.join("trust.json").exists());
    assert!(session.pending_actions().is_empty());
}
