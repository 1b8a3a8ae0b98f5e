// Event emitters.

import EventEmitter, { EventEmitter as Named, once, on, errorMonitor, getEventListeners, listenerCount, setMaxListeners } from "node:events";

export default async function (print) {
  const e = new EventEmitter();
  print(EventEmitter === Named, EventEmitter.EventEmitter === Named, typeof EventEmitter.once, EventEmitter.defaultMaxListeners);
  const seen = [];
  e.on("newListener", (name) => seen.push(`new ${String(name)}`));
  const a = (...args) => seen.push(["a", ...args]);
  e.on("x", a);
  e.prependListener("x", () => seen.push("first"));
  e.once("x", () => seen.push("once"));
  e.prependOnceListener("x", () => seen.push("prepended once"));
  print(e.emit("x", 1, 2), e.emit("x"), e.emit("nothing"), seen);
  print(e.listenerCount("x"), e.eventNames(), e.listeners("x").length, listenerCount(e, "x"), e.rawListeners("x").length);
  e.off("x", a);
  print(e.listenerCount("x"), e.removeAllListeners("x").listenerCount("x"), e.getMaxListeners(), e.setMaxListeners(1).getMaxListeners());
  for (const thing of [new Error("boom"), "text", undefined, { a: 1 }]) {
    try { new EventEmitter().emit("error", thing); } catch (error) { print(error.name, error.message, error.code ?? "none", String(error)); }
  }
  try { e.on("x", 1); } catch (error) { print(error.code, error.message, error.name, String(error)); }
  try { e.setMaxListeners(-1); } catch (error) { print(error.code, error.message); }
  e.on(errorMonitor, (error) => print("monitored", error.message));
  try { e.emit("error", new Error("m")); } catch (error) { print("thrown", error.message); }
  setTimeout(() => e.emit("later", 5, 6), 1);
  print(await once(e, "later"));
  setTimeout(() => e.emit("error", new Error("failed")), 1);
  try { await once(e, "later"); } catch (error) { print(error.message); }
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1);
  try { await once(e, "never", { signal: controller.signal }); } catch (error) { print(error.name, error.code, error.message); }
  const got = [];
  setTimeout(() => { for (let n = 0; n < 4; n++) e.emit("n", n); }, 1);
  for await (const [n] of on(e, "n")) { got.push(n); if (n === 3) break; }
  print(got, e.listenerCount("n"));
  const target = new EventTarget();
  target.addEventListener("foo", a);
  print(getEventListeners(target, "foo").length, getEventListeners(e, "n").length);
  setTimeout(() => target.dispatchEvent(new Event("foo")), 1);
  print((await once(target, "foo"))[0].type);
  // Old style inheritance.
  function Old() { EventEmitter.call(this); }
  Object.setPrototypeOf(Old.prototype, EventEmitter.prototype);
  const old = new Old();
  old.on("y", function (v) { print("old", v, this === old); });
  old.emit("y", 1);
  const capturing = new EventEmitter({ captureRejections: true });
  capturing.on("e", async () => { throw new Error("rejected"); });
  const failed = new Promise((resolve) => capturing.on("error", resolve));
  capturing.emit("e");
  print((await failed).message);
  // A listener that removes another while the event goes on.
  const r = new EventEmitter();
  const second = () => print("still heard");
  r.on("z", () => r.off("z", second));
  r.on("z", second);
  r.emit("z"); r.emit("z");
  const removed = [];
  r.on("removeListener", (name, listener) => removed.push([name, typeof listener]));
  r.removeAllListeners("z");
  print(removed);
  class Sub extends EventEmitter { constructor() { super(); this.own = 1; } }
  print(new Sub().on("q", () => {}).emit("q"), new Sub() instanceof EventEmitter, Object.keys(new Sub()));
}
