// Probe of console.

import { probe } from "./probe.mjs";

export default probe("console", "log, info, warn, error, debug, table, time, group, assert, count, trace", async (pi, signal) => {
  for (const name of ["log", "info", "warn", "error", "debug", "table", "group", "groupEnd", "assert", "count", "trace", "dir"]) console[name](name === "table" ? [{ a: 1 }] : "x");
  console.time("t");
  console.timeEnd("t");
  return Object.prototype.toString.call(console).length > 0;
}, true);
