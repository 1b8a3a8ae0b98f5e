// Timers under Node's name for them.

import { builtin } from "toolsmith:kernel";

// Asked for when they are called: something may have replaced the global ones.
export const setTimeout = (...args) => globalThis.setTimeout(...args);
export const setInterval = (...args) => globalThis.setInterval(...args);
export const setImmediate = (...args) => globalThis.setImmediate(...args);
export const clearTimeout = (timer) => globalThis.clearTimeout(timer);
export const clearInterval = (timer) => globalThis.clearInterval(timer);
export const clearImmediate = (timer) => globalThis.clearImmediate(timer);

const custom = Symbol.for("nodejs.util.promisify.custom");
for (const [run, name] of [[setTimeout, "setTimeout"], [setImmediate, "setImmediate"], [globalThis.setTimeout, "setTimeout"], [globalThis.setImmediate, "setImmediate"]]) {
  Object.defineProperty(run, custom, { configurable: true, get: () => builtin("toolsmith:node/timers_promises")[name] });
}

export const promises = {
  setTimeout: (...args) => builtin("toolsmith:node/timers_promises").setTimeout(...args),
  setImmediate: (...args) => builtin("toolsmith:node/timers_promises").setImmediate(...args),
  setInterval: (...args) => builtin("toolsmith:node/timers_promises").setInterval(...args),
  get scheduler() {
    return builtin("toolsmith:node/timers_promises").scheduler;
  },
};
export default { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises };
