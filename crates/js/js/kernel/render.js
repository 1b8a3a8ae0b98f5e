// Renderers: a tool's own drawing of its call and result, as lines of a given width (CONTRACT 6).
//
// Two families of agents pass the arguments in different orders. A renderer says which it expects by the names of its
// parameters; otherwise the way the tool was made decides.

import { describeJson } from "./errors.js";
import { builtin, host } from "./host.js";
import { toolAt } from "./tools.js";

/** Rows keep their state while they can still be drawn again; the oldest are forgotten. */
const MAX_ROWS = 256;
const rows = new Map();

/** The state that the renderers of one call share. */
function rowOf(number, id) {
  const key = `${number} ${id ?? ""}`;
  let row = id === undefined ? undefined : rows.get(key);
  if (row === undefined) row = { state: {}, options: {}, last: {} };
  if (id !== undefined) {
    rows.delete(key);
    rows.set(key, row);
    if (rows.size > MAX_ROWS) rows.delete(rows.keys().next().value);
  }
  return row;
}

const PARAMETERS = /^[^(]*\(([^)]*)\)/;
const orders = new WeakMap();

/** The names of a function's parameters, where they can be read. */
function parametersOf(hook) {
  let names = orders.get(hook);
  if (names === undefined) {
    const text = Function.prototype.toString.call(hook).slice(0, 400);
    names = (PARAMETERS.exec(text)?.[1] ?? "").split(",").map((name) => name.trim());
    orders.set(hook, names);
  }
  return names;
}

const isTheme = (name) => /^_*theme\b/i.test(name ?? "");
const isContext = (name) => /^_*(ctx|context)/i.test(name ?? "");
const isArgs = (name) => /^_*(args|params|input|toolargs)/i.test(name ?? "");

/** What pi passes as the last argument. */
function contextOf(row, slot, { args, options, result, row: known }) {
  return {
    ...options,
    ...known,
    durationMs: known.durationMs ?? undefined,
    toolCallId: known.toolCallId ?? "",
    args,
    state: row.state,
    lastComponent: row.last[slot],
    cwd: host.cwd(),
    isError: result?.isError === true,
    outputPad: 1,
    invalidate: () =>
      void (known.toolCallId !== null && host.uiCall(0, "callChanged", JSON.stringify(known.toolCallId))),
    keyText: (id) => builtin("toolsmith:compat/keys").keyText(id),
    keyHint: (id, text) => builtin("toolsmith:compat/coding_agent").keyHint(id, text),
  };
}

/** The theme with the context's members, for renderers that read either from the same place. */
function themeWith(theme, context) {
  const both = Object.create(theme);
  for (const [name, value] of Object.entries(context)) if (!(name in theme)) both[name] = value;
  // Private members belong to the theme itself.
  for (const name of ["fg", "bg", "style", "getFgAnsi", "getBgAnsi", "getColorMode"])
    both[name] = theme[name].bind(theme);
  for (const name of ["name", "isLight", "appearance", "colors"])
    Object.defineProperty(both, name, { get: () => theme[name], enumerable: true });
  return both;
}

function callHook(object, isPi, row, payload) {
  const { args, options } = payload;
  const { theme } = builtin("toolsmith:compat/theme");
  const context = contextOf(row, "call", payload);
  const hook = object.renderCall;
  const names = parametersOf(hook);
  const asPi = isTheme(names[1]) || (!isTheme(names[2]) && isPi);
  // Two parameters are the older order, which had no options.
  if (hook.length === 2 || asPi) return object.renderCall(args, theme, { ...context, theme });
  return object.renderCall(args, options, themeWith(theme, context));
}

function resultHook(object, isPi, row, payload) {
  const { args, options, result } = payload;
  const { theme } = builtin("toolsmith:compat/theme");
  const context = contextOf(row, "result", payload);
  const names = parametersOf(object.renderResult);
  const takesContext = isContext(names[3]) || (!isArgs(names[3]) && isPi);
  return object.renderResult(result, options, themeWith(theme, context), takesContext ? context : args);
}

function draw(component, width) {
  if (component === undefined || component === null) return [];
  if (typeof component === "string") return component.split("\n");
  if (typeof component.render !== "function")
    throw new TypeError("the renderer did not return a component: render(width) is missing");
  const lines = component.render(width);
  if (!Array.isArray(lines)) throw new TypeError("render(width) did not return an array of lines");
  return lines.flatMap((line) => String(line).split("\n"));
}

const asLines = (component, width) =>
  JSON.stringify(draw(component, width).map((line) => host.cutToWidth(line, width, "")));

/** Draws a message or an entry with the renderer an extension registered for its type. */
export function renderExtension(number, kind, width, payloadJson) {
  try {
    const { customType, value, options } = JSON.parse(payloadJson);
    const { theme } = builtin("toolsmith:compat/theme");
    const component = builtin("toolsmith:adapters/extension_events").component(
      number,
      kind,
      customType,
      value,
      options,
      theme,
    );
    if (component === undefined || component === null) return ["json", "null"];
    return ["lines", asLines(component, width)];
  } catch (error) {
    return ["thrown", describeJson(error)];
  }
}

/** Draws one hook; the outcome goes to the Rust side as JSON lines or as what was thrown. */
export function render(number, what, width, payloadJson) {
  try {
    const { object, invoke } = toolAt(number);
    const payload = JSON.parse(payloadJson);
    builtin("toolsmith:compat/theme").refresh();
    const row = rowOf(number, payload.row.toolCallId ?? undefined);
    // One object for all renderers of a row, so that a closure sees later values.
    for (const name of Object.keys(row.options)) delete row.options[name];
    payload.options = Object.assign(row.options, payload.options);
    const isPi = invoke !== undefined;
    const component = what === "result" ? resultHook(object, isPi, row, payload) : callHook(object, isPi, row, payload);
    row.last[what] = component ?? undefined;
    const lines = draw(component, width).map((line) => host.cutToWidth(line, width, ""));
    return ["lines", JSON.stringify({ lines, isFramed: component?.framed === true || component?.isFramed === true })];
  } catch (error) {
    return ["thrown", describeJson(error)];
  }
}
