// Node's `inspector`, which there is none of.

import { absentAll } from "toolsmith:node_parts/absent";

export const { Session, open, waitForDebugger } = absentAll("inspector", ["Session", "open", "waitForDebugger"]);
export const close = () => {};
export const url = () => undefined;
export const console = globalThis.console;
export default { Session, open, waitForDebugger, close, url, console };
