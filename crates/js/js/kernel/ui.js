// The person at the other end, as tools see them. Every dialog ends without an answer when its signal is aborted.

import { builtin, host, isLoaded } from "./host.js";
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
  const components = () => builtin("toolsmith:adapters/components");
  const tell = (method, value) => {
    const json = host.uiCall(call, method, value === undefined ? "" : JSON.stringify(value));
    return json === "" ? undefined : JSON.parse(json);
  };
  const textOrNull = (value) => (value === undefined || value === null ? null : asText(value));
  const ui = {
    select(title, options = [], more) {
      const list = [...options];
      const payload = { title: asText(title), options: list.map((option) => asText(option?.label ?? option)) };
      if (list.some((option) => typeof option?.description === "string"))
        payload.descriptions = list.map((option) => asText(option?.description));
      return dialog("select", payload, more);
    },
    confirm: async (title, message, more) =>
      (await dialog("confirm", { title: asText(title), message: asText(message) }, more)) === true,
    input: (title, placeholder, more) =>
      dialog(
        "input",
        { title: asText(title), placeholder: placeholder === undefined ? null : asText(placeholder) },
        more,
      ),
    editor: (title, prefill, more) =>
      dialog("editor", { title: asText(title), prefill: prefill === undefined ? null : asText(prefill) }, more),
    custom: (factory, options) =>
      host.hasUi(call) ? components().show(call, factory, signal, options) : Promise.resolve(undefined),
    askDialog: (questions = []) => components().askAll(ui, questions),
    notify: (message, level = "info") => host.notify(call, asText(message), asText(level)),
    setStatus: (key, text) =>
      host.setStatus(call, asText(key), text == null ? null : asText(text).replace(/[\r\n\t]+/g, " ")),
    setWidget(key, content, options) {
      const extra = {
        key: asText(key),
        placement: options?.placement === "belowEditor" ? "belowEditor" : "aboveEditor",
      };
      if (typeof content === "function") {
        if (host.hasUi(call)) components().keep(call, `widget:${extra.key}`, "setWidget", content, extra);
        return;
      }
      // A live component that was there before is unmounted with its lines.
      if (isLoaded("toolsmith:adapters/components"))
        components().keep(call, `widget:${extra.key}`, "setWidget", undefined, extra);
      const lines = Array.isArray(content)
        ? content.map(asText)
        : typeof content === "string"
          ? content.split("\n")
          : undefined;
      tell("setWidget", { ...extra, lines });
    },
    setFooter: (factory) =>
      void (
        host.hasUi(call) &&
        components().keep(
          call,
          "footer",
          "setFooter",
          factory && ((tui, theme) => factory(tui, theme, components().footerData(call))),
        )
      ),
    setHeader: (factory) => void (host.hasUi(call) && components().keep(call, "header", "setHeader", factory)),
    setEditorComponent: (factory) => void (host.hasUi(call) && components().setEditor(call, factory)),
    getEditorComponent: () => undefined,
    setTitle: (title) => host.setTitle(call, asText(title)),
    setWorkingMessage: (message) => void tell("setWorkingMessage", textOrNull(message)),
    setWorkingIndicator: (indicator) =>
      void tell(
        "setWorkingIndicator",
        indicator
          ? { frames: [...(indicator.frames ?? [])].map(asText), intervalMs: Number(indicator.intervalMs) || null }
          : null,
      ),
    setWorkingVisible: (visible) => void tell("setWorkingVisible", Boolean(visible)),
    setHiddenThinkingLabel: (label) => void tell("setHiddenThinkingLabel", textOrNull(label)),
    setEditorText: (text) => void tell("setEditorText", asText(text)),
    getEditorText: () => tell("editorText") ?? "",
    pasteToEditor: (text) => void tell("pasteToEditor", asText(text)),
    addAutocompleteProvider: (wrap) => void (host.hasUi(call) && components().addCompletions(call, wrap)),
    onTerminalInput: (handler) => (host.hasUi(call) ? components().onTerminalInput(call, handler) : () => {}),
    getToolsExpanded: () => tell("toolsExpanded") === true,
    setToolsExpanded: (expanded) => void tell("setToolsExpanded", Boolean(expanded)),
    getAllThemes: () => (tell("themeNames") ?? []).map((name) => ({ name, path: undefined })),
    getTheme: (name) => builtin("toolsmith:compat/theme").themeNamed(asText(name)),
    setTheme(wanted) {
      const error = tell("setTheme", asText(wanted?.name ?? wanted));
      return error === undefined ? { success: true } : { success: false, error };
    },
    get theme() {
      const { theme, refresh } = builtin("toolsmith:compat/theme");
      refresh();
      return theme;
    },
  };
  return ui;
}
