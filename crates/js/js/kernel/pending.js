// Staged actions: the callbacks stay here, the Rust side keeps the label and asks for them by number (CONTRACT 8.1).

import { host } from "./host.js";

const actions = new Map();
let last = 0;

/** One of an action's files as the Rust side reads it: `content` is text, bytes, or null to delete the file. */
function stagedFile(label, file, index) {
  const fail = (message) => {
    throw new TypeError(`Pending action "${label}": files[${index}] ${message}`);
  };
  if (typeof file !== "object" || file === null) fail("must be an object with path and content");
  const { path, content, baseHash } = file;
  if (typeof path !== "string" || path === "") fail("needs a non-empty string path");
  if (baseHash !== undefined && baseHash !== null && typeof baseHash !== "string")
    fail("has a baseHash that is not a string");
  // Left out, the file is taken as it is now; null says that there must be none.
  const base = baseHash === null ? "absent" : (baseHash ?? "now");
  if (content === null) return { path, base };
  if (typeof content === "string") return { path, base, text: content.toWellFormed() };
  if (content instanceof Uint8Array) return { path, base, bytes: host.base64Encode(content, false) };
  return fail("needs content: a string, a Uint8Array, or null to delete the file");
}

/** `pi.pushPendingAction`. */
export function stagePending(action) {
  if (typeof action !== "object" || action === null)
    throw new TypeError("pushPendingAction needs an object with label and apply");
  const { label, apply, reject, details, sourceToolName } = action;
  if (typeof label !== "string" || label === "") throw new TypeError("A pending action needs a non-empty string label");
  const hasFiles = action.files !== undefined && action.files !== null;
  if (hasFiles && !Array.isArray(action.files))
    throw new TypeError(`Pending action "${label}": files must be an array`);
  // Files alone are an action too: the host writes them.
  const hasApply = typeof apply === "function";
  if (!hasApply && !(hasFiles && (apply === undefined || apply === null))) {
    throw new TypeError(`Pending action "${label}" needs a function apply, or files`);
  }
  if (reject !== undefined && reject !== null && typeof reject !== "function") {
    throw new TypeError(`Pending action "${label}": reject must be a function`);
  }
  const files = hasFiles ? action.files.map((file, index) => stagedFile(label, file, index)) : undefined;
  const number = ++last;
  // The callbacks are taken now: what was approved is what was staged, whatever the tool assigns to the object later.
  actions.set(number, { action, apply, reject });
  try {
    host.pushPending(number, JSON.stringify({ label, details, sourceToolName, files, hasApply }));
  } catch (error) {
    actions.delete(number);
    throw error;
  }
}

/** Takes an action's callback; each action is used once. */
export function takePending(number, what) {
  const staged = actions.get(number);
  actions.delete(number);
  if (staged === undefined) throw new Error("This action has already been used");
  const callback = what === "apply" ? staged.apply : staged.reject;
  return typeof callback === "function" ? (reason) => callback.call(staged.action, reason) : undefined;
}

/** Called by the Rust side when an action was dropped without being used. */
export const forgetPending = (number) => void actions.delete(number);
