// In place of the kernel's own: the runtime's AsyncLocalStorage says which call code belongs to (CONTRACT 4.10).

import { AsyncLocalStorage } from "node:async_hooks";

const NONE = Object.freeze({ call: 0 });
const storage = new AsyncLocalStorage();

/** The frame of the code that runs now. */
export const currentFrame = () => storage.getStore() ?? NONE;

/** The frame of a call that begins, or of code that belongs to none. */
export const newFrame = (call) => (call === undefined ? NONE : { call });

/** Runs a function in a frame. */
export const within = (frame, run, self, args) => storage.run(frame, () => Reflect.apply(run, self, args));

/** A function that runs in the frame of now, whoever calls it. */
export const bound = (run, frame = currentFrame()) =>
  typeof run !== "function"
    ? run
    : function (...args) {
        return within(frame, run, this, args);
      };
