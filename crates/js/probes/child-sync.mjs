// Probe of node:child_process (sync).

import { probe } from "./probe.mjs";
import { execFileSync, execSync, spawnSync } from "node:child_process";

export default probe("node:child_process (sync)", "spawnSync, execSync, execFileSync", async (pi, signal) => {
  const spawned = spawnSync("sh", ["-c", "cat; echo e >&2; exit 2"], { input: "in", encoding: "utf8" });
  let failed;
  try { execSync("exit 7", { stdio: "pipe" }); } catch (error) { failed = error.status; }
  const absent = spawnSync("no-such-program-here").error.code;
  const slow = spawnSync("sleep", ["100"], { timeout: 50 });
  return [spawned.stdout, spawned.stderr, spawned.status, execSync("echo hi").toString(), execFileSync("echo", ["x"], { encoding: "utf8" }), failed, absent, slow.signal];
}, ["in", "e\n", 2, "hi\n", "x\n", 7, "ENOENT", "SIGTERM"]);
