// Probe of process, Buffer, global, globalThis.

import { probe } from "./probe.mjs";

export default probe("process, Buffer, global, globalThis", "globals without an import", async (pi, signal) => {
  return [typeof process.env, Buffer.from([1]).length, global === globalThis, typeof performance.now()];
}, ["object", 1, true, "number"]);
