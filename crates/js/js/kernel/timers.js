// Timers as Node has them: objects that can be released, and numbers where a number is asked for.

import { describeJson } from "./errors.js";
import { currentFrame, within } from "./frames.js";
import { host } from "./host.js";

const running = new Map();
let last = 0;

export class Timeout {
  #number;
  #callback;
  #args;
  #delay;
  #repeat;
  #frame = currentFrame();

  constructor(callback, delay, args, repeat) {
    if (typeof callback !== "function") {
      throw Object.assign(new TypeError('The "callback" argument must be of type function.'), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    }
    this.#number = ++last;
    this.#callback = callback;
    this.#args = args;
    this.#delay = delay >= 1 && delay <= 2147483647 ? Math.trunc(delay) : 1;
    this.#repeat = repeat;
    this.#start();
  }

  #start() {
    running.set(this.#number, this);
    host.startTimer(this.#number, this.#delay);
  }

  static fire(timer) {
    if (timer.#repeat) host.startTimer(timer.#number, timer.#delay);
    else running.delete(timer.#number);
    try {
      within(timer.#frame, timer.#callback, timer, timer.#args);
    } catch (error) {
      within(timer.#frame, host.unhandled, undefined, ["A timer's callback failed", describeJson(error)]);
    }
  }
  static number(timer) {
    return timer instanceof Timeout ? timer.#number : Number(timer);
  }

  // A tool's runtime lives as long as the session, so holding it open or not makes no difference.
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  refresh() {
    if (running.has(this.#number)) host.startTimer(this.#number, this.#delay);
    return this;
  }
  close() {
    clearTimeout(this);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.#number;
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    clearTimeout(this);
  }
}

export const setTimeout = (callback, delay, ...args) => new Timeout(callback, delay, args, false);
export const setInterval = (callback, delay, ...args) => new Timeout(callback, delay, args, true);
export const setImmediate = (callback, ...args) => new Timeout(callback, 0, args, false);

export function clearTimeout(timer) {
  if (timer == null) return;
  const number = Timeout.number(timer);
  if (running.delete(number)) host.stopTimer(number);
}

/** Called by the Rust side when a timer is due. */
export function fireTimer(number) {
  const timer = running.get(number);
  if (timer !== undefined) Timeout.fire(timer);
}
