// Probe of AbortSignal.any, AbortSignal.timeout.

import { probe } from "./probe.mjs";

export default probe("AbortSignal.any, AbortSignal.timeout", "any, timeout", async (pi, signal) => {
  const one = new AbortController();
  const any = AbortSignal.any([one.signal, AbortSignal.timeout(60000)]);
  one.abort("x");
  const timed = AbortSignal.timeout(5);
  await new Promise((resolve) => timed.addEventListener("abort", resolve));
  return [any.aborted, any.reason, timed.reason.name];
}, [true, "x", "TimeoutError"]);
