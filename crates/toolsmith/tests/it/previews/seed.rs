//! The batch-rename example of the documents the system was asked for in, as it stands there.

use serde_json::json;
use toolsmith_agent::ApprovalMode;
use toolsmith_testkit::{BATCH_RENAME, Reply};

use super::{Bench, resolve};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_3_the_seeds_batch_rename_is_applied_and_discarded_by_the_model() {
    let bench = Bench::plain().await;
    bench.place.write("rename.ts", BATCH_RENAME);
    let session = bench
        .builder()
        .tool_path(bench.place.path("rename.ts"))
        // It declares no tier, which counts as the highest.
        .approval_mode(ApprovalMode::Yolo)
        .build()
        .await
        .unwrap();
    for (at, (action, said)) in [
        ("apply", "Applied batch rename. Reason: as planned"),
        ("discard", "Discarded batch rename. Reason: as planned"),
    ]
    .into_iter()
    .enumerate()
    {
        bench.answer(Reply::new().call("c1", "batch_rename_preview", &json!({ "files": ["a", "b"] })));
        bench.answer(Reply::new().call("c2", "resolve", &resolve(action, "as planned")));
        bench.answer(Reply::new().text("Done."));
        session.run("Rename them").await.unwrap();
        let asked = &bench.requests()[at * 3..];
        assert!(asked[1].says("Prepared rename plan for 2 files. Call resolve to apply or discard."));
        assert!(asked[1].says("This is a preview: Batch rename: 2 files (staged by batch_rename_preview)"));
        assert!(asked[2].says(said), "{}", asked[2].body());
        assert!(!session.agent().pending().has_pending());
    }
}
