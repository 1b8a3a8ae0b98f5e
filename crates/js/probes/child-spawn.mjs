// Probe of node:child_process (spawn).

import { probe } from "./probe.mjs";
import { spawn } from "node:child_process";

export default probe("node:child_process (spawn)", "spawn with stdio, events, kill, env, cwd", async (pi, signal) => {
  const run = (command, args, options = {}) => new Promise((resolve) => {
    const child = spawn(command, args, options);
    let out = "";
    let err = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk) => (out += chunk));
    child.stderr?.on("data", (chunk) => (err += chunk));
    child.on("error", (error) => resolve(error.code));
    child.on("close", (code, why) => resolve([out, err, code, why]));
    if (options.input) child.stdin.end(options.input);
    if (options.kill) child.kill("SIGTERM");
  });
  return [await run("sh", ["-c", "echo out; echo err >&2; exit 3"]), await run("cat", [], { input: "hello" }), await run("sleep", ["100"], { kill: true }), await run("no-such-program-here", []), await run("sh", ["-c", "echo $X; pwd"], { env: { ...process.env, X: "5" }, cwd: "/" }), (await run("true", [], { stdio: "ignore" }))[2], typeof spawn("true").pid];
}, [["out\n", "err\n", 3, null], ["hello", "", 0, null], ["", "", null, "SIGTERM"], "ENOENT", ["5\n/\n", "", 0, null], 0, "number"]);
