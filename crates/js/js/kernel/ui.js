// The person at the other end, as tools see them. Every dialog ends without an answer when its signal is aborted.

import { builtin, host } from "./host.js";
import { operation } from "./operations.js";

const asText = (value) => (value === undefined || value === null ? "" : String(value));

/** The `ui` of a call, or of the module when `call` is 0. */
export function makeUi(call, signal) {
  const dialog = async (kind, payload, options) => {
    const given = options?.signal;
    const stop = given && signal ? AbortSignal.any([given, signal]) : (given ?? signal);
    if (stop?.aborted || !host.hasUi(call)) return undefined;
    const timeout = Number.isFinite(options?.timeout) ? AbortSignal.timeout(options.timeout) : undefined;
    if (timeout) payload.timeout = options.timeout;
    const either = timeout && stop ? AbortSignal.any([timeout, stop]) : (timeout ?? stop);
    const json = await operation((number) => host.openDialog(number, call, kind, JSON.stringify(payload)), either);
    return json === undefined ? undefined : JSON.parse(json);
  };
  return {
    select: (title, options = [], more) =>
      dialog("select", { title: asText(title), options: [...options].map((option) => asText(option?.label ?? option)) }, more),
    confirm: async (title, message, more) =>
      (await dialog("confirm", { title: asText(title), message: asText(message) }, more)) === true,
    input: (title, placeholder, more) =>
      dialog("input", { title: asText(title), placeholder: placeholder === undefined ? null : asText(placeholder) }, more),
    editor: (title, prefill, more) =>
      dialog("editor", { title: asText(title), prefill: prefill === undefined ? null : asText(prefill) }, more),
    custom: (factory) => (host.hasUi(call) ? builtin("toolsmith:pi/custom_view").show(call, factory, signal) : Promise.resolve(undefined)),
    notify: (message, level = "info") => host.notify(call, asText(message), asText(level)),
    setStatus: (key, text) => host.setStatus(call, asText(key), text == null ? null : asText(text).replace(/[\r\n\t]+/g, " ")),
    setWidget: (key, lines) =>
      host.setWidget(call, asText(key), Array.isArray(lines) ? lines.map(asText) : typeof lines === "string" ? lines.split("\n") : null),
    setTitle: (title) => host.setTitle(call, asText(title)),
    setWorkingMessage() {},
    setEditorText() {},
    getEditorText: () => "",
    get theme() {
      return builtin("toolsmith:family/theme").theme;
    },
  };
}
