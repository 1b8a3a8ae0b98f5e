// Node's EventEmitter. It is a function and no class, so that old code can call it on objects of its own.

import {
  abortError,
  checkFunction,
  checkNumber,
  checkSignal,
  coded,
  invalidArgType,
} from "toolsmith:node_parts/arguments";
import { asListener, builtin, currentFrame, logger } from "toolsmith:kernel";

const kCapture = Symbol("kCapture");
const kFrame = Symbol("kFrame");
export const errorMonitor = Symbol("events.errorMonitor");
export const captureRejectionSymbol = Symbol.for("nodejs.rejection");
let defaultMax = 10;
let captureByDefault = false;

export function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}

EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;
EventEmitter.prototype[kCapture] = false;

EventEmitter.init = function (options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = Object.create(null);
    this._eventsCount = 0;
  }
  this._maxListeners ??= undefined;
  if (this[kFrame] === undefined) Object.defineProperty(this, kFrame, { value: currentFrame(), configurable: true });
  const capture = options?.captureRejections;
  if (capture !== undefined) {
    if (typeof capture !== "boolean") throw invalidArgType("options.captureRejections", "boolean", capture);
    this[kCapture] = capture;
  } else if (captureByDefault) {
    this[kCapture] = true;
  }
};

function maxOf(emitter) {
  return emitter._maxListeners === undefined ? defaultMax : emitter._maxListeners;
}

function unhandled(thrown) {
  if (thrown instanceof Error) return thrown;
  let shown;
  try {
    shown = builtin("toolsmith:web/inspect").inspect(thrown);
  } catch {
    shown = thrown;
  }
  return coded(Error, "ERR_UNHANDLED_ERROR", `Unhandled error. (${shown})`, { context: thrown });
}

function watchRejection(emitter, promise, name, args) {
  if (!emitter[kCapture] || typeof promise?.then !== "function") return;
  promise.then(undefined, (error) =>
    builtin("toolsmith:node/process").default.nextTick(() => {
      if (typeof emitter[captureRejectionSymbol] === "function") {
        emitter[captureRejectionSymbol](error, name, ...args);
        return;
      }
      const before = emitter[kCapture];
      // Or an error handler that rejects would be called for ever.
      emitter[kCapture] = false;
      try {
        emitter.emit("error", error);
      } finally {
        emitter[kCapture] = before;
      }
    }),
  );
}

const proto = EventEmitter.prototype;

proto.setMaxListeners = function setMaxListeners(count) {
  checkNumber(count, "setMaxListeners", 0);
  this._maxListeners = count;
  return this;
};

proto.getMaxListeners = function getMaxListeners() {
  return maxOf(this);
};

proto.emit = function emit(name, ...args) {
  const events = this._events;
  if (name === "error") {
    if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
    if (events?.error === undefined) throw unhandled(args[0]);
  }
  const handler = events?.[name];
  if (handler === undefined) return false;
  if (typeof handler === "function") {
    watchRejection(this, handler.apply(this, args), name, args);
    return true;
  }
  for (const listener of handler.slice()) watchRejection(this, listener.apply(this, args), name, args);
  return true;
};

/** A listener that another call adds than the one that made the emitter: it belongs to the call that adds it. */
function ofFrame(emitter, listener) {
  const frame = currentFrame();
  if (frame === emitter[kFrame] || listener[kFrame] !== undefined) return listener;
  const wrapped = function (...args) {
    return asListener(frame, listener, this, args);
  };
  return Object.assign(wrapped, { listener, [kFrame]: frame });
}

function add(emitter, name, given, first) {
  checkFunction(given, "listener");
  const listener = ofFrame(emitter, given);
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = Object.create(null);
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    emitter.emit("newListener", name, given.listener ?? given);
    events = emitter._events;
  }
  const existing = events[name];
  if (existing === undefined) {
    events[name] = listener;
    emitter._eventsCount += 1;
    return emitter;
  }
  const list = typeof existing === "function" ? (events[name] = [existing]) : existing;
  if (first) list.unshift(listener);
  else list.push(listener);
  const max = maxOf(emitter);
  if (max > 0 && list.length > max && !list.warned) {
    list.warned = true;
    const kind = emitter.constructor?.name ?? "EventEmitter";
    logger.warn(
      `MaxListenersExceededWarning: Possible EventEmitter memory leak detected. ${list.length} ${String(name)} ` +
        `listeners added to [${kind}]. Use emitter.setMaxListeners() to increase limit`,
    );
  }
  return emitter;
}

proto.addListener = function addListener(name, listener) {
  return add(this, name, listener, false);
};
proto.on = proto.addListener;
proto.prependListener = function prependListener(name, listener) {
  return add(this, name, listener, true);
};

function onceWrap(emitter, name, listener) {
  checkFunction(listener, "listener");
  let fired = false;
  const run = ofFrame(emitter, listener);
  const wrapped = (...args) => {
    if (fired) return undefined;
    emitter.removeListener(name, wrapped);
    fired = true;
    return run.apply(emitter, args);
  };
  return Object.assign(wrapped, { listener, [kFrame]: run[kFrame] });
}

proto.once = function once(name, listener) {
  return this.on(name, onceWrap(this, name, listener));
};
proto.prependOnceListener = function prependOnceListener(name, listener) {
  return this.prependListener(name, onceWrap(this, name, listener));
};

proto.removeListener = function removeListener(name, listener) {
  checkFunction(listener, "listener");
  const events = this._events;
  const list = events?.[name];
  if (list === undefined) return this;
  let removed;
  if (typeof list === "function") {
    if (list !== listener && list.listener !== listener) return this;
    removed = list;
    this._eventsCount -= 1;
    delete events[name];
  } else {
    const at = list.findLastIndex((known) => known === listener || known.listener === listener);
    if (at < 0) return this;
    [removed] = list.splice(at, 1);
    if (list.length === 1) events[name] = list[0];
  }
  if (events.removeListener !== undefined) this.emit("removeListener", name, removed.listener ?? listener);
  return this;
};
proto.off = proto.removeListener;

proto.removeAllListeners = function removeAllListeners(name) {
  const events = this._events;
  if (events === undefined) return this;
  if (events.removeListener === undefined) {
    if (arguments.length === 0) {
      this._events = Object.create(null);
      this._eventsCount = 0;
    } else if (events[name] !== undefined) {
      this._eventsCount -= 1;
      delete events[name];
    }
    return this;
  }
  if (arguments.length === 0) {
    for (const key of Reflect.ownKeys(events)) if (key !== "removeListener") this.removeAllListeners(key);
    this.removeAllListeners("removeListener");
    this._events = Object.create(null);
    this._eventsCount = 0;
    return this;
  }
  const list = events[name];
  if (typeof list === "function") this.removeListener(name, list);
  else if (list !== undefined) for (const listener of list.slice().reverse()) this.removeListener(name, listener);
  return this;
};

function listOf(emitter, name, unwrap) {
  const list = emitter._events?.[name];
  if (list === undefined) return [];
  const all = typeof list === "function" ? [list] : list.slice();
  return unwrap ? all.map((listener) => listener.listener ?? listener) : all;
}

proto.listeners = function listeners(name) {
  return listOf(this, name, true);
};
proto.rawListeners = function rawListeners(name) {
  return listOf(this, name, false);
};
proto.listenerCount = function listenerCount(name, listener) {
  const list = listOf(this, name, false);
  return listener == null
    ? list.length
    : list.filter((known) => known === listener || known.listener === listener).length;
};
proto.eventNames = function eventNames() {
  return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
};

for (const name of Object.keys(proto)) {
  if (typeof proto[name] === "function") Object.defineProperty(proto, name, { enumerable: true });
}

/** Adds a listener to whatever has events, and gives what takes it off. */
function listen(target, name, listener, once) {
  if (typeof target?.on === "function") {
    if (once) target.once(name, listener);
    else target.on(name, listener);
    return () => target.removeListener(name, listener);
  }
  if (typeof target?.addEventListener === "function") {
    target.addEventListener(name, listener, { once });
    return () => target.removeEventListener(name, listener);
  }
  throw invalidArgType("emitter", "EventEmitter", target);
}

/** Waits for an event; rejects with what `error` says. */
export async function once(emitter, name, options = {}) {
  const signal = options?.signal;
  checkSignal(signal);
  if (signal?.aborted) throw abortError(signal);
  return new Promise((resolve, reject) => {
    const releases = [];
    const finish = (settle, value) => {
      for (const release of releases) release();
      settle(value);
    };
    releases.push(listen(emitter, name, (...args) => finish(resolve, args), true));
    if (name !== "error" && typeof emitter.once === "function")
      releases.push(listen(emitter, "error", (error) => finish(reject, error), true));
    if (signal) releases.push(listen(signal, "abort", () => finish(reject, abortError(signal)), true));
  });
}

/** The events as they come, to be read in a loop. */
export function on(emitter, name, options = {}) {
  const signal = options?.signal;
  checkSignal(signal);
  if (signal?.aborted) throw abortError(signal);
  const ready = [];
  const waiting = [];
  const releases = [];
  let failure;
  let finished = false;
  const close = () => {
    for (const release of releases.splice(0)) release();
    finished = true;
    for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  };
  const fail = (error) => {
    if (waiting.length > 0) waiting.shift().reject(error);
    else failure = error;
    close();
  };
  const hear = (...args) => {
    if (waiting.length > 0) waiting.shift().resolve({ value: args, done: false });
    else ready.push(args);
  };
  releases.push(listen(emitter, name, hear, false));
  if (name !== "error" && typeof emitter.on === "function") releases.push(listen(emitter, "error", fail, false));
  for (const ending of options?.close ?? []) releases.push(listen(emitter, ending, close, false));
  if (signal) releases.push(listen(signal, "abort", () => fail(abortError(signal)), true));
  return {
    next() {
      if (ready.length > 0) return Promise.resolve({ value: ready.shift(), done: false });
      if (failure !== undefined) {
        const error = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (finished) return close();
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return: close,
    throw(error) {
      if (!(error instanceof Error)) throw invalidArgType("EventEmitter.AsyncIterator", "Error", error);
      fail(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

export const listenerCount = (emitter, name) => emitter.listenerCount(name);

export function getEventListeners(target, name) {
  if (typeof target?.listeners === "function") return target.listeners(name);
  if (target instanceof EventTarget) return target[Symbol.for("toolsmith.listeners")]?.(name) ?? [];
  throw invalidArgType("emitter", ["EventEmitter", "EventTarget"], target);
}

export function getMaxListeners(target) {
  if (typeof target?.getMaxListeners === "function") return target.getMaxListeners();
  if (target instanceof EventTarget) return defaultMax;
  throw invalidArgType("emitter", ["EventEmitter", "EventTarget"], target);
}

export function setMaxListeners(count = defaultMax, ...targets) {
  checkNumber(count, "setMaxListeners", 0);
  if (targets.length === 0) defaultMax = count;
  for (const target of targets) {
    if (typeof target?.setMaxListeners === "function") target.setMaxListeners(count);
    else if (!(target instanceof EventTarget))
      throw invalidArgType("eventTargets", ["EventEmitter", "EventTarget"], target);
  }
}

/** Calls a listener once when a signal is aborted, or now if it is already. */
export function addAbortListener(signal, listener) {
  if (signal === undefined) throw invalidArgType("signal", "AbortSignal", signal);
  checkSignal(signal, "signal");
  checkFunction(listener, "listener");
  let release = () => {};
  if (signal.aborted) queueMicrotask(() => listener());
  else release = listen(signal, "abort", listener, true);
  return { [Symbol.dispose ?? Symbol.for("Symbol.dispose")]: () => release() };
}

/** An emitter that runs its listeners where it was made. */
export class EventEmitterAsyncResource extends EventEmitter {
  constructor(options) {
    super(typeof options === "object" ? options : undefined);
    const { AsyncResource } = builtin("toolsmith:node/async_hooks");
    const name = typeof options === "string" ? options : (options?.name ?? new.target.name);
    Object.defineProperty(this, "asyncResource", { value: new AsyncResource(name) });
  }
  emit(name, ...args) {
    return this.asyncResource.runInAsyncScope(super.emit, this, name, ...args);
  }
  emitDestroy() {
    this.asyncResource.emitDestroy();
  }
  get asyncId() {
    return this.asyncResource.asyncId();
  }
  get triggerAsyncId() {
    return this.asyncResource.triggerAsyncId();
  }
}

Object.assign(EventEmitter, {
  EventEmitter,
  EventEmitterAsyncResource,
  errorMonitor,
  captureRejectionSymbol,
  once,
  on,
  listenerCount,
  getEventListeners,
  getMaxListeners,
  setMaxListeners,
  addAbortListener,
  usingDomains: false,
});
Object.defineProperties(EventEmitter, {
  defaultMaxListeners: {
    enumerable: true,
    get: () => defaultMax,
    set(count) {
      checkNumber(count, "defaultMaxListeners", 0);
      defaultMax = count;
    },
  },
  captureRejections: {
    enumerable: true,
    get: () => captureByDefault,
    set(value) {
      if (typeof value !== "boolean") throw invalidArgType("EventEmitter.captureRejections", "boolean", value);
      captureByDefault = value;
    },
  },
});

export const usingDomains = false;
export const defaultMaxListeners = 10;
export const captureRejections = false;
export default EventEmitter;
