//! `node:crypto`: what has no fixed answer, and what never ends. The rest is in `same_as_node/crypto.mjs`.

use std::time::Duration;

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Stop, ToolCall, ToolContext, ToolError, UpdateSink};

use crate::project::{Project, in_tool, tool_source};

const CRYPTO: &str = "import crypto, { createHash, createHmac } from \"node:crypto\";";

#[tokio::test(flavor = "multi_thread")]
async fn random_values_have_the_shape_asked_for() {
    let found = in_tool(
        CRYPTO,
        r#"
        const filled = await new Promise((resolve) => crypto.randomFill(new Uint8Array(8), 4, (error, bytes) => resolve(bytes)));
        const numbers = Array.from({ length: 200 }, () => crypto.randomInt(3, 6));
        return [crypto.randomBytes(16).length, (await new Promise((resolve) => crypto.randomBytes(5, (error, bytes) => resolve(bytes)))).length, /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(crypto.randomUUID()),
          [...filled.subarray(0, 4)], [...new Set(numbers)].sort(), crypto.getHashes().includes("sha256"), crypto.randomBytes(4) instanceof Buffer];
        "#,
    )
    .await;
    assert_eq!(found, json!([16, 5, true, [0, 0, 0, 0], [3, 4, 5], true, true]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_of_another_length_than_declared_is_refused() {
    let found = in_tool(
        CRYPTO,
        r#"
        const [key, iv] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2)];
        const cipher = crypto.createCipheriv("aes-256-gcm", key, iv);
        cipher.update("secret"); cipher.final();
        const set = (length, options) => {
          try { crypto.createDecipheriv("aes-256-gcm", key, iv, options).setAuthTag(cipher.getAuthTag().subarray(0, length)); return "accepted"; }
          catch (error) { return error.code; }
        };
        return [set(16, { authTagLength: 16 }), set(4, { authTagLength: 16 }), set(12, undefined)];
        "#,
    )
    .await;
    assert_eq!(found, json!(["accepted", "ERR_CRYPTO_INVALID_AUTH_TAG", "accepted"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_takes_for_ever_is_stopped() {
    let body = "const { pbkdf2Sync } = await import(\"node:crypto\"); onUpdate({ content: [] }); pbkdf2Sync(\"p\", \"s\", 2147483647, 64, \"sha512\");";
    let limits = Limits::default().grace(Duration::from_millis(10));
    let project = Project::with_limits(limits, &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("enough"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = tool.execute(ToolCall::new("c", json!({})), ctx).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    while project.engine.stats().threads > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(project.engine.stats().abandoned, 0);
}
