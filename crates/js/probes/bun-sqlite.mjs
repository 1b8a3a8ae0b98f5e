// Probe of bun:sqlite.

import { probe } from "./probe.mjs";
import { Database } from "bun:sqlite";

export default probe("bun:sqlite", "Database, query, run, get, all, transaction", async (pi, signal) => {
  const db = new Database(":memory:");
  db.run("CREATE TABLE t (a INTEGER, b TEXT)");
  const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
  db.transaction((rows) => { for (const row of rows) insert.run(...row); })([[1, "x"], [2, "y"]]);
  return [db.query("SELECT * FROM t ORDER BY a").all(), db.query("SELECT b FROM t WHERE a = ?").get(2), db.query("SELECT count(*) AS n FROM t").get().n];
}, [[{ a: 1, b: "x" }, { a: 2, b: "y" }], { b: "y" }, 2]);
