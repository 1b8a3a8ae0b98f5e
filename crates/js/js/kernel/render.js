// Renderers: a tool's own drawing of its call and result, as lines of a given width (CONTRACT 6).

import { describeJson } from "./errors.js";
import { builtin, host } from "./host.js";
import { toolAt } from "./tools.js";

function draw(component, width) {
  if (component === undefined || component === null) return [];
  if (typeof component === "string") return component.split("\n");
  if (typeof component.render !== "function") throw new TypeError("the renderer did not return a component: render(width) is missing");
  const lines = component.render(width);
  if (!Array.isArray(lines)) throw new TypeError("render(width) did not return an array of lines");
  return lines.flatMap((line) => String(line).split("\n"));
}

const asLines = (component, width) => JSON.stringify(draw(component, width).map((line) => host.cutToWidth(line, width, "")));

/** Draws a message or an entry with the renderer an extension registered for its type. */
export function renderExtension(number, kind, width, payloadJson) {
  try {
    const { customType, value, options } = JSON.parse(payloadJson);
    const { theme } = builtin("toolsmith:family/theme");
    const component = builtin("toolsmith:pi/extension_events").component(number, kind, customType, value, options, theme);
    if (component === undefined || component === null) return ["nothing", ""];
    return ["lines", asLines(component, width)];
  } catch (error) {
    return ["thrown", describeJson(error)];
  }
}

/** Draws one hook; the outcome goes to the Rust side as JSON lines or as what was thrown. */
export function render(number, what, width, payloadJson) {
  try {
    const { object, invoke } = toolAt(number);
    const { args, result, options } = JSON.parse(payloadJson);
    const { theme } = builtin("toolsmith:family/theme");
    let component;
    if (what === "result") component = object.renderResult(result, options, theme, args);
    // Two parameters are the older order, which had no options.
    else if (invoke !== undefined && object.renderCall.length !== 2) component = object.renderCall(args, theme, { args, ...options });
    else component = object.renderCall.length === 2 ? object.renderCall(args, theme) : object.renderCall(args, options, theme);
    return ["lines", asLines(component, width)];
  } catch (error) {
    return ["thrown", describeJson(error)];
  }
}
