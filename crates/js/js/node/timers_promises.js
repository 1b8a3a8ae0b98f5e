// Timers as promises.

import { abortError, checkSignal, invalidArgType } from "toolsmith:node_parts/arguments";

function wait(start, stop, value, options) {
  const signal = options?.signal;
  if (options !== undefined && (typeof options !== "object" || options === null))
    return Promise.reject(invalidArgType("options", "Object", options));
  try {
    checkSignal(signal);
  } catch (error) {
    return Promise.reject(error);
  }
  if (signal?.aborted) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const abort = () => {
      stop(timer);
      reject(abortError(signal));
    };
    const timer = start(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

export const setTimeout = (delay, value, options) =>
  wait((run) => globalThis.setTimeout(run, delay), globalThis.clearTimeout, value, options);
export const setImmediate = (value, options) =>
  wait((run) => globalThis.setImmediate(run), globalThis.clearImmediate, value, options);

export async function* setInterval(delay, value, options) {
  const signal = options?.signal;
  checkSignal(signal);
  if (signal?.aborted) throw abortError(signal);
  let due = 0;
  let wake = () => {};
  const timer = globalThis.setInterval(() => {
    due++;
    wake();
  }, delay);
  const abort = () => wake();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      if (signal?.aborted) throw abortError(signal);
      if (due === 0)
        await new Promise((resolve) => {
          wake = resolve;
        });
      for (; due > 0; due--) yield value;
    }
  } finally {
    globalThis.clearInterval(timer);
    signal?.removeEventListener("abort", abort);
  }
}

export const scheduler = {
  wait: (delay, options) => setTimeout(delay, undefined, options),
  yield: () => setImmediate(),
};
export default { setTimeout, setImmediate, setInterval, scheduler };
