// Staged actions: the callbacks stay here, the Rust side keeps the label and asks for them by number (CONTRACT 8.1).

import { host } from "./host.js";

const actions = new Map();
let last = 0;

/** `pi.pushPendingAction`. */
export function stagePending(action) {
  if (typeof action !== "object" || action === null) throw new TypeError("pushPendingAction needs an object with label and apply");
  const { label, apply, reject, details, sourceToolName } = action;
  if (typeof label !== "string" || label === "") throw new TypeError("A pending action needs a non-empty string label");
  if (typeof apply !== "function") throw new TypeError(`Pending action "${label}" needs a function apply`);
  if (reject !== undefined && reject !== null && typeof reject !== "function") {
    throw new TypeError(`Pending action "${label}": reject must be a function`);
  }
  const number = ++last;
  actions.set(number, action);
  try {
    host.pushPending(number, JSON.stringify({ label, details, sourceToolName, files: action.files }));
  } catch (error) {
    actions.delete(number);
    throw error;
  }
}

/** Takes an action's callback; each action is used once. */
export function takePending(number, what) {
  const action = actions.get(number);
  actions.delete(number);
  if (action === undefined) throw new Error("This action has been used already");
  return what === "apply" || typeof action[what] === "function" ? (reason) => action[what](reason) : undefined;
}

/** Called by the Rust side when an action was dropped without being used. */
export const forgetPending = (number) => void actions.delete(number);
