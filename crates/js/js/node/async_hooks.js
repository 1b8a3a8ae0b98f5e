// Node's `async_hooks`: values that follow a tool's promises, timers and callbacks.
//
// The engine tells when a promise is made and when it is fulfilled, but not when an `await` goes on. What goes on is one
// of the promise's reactions, and those run in the order they were added. So just before an `await` adds its own, another
// is added that puts the context back; the engine looks at the promise's `constructor` at that moment.

import { host } from "toolsmith:kernel";
import { checkFunction, checkString } from "toolsmith:node_parts/arguments";
import { process } from "toolsmith:node/process";

/** The stores and their values where the code that runs now belongs to; undefined for none. */
let current;
let tracking = false;

const originalThen = Promise.prototype.then;

function within(context, run, self, args) {
  const before = current;
  current = context;
  try {
    return Reflect.apply(run, self, args);
  } finally {
    current = before;
  }
}

const bound = (run, context = current) =>
  typeof run !== "function"
    ? run
    : function (...args) {
        return within(context, run, this, args);
      };

/** Puts the context back before the reaction that is added to a promise next. */
let adding = false;
function restoreBefore(promise, context) {
  if (adding) return;
  adding = true;
  try {
    const restore = () => {
      current = context;
    };
    Reflect.apply(originalThen, promise, [restore, restore]);
  } finally {
    adding = false;
  }
}

/** Starts to follow; before the first store is made there is nothing to follow. */
function track() {
  if (tracking) return;
  tracking = true;
  const made = new WeakMap();
  host.followPromises((what, promise) => {
    if (adding) return;
    if (what === "made") {
      made.set(promise, current);
    } else if (made.has(promise)) {
      const context = made.get(promise);
      made.delete(promise);
      restoreBefore(promise, context);
    }
  });
  Object.defineProperty(Promise.prototype, "then", {
    value: Object.defineProperty(function (fulfilled, rejected) {
      return Reflect.apply(originalThen, this, adding ? [fulfilled, rejected] : [bound(fulfilled), bound(rejected)]);
    }, "name", { value: "then" }),
    writable: true,
    configurable: true,
  });
  Object.defineProperty(Promise.prototype, "constructor", {
    configurable: true,
    get() {
      if (!adding && this instanceof Promise && host.isPromise(this)) restoreBefore(this, current);
      return Promise;
    },
    set(value) {
      Object.defineProperty(this, "constructor", { value, writable: true, configurable: true });
    },
  });
  for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]) {
    const original = globalThis[name];
    const followed = Object.defineProperties((run, ...rest) => original(bound(run), ...rest), Object.getOwnPropertyDescriptors(original));
    Object.defineProperty(globalThis, name, { value: followed, writable: true, configurable: true });
  }
  const { nextTick } = process;
  process.nextTick = (run, ...args) => {
    checkFunction(run, "callback");
    nextTick.call(process, bound(run), ...args);
  };
}

/** Called by the Rust side when everything that waited has run: what comes next belongs to nothing yet. */
export function forget() {
  current = undefined;
}

export class AsyncLocalStorage {
  #enabled = true;
  #default;
  constructor(options) {
    this.#default = options?.defaultValue;
    this.name = options?.name === undefined ? "" : String(options.name);
    track();
  }
  static bind(run) {
    checkFunction(run, "fn");
    return AsyncResource.bind(run);
  }
  static snapshot() {
    const context = current;
    return (run, ...args) => within(context, run, undefined, args);
  }
  getStore() {
    return this.#enabled && current?.has(this) ? current.get(this) : this.#default;
  }
  run(store, run, ...args) {
    this.#enabled = true;
    return within(new Map(current).set(this, store), run, undefined, args);
  }
  exit(run, ...args) {
    const context = new Map(current);
    context.delete(this);
    return within(context, run, undefined, args);
  }
  enterWith(store) {
    this.#enabled = true;
    current = new Map(current).set(this, store);
  }
  disable() {
    this.#enabled = false;
  }
}

let lastId = 1;

export class AsyncResource {
  #id = ++lastId;
  #context = current;
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
    return within(this.#context, run, self, args);
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
  for (const [name, run] of Object.entries({ init, before, after, destroy, promiseResolve })) if (run !== undefined) checkFunction(run, `hook.${name}`);
  return hook;
}
export const executionAsyncId = () => 1;
export const triggerAsyncId = () => 0;
export const executionAsyncResource = () => ({});
export const asyncWrapProviders = Object.freeze({ NONE: 0 });
export default { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId, executionAsyncResource, asyncWrapProviders };
