// Probe of node:timers, node:timers/promises.

import { probe } from "./probe.mjs";
import { setTimeout as wait, setInterval as every, setImmediate as soon } from "node:timers/promises";
import * as timers from "node:timers";

export default probe("node:timers, node:timers/promises", "setTimeout, setInterval, setImmediate, scheduler, abort", async (pi, signal) => {
  const ticks = [];
  for await (const value of every(1, "t")) if (ticks.push(value) === 2) break;
  const aborted = await wait(1000, null, { signal: AbortSignal.abort() }).catch((error) => [error.name, error.code]);
  return [await wait(1, "v"), ticks, await soon("s"), aborted, timers.setTimeout === setTimeout];
}, ["v", ["t", "t"], "s", ["AbortError", "ABORT_ERR"], true]);
