//! `bun:sqlite` and `node:sqlite`.

use std::time::Duration;

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Stop, ToolCall, ToolContext, ToolError, UpdateSink};

use crate::project::{Project, in_tool, tool_source};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bun_databases_keep_what_they_are_given() {
    let found = in_tool(
        "import { Database } from \"bun:sqlite\";",
        r#"
        const db = new Database(`${pi.cwd}/data.sqlite`, { create: true });
        db.run("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size REAL, blob BLOB); CREATE TABLE u (x)");
        const insert = db.prepare("INSERT INTO t (name, size, blob) VALUES ($name, $size, $blob)");
        const first = insert.run({ $name: "a", $size: 1.5, $blob: new Uint8Array([1, 2]) });
        const second = db.run("INSERT INTO t (name) VALUES (?)", ["b"]);
        const many = db.transaction((names) => { for (const name of names) db.query("INSERT INTO t (name) VALUES (?)").run(name); return names.length; });
        const count = many(["c", "d"]);
        let failed; try { many(["e", "a"]); } catch (error) { failed = [error.name, error.message, error.code]; }
        const row = db.query("SELECT * FROM t WHERE name = ?").get("a");
        const missing = db.query("SELECT * FROM t WHERE name = $n").get({ n: "zz" });
        const exact = new Database(":memory:", { safeIntegers: true }).query("SELECT 9007199254740993 AS n").get().n;
        let wrong; try { db.query("SELEC 1"); } catch (error) { wrong = error.message; }
        const result = [first, second, count, failed, { ...row, blob: [...row.blob] }, missing, String(exact), db.query("SELECT name FROM t ORDER BY id").values(), db.query("SELECT count(*) AS n FROM t").all(), wrong, db.query("SELECT name, size FROM t").columnNames, [...db.query("SELECT id FROM t WHERE id < ?").iterate(3)], db.inTransaction];
        db.close();
        let closed; try { db.query("SELECT 2"); } catch (error) { closed = error.message; }
        return [...result, closed];
        "#,
    )
    .await;
    let expected = json!([
        { "changes": 1, "lastInsertRowid": 1 }, { "changes": 1, "lastInsertRowid": 2 }, 2, ["SQLiteError", "UNIQUE constraint failed: t.name", "SQLITE_CONSTRAINT_UNIQUE"],
        { "id": 1, "name": "a", "size": 1.5, "blob": [1, 2] }, null, "9007199254740993", [["a"], ["b"], ["c"], ["d"]], [{ "n": 4 }], "near \"SELEC\": syntax error", ["name", "size"],
        [{ "id": 1 }, { "id": 2 }], false, "database is not open"
    ]);
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_databases_keep_what_they_are_given() {
    let found = in_tool(
        "import { DatabaseSync } from \"node:sqlite\";",
        r#"
        const db = new DatabaseSync(":memory:");
        db.exec("CREATE TABLE t (key INTEGER PRIMARY KEY, value TEXT) STRICT");
        const insert = db.prepare("INSERT INTO t (key, value) VALUES (?, ?)");
        const done = insert.run(1, "hello");
        insert.run(2, null);
        const query = db.prepare("SELECT * FROM t WHERE key = :key");
        let large; try { db.prepare("SELECT 9007199254740993 AS n").get(); } catch (error) { large = error.code; }
        let twice; try { insert.run(1, "x"); } catch (error) { twice = [error.code, error.errcode, error.message]; }
        let unusable; try { insert.run(3, Symbol.iterator.toString); } catch (error) { unusable = error.code; }
        const big = db.prepare("SELECT 1 AS n"); big.setReadBigInts(true);
        return [done, query.get({ key: 1 }), query.get({ ":key": 2 }), query.get({ key: 9 }) ?? "undefined", db.prepare("SELECT value FROM t").all(), large, twice, unusable, typeof big.get().n, db.isOpen];
        "#,
    )
    .await;
    let expected = json!([
        { "lastInsertRowid": 1, "changes": 1 }, { "key": 1, "value": "hello" }, { "key": 2, "value": null }, "undefined", [{ "value": "hello" }, { "value": null }], "ERR_OUT_OF_RANGE",
        ["ERR_SQLITE_ERROR", 1555, "UNIQUE constraint failed: t.key"], "ERR_INVALID_ARG_TYPE", "bigint", true
    ]);
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_a_statement_that_never_ends_is_stopped() {
    let body = "const { Database } = await import(\"bun:sqlite\"); const db = new Database(); onUpdate({ content: [] });\n\
        db.query(\"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n\").get();";
    let project = Project::with_limits(
        Limits::default().grace(Duration::from_millis(10)),
        &[("t.ts", &tool_source(body))],
    );
    let tool = project.tool("t.ts").await;
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("enough"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = tool.execute(ToolCall::new("c", json!({})), ctx).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    // A busy machine may take longer than the thread is waited for; it comes back all the same.
    while project.engine.stats().threads > 0 || project.engine.stats().abandoned > 0 {
        tokio::task::yield_now().await;
    }
}
