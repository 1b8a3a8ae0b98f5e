// `ui.custom`: a component of the tool's own, shown by the front end until the tool says it is done.

import { builtin, currentFrame, describeJson, host, operation, within } from "toolsmith:kernel";

const shown = new Map();
let last = 0;

/** Shows what `factory` makes; gives what it is done with, or undefined when it was closed. */
export async function show(call, factory, signal) {
  const number = ++last;
  const frame = currentFrame();
  const closing = new AbortController();
  const { theme } = builtin("toolsmith:family/theme");
  const tui = { requestRender() {}, terminal: { columns: 80, rows: 24 }, setFocus() {}, addChild() {}, removeChild() {} };
  try {
    return await new Promise((resolve, reject) => {
      const done = (value) => resolve(value);
      const start = async () => {
        const component = await (factory.length >= 4 ? factory(tui, theme, { matches: () => false }, done) : factory(tui, theme, done));
        shown.set(number, { component, frame });
        const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
        const json = await operation((op) => host.openDialog(op, call, "custom", JSON.stringify({ view: number })), stop);
        resolve(json === undefined ? undefined : JSON.parse(json));
      };
      start().catch(reject);
    });
  } finally {
    shown.get(number)?.component?.dispose?.();
    shown.delete(number);
    closing.abort();
  }
}

/** Draws a shown component, or hands it keys. */
export function view(number, what, payloadJson) {
  try {
    const { component, frame } = shown.get(number) ?? {};
    const payload = JSON.parse(payloadJson);
    if (component === undefined || component === null) return ["lines", "[]"];
    if (what === "input") {
      if (typeof component.handleInput === "function") within(frame, component.handleInput, component, [payload.keys]);
      return ["lines", "[]"];
    }
    const lines = within(frame, component.render, component, [payload.width]);
    return ["lines", JSON.stringify(lines.map((line) => host.cutToWidth(String(line), payload.width, "")))];
  } catch (error) {
    return ["thrown", describeJson(error)];
  }
}
