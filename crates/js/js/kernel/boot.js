// The kernel: what every tool's runtime starts with, and what the Rust side calls.

export { describe, describeJson } from "./errors.js";
export { asListener, bound, currentFrame, frameWith, enterFrame, within } from "./frames.js";
export { builtin, host } from "./host.js";
export { operation, settle, toError } from "./operations.js";
export {
  abortCall,
  askApproval,
  readState,
  resolvePending,
  startCall,
  startExtension,
  startLoad,
  taskUpdate,
  tellSession,
} from "./calls.js";
export { forgetPending } from "./pending.js";
export { events, exec, hear, logger } from "./pi.js";
export { render, renderExtension } from "./render.js";
export { addTool, BUILT_IN } from "./tools.js";
export { clearTimeout, fireTimer, setImmediate, setInterval, setTimeout } from "./timers.js";
export { makeContext } from "./context.js";

import { installGlobals } from "./globals.js";
import { builtin } from "./host.js";
import { installRecording } from "./recording.js";

installRecording();
installGlobals();

/** Draws a component a tool shows, or hands it keys. */
export const view = (number, what, payload) => builtin("toolsmith:adapters/components").view(number, what, payload);
