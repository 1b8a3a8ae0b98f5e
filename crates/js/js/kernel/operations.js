// Work that goes on outside the engine: each operation has a number, a promise, and can be cancelled.

import { host } from "./host.js";
import { settled, whileStarting } from "./recording.js";

const waiting = new Map();
let last = 0;

/**
 * Starts an operation. `start` gets its number and hands it to the Rust side, which settles it by that number.
 * Aborting `signal` asks the Rust side to end it; the promise settles with what that gives.
 */
export function operation(start, signal) {
  const number = ++last;
  return new Promise((resolve, reject) => {
    const stop = () => host.cancelOperation(number);
    waiting.set(number, { resolve, reject, release: () => signal?.removeEventListener("abort", stop) });
    signal?.addEventListener("abort", stop);
    try {
      whileStarting(number, start);
      if (signal?.aborted) stop();
    } catch (error) {
      waiting.delete(number);
      signal?.removeEventListener("abort", stop);
      reject(error);
    }
  });
}

/** Called by the Rust side when an operation has ended. */
export function settle(number, worked, value) {
  const entry = waiting.get(number);
  if (entry === undefined) return;
  waiting.delete(number);
  entry.release();
  settled(number, worked, value);
  if (worked) entry.resolve(value);
  else entry.reject(toError(value));
}

/** Makes an error of what the Rust side says about one: `{class, message, …}` as JSON. */
export function toError(json) {
  const { class: name = "Error", message, ...rest } = JSON.parse(json);
  const Class = { TypeError, RangeError, SyntaxError, ReferenceError }[name] ?? Error;
  const error = new Class(message);
  if (error.name !== name) error.name = name;
  return Object.assign(error, rest);
}
