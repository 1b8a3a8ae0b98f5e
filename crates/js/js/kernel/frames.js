// The frame that code runs in: the call it belongs to, and the stores of AsyncLocalStorage (CONTRACT 4.10). The Rust side
// follows promises; whatever else calls a function later remembers the frame here.

import { host } from "./host.js";

/** The frame of the code that runs now. */
export const { frame: currentFrame, enterFrame, frameWith } = host;

/** Runs a function in a frame. */
export function within(frame, run, self, args) {
  const before = enterFrame(frame);
  try {
    return Reflect.apply(run, self, args);
  } finally {
    enterFrame(before);
  }
}

/** A function that runs in the frame of now, whoever calls it. */
export function bound(run, frame = currentFrame()) {
  return typeof run !== "function"
    ? run
    : function (...args) {
        return within(frame, run, this, args);
      };
}

/** Runs a listener that was registered in a frame: in its call while that runs, otherwise in the call that emits. */
export function asListener(frame, run, self, args) {
  const before = host.enterListener(frame);
  try {
    return Reflect.apply(run, self, args);
  } finally {
    enterFrame(before);
  }
}
