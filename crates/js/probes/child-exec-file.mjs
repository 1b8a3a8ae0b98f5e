// Probe of node:child_process (execFile, exec).

import { probe } from "./probe.mjs";
import { exec, execFile } from "node:child_process";
import { promisify } from "node:util";

export default probe("node:child_process (execFile, exec)", "execFile, exec, with promisify and callbacks", async (pi, signal) => {
  const { stdout } = await promisify(execFile)("echo", ["a b"]);
  const failed = await promisify(exec)("echo out; echo bad >&2; exit 4").catch((error) => [error.code, error.stdout, error.stderr]);
  const called = await new Promise((resolve) => exec("printf x", (error, out) => resolve([error, out])));
  const limited = await promisify(execFile)("sleep", ["100"], { timeout: 50 }).catch((error) => [error.killed, error.signal]);
  return [stdout, failed, called, limited];
}, ["a b\n", [4, "out\n", "bad\n"], [null, "x"], [true, "SIGTERM"]]);
