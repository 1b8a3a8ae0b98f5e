// Probe of structuredClone.

import { probe } from "./probe.mjs";

export default probe("structuredClone", "maps, sets, dates, cycles, errors, typed arrays, refusals", async (pi, signal) => {
  const value = { m: new Map([[1, new Set(["x"])]]), d: new Date(5), b: new Uint8Array([1, 2]), r: /a/g, e: new RangeError("bad") };
  value.self = value;
  const copy = structuredClone(value);
  let refused;
  try { structuredClone(() => {}); } catch (error) { refused = error.name; }
  return [copy !== value, copy.self === copy, copy.m.get(1).has("x"), copy.d.getTime(), copy.b.length, copy.r.flags, copy.e instanceof RangeError, refused];
}, [true, true, true, 5, 2, "g", true, "DataCloneError"]);
