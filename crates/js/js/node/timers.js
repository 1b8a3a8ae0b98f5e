// Timers under Node's name for them.

import { builtin } from "toolsmith:kernel";

export const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;

const custom = Symbol.for("nodejs.util.promisify.custom");
for (const [run, name] of [
  [setTimeout, "setTimeout"],
  [setImmediate, "setImmediate"],
]) {
  Object.defineProperty(run, custom, {
    configurable: true,
    get: () => builtin("toolsmith:node/timers_promises")[name],
  });
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
