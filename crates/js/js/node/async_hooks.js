// Node's `async_hooks`: values that follow a tool's promises, timers and callbacks, as part of the frame code runs in.

import { currentFrame, enterFrame, frameWith, within } from "toolsmith:kernel";
import { checkFunction, checkString } from "toolsmith:node_parts/arguments";

/** A frame of the same call whose stores are changed by `change`. */
function changed(change) {
  const stores = new Map(currentFrame().stores);
  change(stores);
  return frameWith(stores);
}

export class AsyncLocalStorage {
  #enabled = true;
  #default;
  constructor(options) {
    this.#default = options?.defaultValue;
    this.name = options?.name === undefined ? "" : String(options.name);
  }
  static bind(run) {
    checkFunction(run, "fn");
    return AsyncResource.bind(run);
  }
  static snapshot() {
    const frame = currentFrame();
    return (run, ...args) => within(frame, run, undefined, args);
  }
  getStore() {
    const { stores } = currentFrame();
    return this.#enabled && stores?.has(this) ? stores.get(this) : this.#default;
  }
  run(store, run, ...args) {
    this.#enabled = true;
    return within(
      changed((stores) => stores.set(this, store)),
      run,
      undefined,
      args,
    );
  }
  exit(run, ...args) {
    return within(
      changed((stores) => stores.delete(this)),
      run,
      undefined,
      args,
    );
  }
  enterWith(store) {
    this.#enabled = true;
    enterFrame(changed((stores) => stores.set(this, store)));
  }
  disable() {
    this.#enabled = false;
  }
}

let lastId = 1;

export class AsyncResource {
  #id = ++lastId;
  #frame = currentFrame();
  constructor(type) {
    checkString(type, "type");
    this.type = type;
  }
  static bind(run, type, self) {
    checkFunction(run, "fn");
    return new AsyncResource(type ?? (run.name || "bound-anonymous-fn")).bind(run, self);
  }
  bind(run, self) {
    checkFunction(run, "fn");
    const resource = this;
    return Object.defineProperties(
      function (...args) {
        return resource.runInAsyncScope(run, self ?? this, ...args);
      },
      { length: { value: run.length, configurable: true } },
    );
  }
  runInAsyncScope(run, self, ...args) {
    return within(this.#frame, run, self, args);
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return this.#id;
  }
  triggerAsyncId() {
    return 1;
  }
}

const hook = { enable: () => hook, disable: () => hook };
/** Hooks are taken, and never called: the engine does not number what it does. */
export function createHook({ init, before, after, destroy, promiseResolve } = {}) {
  for (const [name, run] of Object.entries({ init, before, after, destroy, promiseResolve }))
    if (run !== undefined) checkFunction(run, `hook.${name}`);
  return hook;
}
export const executionAsyncId = () => 1;
export const triggerAsyncId = () => 0;
export const executionAsyncResource = () => ({});
export const asyncWrapProviders = Object.freeze({ NONE: 0 });
export default {
  AsyncLocalStorage,
  AsyncResource,
  createHook,
  executionAsyncId,
  triggerAsyncId,
  executionAsyncResource,
  asyncWrapProviders,
};
