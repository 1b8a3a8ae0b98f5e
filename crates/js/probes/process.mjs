// Probe of node:process.

import { probe } from "./probe.mjs";
import nodeProcess from "node:process";

export default probe("node:process", "env, cwd, platform, arch, pid, version, argv, hrtime, nextTick, memoryUsage, uptime, on, emitWarning, stdout.write, kill(0)", async (pi, signal) => {
  const order = [];
  await new Promise((resolve) => { setTimeout(resolve, 20); setTimeout(() => { Promise.resolve().then(() => order.push("promise")); process.nextTick((x) => order.push(x), "tick"); order.push("sync"); }, 1); });
  return [nodeProcess === process, typeof process.env.PATH, process.cwd() === pi.cwd, process.platform, typeof process.pid, /^v\d+/.test(process.version), Array.isArray(process.argv), typeof process.hrtime.bigint(), process.memoryUsage().rss > 0, process.uptime() > 0, order, typeof process.on("exit", () => {}).emit, process.kill(process.pid, 0), typeof process.versions.node, process.exitCode === undefined, process.release.name];
}, [true, "string", true, "linux", "number", true, true, "bigint", true, true, ["sync", "tick", "promise"], "function", true, "string", true, "node"]);
