// Probe of node:async_hooks.

import { probe } from "./probe.mjs";
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

export default probe("node:async_hooks", "AsyncLocalStorage across await, timers and callbacks", async (pi, signal) => {
  const storage = new AsyncLocalStorage();
  const inside = async () => { await null; const first = storage.getStore(); await new Promise((resolve) => setTimeout(resolve, 1)); return [first, storage.getStore()]; };
  const [one, two] = await Promise.all([storage.run(1, inside), storage.run(2, inside)]);
  return [one, two, storage.getStore() ?? null, storage.run(3, () => storage.exit(() => storage.getStore() ?? "out")), typeof AsyncResource];
}, [[1, 1], [2, 2], null, "out", "function"]);
