// Events, abort signals and DOM exceptions: what every call needs, as the web defines them.

import { asListener, currentFrame } from "./frames.js";
import { setTimeout } from "./timers.js";

const CODES = {
  IndexSizeError: 1,
  NotFoundError: 8,
  NotSupportedError: 9,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidAccessError: 15,
  TimeoutError: 23,
  AbortError: 20,
  NetworkError: 19,
  DataCloneError: 25,
  QuotaExceededError: 22,
};

export class DOMException extends Error {
  #name;
  constructor(message = "", options = "Error") {
    super(message);
    this.#name = typeof options === "string" ? options : (options?.name ?? "Error");
    if (typeof options === "object" && options !== null && "cause" in options) this.cause = options.cause;
  }
  get name() {
    return this.#name;
  }
  get code() {
    return CODES[this.#name] ?? 0;
  }
}

const stopped = Symbol("stopped");
const target = Symbol("target");
const trusted = Symbol("trusted");

export class Event {
  constructor(type, init = {}) {
    if (arguments.length === 0) throw new TypeError("Event needs a type");
    this.type = String(type);
    this.bubbles = Boolean(init?.bubbles);
    this.cancelable = Boolean(init?.cancelable);
    this.composed = Boolean(init?.composed);
    this.defaultPrevented = false;
    this.timeStamp = Date.now();
    this.eventPhase = 0;
    this[target] = null;
    this[stopped] = false;
    this[trusted] = false;
  }
  get target() {
    return this[target];
  }
  get currentTarget() {
    return this[target];
  }
  get srcElement() {
    return this[target];
  }
  get isTrusted() {
    return this[trusted];
  }
  preventDefault() {
    if (this.cancelable) this.defaultPrevented = true;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this[stopped] = true;
  }
  composedPath() {
    return this[target] ? [this[target]] : [];
  }
}

export class CustomEvent extends Event {
  constructor(type, init = {}) {
    super(type, init);
    this.detail = init?.detail ?? null;
  }
}

export class EventTarget {
  // Made when there is something to listen to; most signals are never listened to.
  #listeners;

  addEventListener(type, listener, options) {
    if (listener == null) return;
    this.#listeners ??= new Map();
    const { once = false, signal } = typeof options === "object" && options !== null ? options : {};
    if (signal?.aborted) return;
    const list = this.#listeners.get(type) ?? [];
    if (list.some((entry) => entry.listener === listener)) return;
    list.push({ listener, once, frame: currentFrame() });
    this.#listeners.set(type, list);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
  }

  removeEventListener(type, listener) {
    const list = this.#listeners?.get(type);
    if (list === undefined) return;
    this.#listeners.set(
      type,
      list.filter((entry) => entry.listener !== listener),
    );
  }

  /** For `getEventListeners` of Node's events. */
  [Symbol.for("toolsmith.listeners")](type) {
    return (this.#listeners?.get(type) ?? []).map((entry) => entry.listener);
  }

  dispatchEvent(event) {
    event[target] = this;
    const handler = this[`on${event.type}`];
    const list = [...(this.#listeners?.get(event.type) ?? [])];
    if (typeof handler === "function") list.unshift({ listener: handler, once: false, frame: currentFrame() });
    for (const { listener, once, frame } of list) {
      if (event[stopped]) break;
      if (once) this.removeEventListener(event.type, listener);
      try {
        if (typeof listener === "function") asListener(frame, listener, this, [event]);
        else if (typeof listener.handleEvent === "function") asListener(frame, listener.handleEvent, listener, [event]);
      } catch (error) {
        // As on the web: one listener's error does not keep the others from hearing.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    return !event.defaultPrevented;
  }
}

const permit = Symbol("permit");
let makeSignal;
let tripSignal;

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason = undefined;
  onabort = null;

  constructor(given) {
    super();
    if (given !== permit) throw new TypeError("Illegal constructor");
  }

  static {
    makeSignal = () => new AbortSignal(permit);
    tripSignal = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
      const event = new Event("abort");
      event[trusted] = true;
      signal.dispatchEvent(event);
    };
  }

  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  static abort(reason) {
    const signal = makeSignal();
    tripSignal(signal, reason);
    return signal;
  }

  static timeout(milliseconds) {
    const signal = makeSignal();
    const expire = () =>
      tripSignal(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    setTimeout(expire, milliseconds).unref();
    return signal;
  }

  static any(signals) {
    const combined = makeSignal();
    const list = [...signals];
    const already = list.find((signal) => signal.aborted);
    if (already) tripSignal(combined, already.reason);
    else
      for (const signal of list)
        signal.addEventListener("abort", () => tripSignal(combined, signal.reason), { once: true });
    return combined;
  }
}

export class AbortController {
  #signal = makeSignal();
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    tripSignal(this.#signal, reason);
  }
}
