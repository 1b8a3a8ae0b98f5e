// Probe of node:events.

import { probe } from "./probe.mjs";
import EventEmitter, { once, on, EventEmitter as Named } from "node:events";

export default probe("node:events", "EventEmitter: on, once, off, emit, prependListener, listenerCount, once as a promise, on as an iterator, errors", async (pi, signal) => {
  const emitter = new (class extends EventEmitter {})();
  const heard = [];
  emitter.on("a", (x) => heard.push(x)).once("a", () => heard.push("once")).prependListener("a", () => heard.push("first"));
  emitter.emit("a", 1);
  emitter.emit("a", 2);
  let thrown;
  try { emitter.emit("error", new Error("bad")); } catch (error) { thrown = error.message; }
  setTimeout(() => emitter.emit("later", 5), 1);
  const later = await once(emitter, "later");
  setTimeout(() => { emitter.emit("it", 1); emitter.emit("it", 2); }, 1);
  const iterated = [];
  for await (const [value] of on(emitter, "it")) if (iterated.push(value) === 2) break;
  return [heard, thrown, later, iterated, emitter.listenerCount("a"), Named === EventEmitter, emitter.eventNames(), emitter.emit("nobody")];
}, [["first", 1, "once", "first", 2], "bad", [5], [1, 2], 2, true, ["a"], false]);
