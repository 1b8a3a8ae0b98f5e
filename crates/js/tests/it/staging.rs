//! CONTRACT 8.1 and byte-bound previews: actions that name their files.

use std::{fs, sync::Arc, time::Duration};

use serde_json::json;
use toolsmith_host::changes::{ChangeNote, ChangeSet, ChangeStore, content_hash};
use toolsmith_tool::{
    CancelToken, PendingAction, PendingHandle, PendingStack, Tool, ToolCall, ToolContext, ToolError, Writes,
};

use toolsmith_js::Limits;

use crate::project::{Project, tool_source};

/// Runs a body that stages something, and gives what was staged or why nothing was.
async fn stage(tool: &Arc<dyn Tool>, arguments: serde_json::Value) -> Result<PendingAction, String> {
    let stack = PendingStack::new();
    let ctx = ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&stack)));
    match tool.execute(ToolCall::new("c", arguments), ctx).await {
        Ok(_) => Ok(stack.pop().unwrap()),
        Err(error) => Err(error.to_string()),
    }
}

const PUSH: &str = "if (params.bytes) params.files[0].content = new Uint8Array([255, 0, 13, 10]);\n\
     pi.pushPendingAction({ label: \"L\", files: params.files, ...(params.apply ? { apply: async (r) => ({ content: [{ type: \"text\", text: r }] }) } : {}) });\n\
     return { content: [] };";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_alone_are_an_action_that_the_host_shows_and_writes() {
    let source = tool_source(PUSH);
    let project = Project::new(&[("t.ts", &source), ("a.txt", "one\n"), ("gone.txt", "x\n")]);
    let tool = project.tool("t.ts").await;
    let files = json!({ "files": [
        { "path": "a.txt", "content": "two\n", "baseHash": content_hash(b"one\n") },
        { "path": "sub/new.txt", "content": "é\n", "baseHash": null },
        { "path": "gone.txt", "content": null },
    ] });
    let action = stage(&tool, files).await.unwrap();
    assert_eq!((action.writes, action.files.len()), (Writes::Host, 3));
    let set = ChangeSet::from_files(action.files);
    let preview = set.preview().unwrap();
    assert!(preview[0].diff_text().ends_with("@@ -1 +1 @@\n-one\n+two\n"), "{}", preview[0].diff_text());
    assert!(preview[1].is_new && preview[2].is_deleted);
    let store = ChangeStore::open(project.path("state")).unwrap();
    store.apply(&set, &ChangeNote::new("t", "L", project.engine.cwd()), &CancelToken::new()).unwrap();
    assert_eq!(fs::read_to_string(project.path("sub/new.txt")).unwrap(), "é\n");
    assert!(!project.path("gone.txt").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_with_an_apply_are_written_by_it_and_content_may_be_bytes() {
    let source = tool_source(PUSH);
    let project = Project::new(&[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    let arguments = json!({ "apply": true, "bytes": true, "files": [{ "path": "b.bin" }] });
    let action = stage(&tool, arguments).await.unwrap();
    assert_eq!(action.writes, Writes::Callback);
    assert_eq!(action.files[0].content.as_deref(), Some([255, 0, 13, 10].as_slice()));
    let applied = action.callbacks.apply("because", ToolContext::detached()).await.unwrap();
    assert_eq!(applied.joined_text(), "because");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_cannot_be_meant_are_refused_when_they_are_staged() {
    let source = tool_source(PUSH);
    let project = Project::new(&[("t.ts", &source), ("a.txt", "one\n")]);
    let tool = project.tool("t.ts").await;
    let stale = content_hash(b"zero\n").to_string();
    let cases = [
        (json!(5), "files must be an array"),
        (json!([5]), "files[0] must be an object"),
        (json!([{ "content": "x" }]), "files[0] needs a non-empty string path"),
        (json!([{ "path": "a.txt" }]), "files[0] needs content"),
        (json!([{ "path": "a.txt", "content": 5 }]), "files[0] needs content"),
        (json!([{ "path": "a.txt", "content": "x", "baseHash": 5 }]), "a baseHash that is not a string"),
        (json!([{ "path": "a.txt", "content": "x", "baseHash": "abc" }]), "\"abc\" is not a content hash"),
        (json!([{ "path": "a.txt", "content": "x", "baseHash": stale }]), "a.txt changed"),
        (json!([{ "path": "a.txt", "content": "x", "baseHash": null }]), "a.txt was created"),
        (json!([{ "path": "b.txt", "content": null }]), "b.txt was deleted"),
        (json!([{ "path": ".", "content": "x" }]), "is no regular file"),
        (json!([{ "path": "a.txt", "content": "x" }, { "path": "./a.txt", "content": "y" }]), "named twice"),
    ];
    for (files, expected) in cases {
        let error = stage(&tool, json!({ "files": files })).await.unwrap_err();
        assert!(error.contains(expected), "{files}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c8_5_an_apply_that_throws_pushes_again_or_hangs_does_what_execute_would() {
    let source = tool_source(
        "const push = (label, apply) => pi.pushPendingAction({ label, apply });\n\
         push(\"throws\", async () => { throw new Error(\"no space\"); });\n\
         push(\"nonsense\", async () => 5);\n\
         push(\"again\", async () => { for (let n = 0; n < 1000; n++) push(`again ${n}`, async () => ({ content: [] })); return { content: [] }; });\n\
         push(\"hangs\", () => { push(\"started\", async () => ({ content: [] })); for (;;) {} });\n\
         return { content: [] };",
    );
    let limits = Limits::default().grace(Duration::from_millis(20));
    let project = Project::with_limits(limits, &[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    let stack = PendingStack::new();
    let context = || ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&stack)));
    tool.execute(ToolCall::new("c", json!({})), context()).await.unwrap();
    let actions = stack.list();
    let [hangs, again, nonsense, throws] = actions.as_slice() else { panic!("{actions:?}") };
    let thrown = throws.callbacks.apply("r", context()).await.unwrap_err().to_string();
    assert!(thrown.contains("no space"), "{thrown}");
    let bad = nonsense.callbacks.apply("r", context()).await.unwrap_err().to_string();
    assert!(bad.starts_with("Tool returned an invalid result: "), "{bad}");
    again.callbacks.apply("r", context()).await.unwrap();
    assert_eq!(stack.count(), 1004);
    // Stopped by force, as a call would be; what else the same engine had staged is void from then on.
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let _subscription = stack.subscribe(move |_| stop.cancel("enough"));
    let stopped = hangs.callbacks.apply("r", context().with_cancel(cancel)).await.unwrap_err();
    assert!(matches!(stopped, ToolError::Stopped { .. }), "{stopped}");
    let last = stack.peek().unwrap();
    assert!(last.callbacks.void().is_some());
}
