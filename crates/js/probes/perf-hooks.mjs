// Probe of node:perf_hooks.

import { probe } from "./probe.mjs";
import { performance as p } from "node:perf_hooks";

export default probe("node:perf_hooks", "performance.now, mark, measure", async (pi, signal) => {
  p.mark("a");
  const measured = p.measure("m", "a");
  return [p.now() > 0, typeof measured.duration, p.timeOrigin > 1e12, typeof p.toJSON()];
}, [true, "number", true, "object"]);
