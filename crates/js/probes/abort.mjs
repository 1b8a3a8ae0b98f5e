// Probe of AbortController, AbortSignal.

import { probe } from "./probe.mjs";

export default probe("AbortController, AbortSignal", "abort, reason, events, throwIfAborted", async (pi, signal) => {
  const controller = new AbortController();
  const heard = [];
  controller.signal.addEventListener("abort", (event) => heard.push(event.type), { once: true });
  controller.signal.onabort = () => heard.push("handler");
  controller.abort(new Error("why"));
  let thrown;
  try { controller.signal.throwIfAborted(); } catch (error) { thrown = error.message; }
  return [heard.sort(), controller.signal.aborted, thrown, AbortSignal.abort().reason.name, signal instanceof AbortSignal, signal.aborted];
}, [["abort", "handler"], true, "why", "AbortError", true, false]);
