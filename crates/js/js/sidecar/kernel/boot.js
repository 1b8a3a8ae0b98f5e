// In place of the kernel's own: the same functions, in a runtime that has its own globals.

export { describe, describeJson } from "./errors.js";
export { bound, currentFrame, newFrame, within } from "./frames.js";
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
export { makeContext } from "./context.js";

import { builtin } from "./host.js";

export const { clearTimeout, setImmediate, setInterval, setTimeout } = globalThis;

/** Draws a component a tool shows, or hands it keys. */
export const view = (number, what, payload) => builtin("toolsmith:adapters/components").view(number, what, payload);
