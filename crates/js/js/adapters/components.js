// Components of tools that a user interface shows: `ui.custom`, widgets, header, footer and editor. The interface asks for
// rows and passes keys by the component's number; what the component wants of the interface goes the other way.

import { builtin, currentFrame, describeJson, host, logger, operation, within } from "toolsmith:kernel";

const themes = () => builtin("toolsmith:compat/theme");
const keys = () => builtin("toolsmith:compat/keys");

/** Mounted components by number. */
const shown = new Map();

const tell = (call, method, value) => {
  const json = host.uiCall(call, method, value === undefined ? "" : JSON.stringify(value));
  return json === "" ? undefined : JSON.parse(json);
};

const changed = (call, id, change, value) => void tell(call, "changed", { id, change, value });

/** The terminal as components see it: its size at the time of asking. Writing to it is the interface's business. */
function terminalOf(call) {
  return {
    get columns() {
      return tell(call, "screen").columns;
    },
    get rows() {
      return tell(call, "screen").rows;
    },
    get kittyProtocolActive() {
      return tell(call, "screen").kittyKeys;
    },
    setTitle: (title) => host.setTitle(call, String(title)),
    write() {},
    moveBy() {},
    hideCursor() {},
    showCursor() {},
    clearLine() {},
    clearFromCursor() {},
    clearScreen() {},
    setProgress() {},
  };
}

/** The `tui` that a factory receives. */
function makeTui(call, id) {
  const listeners = new Map();
  return {
    children: [],
    terminal: terminalOf(call),
    requestRender: () => changed(call, id, "render"),
    invalidate: () => changed(call, id, "render"),
    setFocus(component) {
      const entry = shown.get(id);
      if (entry === undefined) return;
      if (entry.inner && "focused" in entry.inner) entry.inner.focused = false;
      entry.inner = component ?? undefined;
      if (component && "focused" in component) component.focused = true;
      changed(call, id, "focus", component !== null);
    },
    getFocus: () => shown.get(id)?.inner ?? shown.get(id)?.component ?? null,
    addChild(child) {
      this.children.push(child);
    },
    removeChild(child) {
      this.children = this.children.filter((known) => known !== child);
    },
    clear() {
      this.children = [];
    },
    showOverlay: (component, options) => overlay(call, component, options),
    hideOverlay: () => void overlays.pop()?.hide(),
    hasOverlay: () => overlays.length > 0,
    addInputListener(listener) {
      const remove = onTerminalInput(call, listener);
      listeners.set(listener, remove);
      return remove;
    },
    removeInputListener: (listener) => listeners.get(listener)?.(),
    getShowHardwareCursor: () => true,
    setShowHardwareCursor() {},
    getClearOnShrink: () => false,
    setClearOnShrink() {},
    // The interface keeps the terminal: programs that need it are started by the host.
    start() {},
    stop() {},
  };
}

function mount(call, id, component, more) {
  shown.set(id, { component, frame: currentFrame(), call, hidden: false, focused: false, ...more });
}

function unmount(id) {
  const entry = shown.get(id);
  shown.delete(id);
  try {
    entry?.component?.dispose?.();
  } catch (error) {
    logger.warn("A component failed to dispose", { error: String(error) });
  }
}

const newId = (call) => tell(call, "newComponent");

/** What a tool can do with its overlay after it was opened. */
function handleOf(call, id) {
  const entry = () => shown.get(id);
  return {
    hide: () => changed(call, id, "removed"),
    setHidden(hidden) {
      const found = entry();
      if (found) found.hidden = Boolean(hidden);
      changed(call, id, "hidden", Boolean(hidden));
    },
    isHidden: () => entry()?.hidden ?? true,
    focus: () => changed(call, id, "focus", true),
    unfocus: () => changed(call, id, "focus", false),
    isFocused: () => entry()?.focused ?? false,
    getBounds: () => undefined,
  };
}

const overlays = [];

/** Shows a component over the screen until it is hidden. */
function overlay(call, component, options) {
  const id = newId(call);
  mount(call, id, component, { visible: options?.visible });
  const closing = new AbortController();
  const payload = JSON.stringify({ view: id, overlay: { ...plainOptions(options) } });
  operation((op) => host.openDialog(op, call, "custom", payload), closing.signal).then(
    () => unmount(id),
    () => unmount(id),
  );
  const handle = { ...handleOf(call, id), hide: () => closing.abort() };
  overlays.push(handle);
  return handle;
}

/** Options without their functions, which cannot leave the engine. */
const plainOptions = (options) =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => typeof value !== "function"));

const THIRD = /^[^(]*\(\s*[\w$]+\s*,\s*[\w$]+\s*,\s*([\w$]+)/;

/** The older order had no key bindings: `(tui, theme, done)`. */
function make(factory, tui, theme, bindings, done) {
  const third =
    factory.length === 3 ? THIRD.exec(Function.prototype.toString.call(factory).slice(0, 300))?.[1] : undefined;
  const isOlder = factory.length === 3 && !/key|binding|^_?kb$/i.test(third ?? "");
  return isOlder ? factory(tui, theme, done) : factory(tui, theme, bindings, done);
}

/** Shows what `factory` makes; gives what it is done with, or undefined when it was closed. */
export async function show(call, factory, signal, options) {
  const id = newId(call);
  const closing = new AbortController();
  const stop = AbortSignal.any([closing.signal, signal, options?.signal].filter(Boolean));
  try {
    return await new Promise((resolve, reject) => {
      const start = async () => {
        const component = await make(factory, makeTui(call, id), themes().theme, keys().getKeybindings(), resolve);
        if (stop.aborted) return resolve(undefined);
        const placed =
          typeof options?.overlayOptions === "function" ? options.overlayOptions() : options?.overlayOptions;
        mount(call, id, component, { visible: placed?.visible });
        const payload = { view: id, overlay: options?.overlay ? plainOptions(placed) : undefined };
        const dialog = operation((op) => host.openDialog(op, call, "custom", JSON.stringify(payload)), stop);
        options?.onHandle?.(handleOf(call, id));
        const json = await dialog;
        resolve(json === undefined ? undefined : JSON.parse(json));
      };
      start().catch(reject);
    });
  } finally {
    unmount(id);
    closing.abort();
  }
}

/** Components that stay until they are replaced, by place. */
const kept = new Map();

/** Puts what `make` gives in a place, or clears the place. */
export function keep(call, place, method, make, extra = {}) {
  const before = kept.get(place);
  if (before !== undefined) unmount(before);
  kept.delete(place);
  if (make === undefined || make === null) return void tell(call, method, extra);
  const id = newId(call);
  const component = make(makeTui(call, id), themes().theme, id);
  if (typeof component?.render !== "function")
    throw new TypeError(`${method} needs a function that returns a component with render(width)`);
  mount(call, id, component);
  kept.set(place, id);
  tell(call, method, { ...extra, component: id });
}

/** What footers ask about the session. */
export function footerData(call) {
  return {
    getGitBranch: () => tell(call, "gitBranch") ?? null,
    getExtensionStatuses: () => new Map(Object.entries(tell(call, "statuses") ?? {})),
    getAvailableProviderCount: () => 1,
    onBranchChange: () => () => {},
  };
}

/** Replaces the editor. The component's `onSubmit` and `onChange` are the interface's. */
export function setEditor(call, factory) {
  keep(
    call,
    "editor",
    "setEditorComponent",
    factory &&
      ((tui, _theme, id) => {
        const component = factory(tui, themes().getEditorTheme(), keys().getKeybindings());
        if (component !== null && typeof component === "object") {
          component.onSubmit = (text) => changed(call, id, "submit", String(text));
          component.onChange = (text) => changed(call, id, "text", String(text));
        }
        return component;
      }),
  );
}

const asState = (lines, cursorLine, cursorCol) => ({ lines: [...lines].map(String), cursorLine, cursorCol });

/** The interface's own completions, as a provider that others wrap. */
function ownCompletions(call) {
  return {
    async getSuggestions(lines, cursorLine, cursorCol, options) {
      const payload = JSON.stringify({ state: asState(lines, cursorLine, cursorCol), force: Boolean(options?.force) });
      const json = await operation((op) => host.openDialog(op, call, "completions", payload), options?.signal);
      return json === undefined ? null : JSON.parse(json);
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? "";
      const start = cursorCol - String(prefix ?? "").length;
      const next = [...lines];
      next[cursorLine] = line.slice(0, start) + item.value + line.slice(cursorCol);
      return { lines: next, cursorLine, cursorCol: start + item.value.length };
    },
    shouldTriggerFileCompletion: () => true,
  };
}

/** Adds a source of completions; `wrap` makes it of the one before it. */
export function addCompletions(call, wrap) {
  const id = newId(call);
  mount(call, id, undefined, { provider: wrap(ownCompletions(call)) });
  tell(call, "addCompletions", { component: id });
}

/** Sees input before the editor does; gives a function that ends it. */
export function onTerminalInput(call, handler) {
  const id = newId(call);
  mount(call, id, undefined, { handler });
  tell(call, "addInputTap", { component: id });
  return () => {
    shown.delete(id);
    tell(call, "removeInputTap", { component: id });
  };
}

/** Asks several questions, one after the other; undefined when one is not answered. */
export async function askAll(ui, questions) {
  const answers = [];
  for (const { question, header, options = [], multiSelect } of questions) {
    const chosen = [];
    const title = question ?? header ?? "";
    const labels = options.map((option) => option?.label ?? String(option));
    if (labels.length === 0) chosen.push(await ui.input(title));
    else if (!multiSelect) chosen.push(await ui.select(title, options));
    else {
      for (;;) {
        const left = labels.filter((label) => !chosen.includes(label));
        const answer = await ui.select(`${title} (${chosen.length} chosen)`, [...left, "Done"]);
        if (answer === undefined || answer === "Done") break;
        chosen.push(answer);
      }
    }
    if (chosen.includes(undefined)) return undefined;
    answers.push({ question: title, answers: chosen, answer: chosen.join(", ") });
  }
  return answers;
}

async function suggest({ provider, frame, call }, { request, state, force }) {
  const answer = (value) => tell(call, "answer", { request, value });
  try {
    const { lines, cursorLine, cursorCol } = state;
    const options = { force, signal: AbortSignal.timeout(2000) };
    answer((await within(frame, provider.getSuggestions, provider, [lines, cursorLine, cursorCol, options])) ?? null);
  } catch (error) {
    logger.warn("A completion provider failed", { error: String(error) });
    answer(null);
  }
}

function applyCompletion({ provider, frame }, { state, item, prefix }) {
  if (typeof provider.applyCompletion !== "function") return null;
  return (
    within(frame, provider.applyCompletion, provider, [state.lines, state.cursorLine, state.cursorCol, item, prefix]) ??
    null
  );
}

function draw(entry, width) {
  const { component, frame, hidden, visible, call } = entry;
  if (hidden || component === undefined || component === null) return [];
  if (typeof visible === "function") {
    const screen = tell(call, "screen");
    if (!visible(screen.columns, screen.rows)) return [];
  }
  if (typeof component.render !== "function") throw new TypeError("the component has no render(width)");
  const lines = within(frame, component.render, component, [width]);
  if (!Array.isArray(lines)) throw new TypeError("render(width) did not return an array of lines");
  // No screen shows more.
  return lines.slice(0, 2000).map((line) => host.cutToWidth(String(line), width, ""));
}

/** Answers the interface: draws a component, passes keys, or asks one of the other kinds. */
export function view(number, what, payloadJson) {
  try {
    const entry = shown.get(number);
    const payload = JSON.parse(payloadJson);
    if (entry === undefined) return ["gone", "null"];
    const { component, frame } = entry;
    switch (what) {
      case "render":
        themes().refresh();
        return ["lines", JSON.stringify(draw(entry, payload.width))];
      case "input": {
        const target = entry.inner ?? component;
        if (typeof target?.handleInput === "function") within(frame, target.handleInput, target, [payload.keys]);
        // As in other hosts: whoever handled a key is drawn again.
        changed(entry.call, number, "render");
        break;
      }
      case "focus": {
        entry.focused = payload.focused;
        const target = entry.inner ?? component;
        if (target && "focused" in target) target.focused = payload.focused;
        break;
      }
      case "invalidate":
        themes().refresh();
        component?.invalidate?.();
        break;
      case "text":
        return ["json", JSON.stringify(component?.getText?.() ?? null)];
      case "setText":
        component?.setText?.(payload.text);
        break;
      case "suggest":
        void suggest(entry, payload);
        break;
      case "applyCompletion":
        return ["json", JSON.stringify(applyCompletion(entry, payload))];
      case "tap": {
        const answer = within(frame, entry.handler, undefined, [payload.data]);
        return [
          "json",
          JSON.stringify({
            consume: answer?.consume === true,
            data: typeof answer?.data === "string" ? answer.data : undefined,
          }),
        ];
      }
    }
    return ["lines", "[]"];
  } catch (error) {
    return ["thrown", describeJson(error)];
  }
}
