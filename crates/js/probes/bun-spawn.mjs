// Probe of Bun.spawn, Bun.spawnSync.

import { probe } from "./probe.mjs";

export default probe("Bun.spawn, Bun.spawnSync", "piped streams, exited, exitCode, kill, stdin", async (pi, signal) => {
  const child = Bun.spawn(["sh", "-c", "cat; echo e >&2; exit 3"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  child.stdin.write("in");
  child.stdin.end();
  const out = await new Response(child.stdout).text();
  const err = await new Response(child.stderr).text();
  const sync = Bun.spawnSync(["echo", "x"]);
  return [out, err, await child.exited, sync.stdout.toString(), sync.exitCode, sync.success];
}, ["in", "e\n", 3, "x\n", 0, true]);
