// Keys as a terminal sends them: the old sequences, and those of the protocol that tells modifiers apart.

const LETTERS = { A: "up", B: "down", C: "right", D: "left", E: "clear", F: "end", H: "home", P: "f1", Q: "f2", R: "f3", S: "f4", Z: "tab" };
const NUMBERS = {
  1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
  11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
};
const CODES = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace", 57414: "enter" };
const SINGLE = { "\r": "enter", "\n": "enter", "\t": "tab", "\x1b": "escape", "\x7f": "backspace", "\b": "backspace", " ": "space" };
const ALIASES = { esc: "escape", return: "enter", del: "delete", ins: "insert", pgup: "pageup", pgdn: "pagedown" };

const withModifiers = (name, bits) => ({ name, shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 });

/** What a sequence says, or undefined. */
function read(data) {
  if (data === "") return undefined;
  const csi = /^\x1b\[(?:(\d+)(?::\d*)*(?:;(\d+)(?::(\d+))?)?(?:;[\d:]*)?)?([~uA-Z])$/.exec(data);
  if (csi !== null) {
    const [, number, modifier, , end] = csi;
    const bits = Math.max(0, Number(modifier ?? 1) - 1);
    if (end === "Z") return withModifiers("tab", 1);
    if (end === "~") return NUMBERS[number] && withModifiers(NUMBERS[number], bits);
    if (end === "u") return withModifiers(CODES[number] ?? String.fromCodePoint(Number(number)).toLowerCase(), bits);
    return LETTERS[end] && withModifiers(LETTERS[end], bits);
  }
  const application = /^\x1bO([A-Z])$/.exec(data);
  if (application !== null) return LETTERS[application[1]] && withModifiers(LETTERS[application[1]], 0);
  if (SINGLE[data] !== undefined) return withModifiers(SINGLE[data], 0);
  if (data.length >= 2 && data[0] === "\x1b") {
    const rest = read(data.slice(1));
    return rest && { ...rest, alt: true };
  }
  if (data === "\0") return withModifiers("space", 4);
  if (data.length === 1 && data < " ") {
    const code = data.charCodeAt(0);
    return withModifiers(code < 27 ? String.fromCharCode(code + 96) : "\\]^_"[code - 28], 4);
  }
  if ([...data].length !== 1) return undefined;
  const lower = data.toLowerCase();
  return withModifiers(lower, lower === data ? 0 : 1);
}

function parseName(key) {
  const parts = String(key).toLowerCase().split("+");
  // `+` itself is a key.
  if (parts.at(-1) === "" && parts.length > 1) parts.splice(-2, 2, "+");
  const name = parts.pop();
  return { name: ALIASES[name] ?? name, shift: parts.includes("shift"), alt: parts.includes("alt") || parts.includes("option"), ctrl: parts.includes("ctrl") };
}

const joined = (...modifiers) => (key) => [...modifiers, key].join("+");

/** Names of keys, and of keys with modifiers: `Key.ctrl("c")`. */
export const Key = {
  ...Object.fromEntries(["up", "down", "left", "right", "home", "end", "insert", "delete", "clear", "enter", "return", "tab", "space", "escape", "esc", "backspace"].map((name) => [name, name])),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index + 1}`, `f${index + 1}`])),
  pageUp: "pageUp", pageDown: "pageDown",
  backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";", quote: "'", comma: ",", period: ".", slash: "/",
  ctrl: joined("ctrl"), alt: joined("alt"), shift: joined("shift"), ctrlShift: joined("ctrl", "shift"), ctrlAlt: joined("ctrl", "alt"),
  shiftAlt: joined("shift", "alt"), altShift: joined("alt", "shift"), ctrlShiftAlt: joined("ctrl", "shift", "alt"),
};

/** Whether what a terminal sent is a key. */
export function matchesKey(data, key) {
  const sent = read(String(data));
  if (sent === undefined) return false;
  const wanted = parseName(key);
  if (sent.name === wanted.name && sent.ctrl === wanted.ctrl && sent.alt === wanted.alt && sent.shift === wanted.shift) return true;
  // Old sequences: a terminal cannot tell Ctrl+I from Tab, nor Ctrl+M from Enter.
  if (wanted.ctrl && !wanted.alt && !wanted.shift && data === String.fromCharCode(wanted.name.charCodeAt(0) & 31)) return wanted.name.length === 1;
  return false;
}

/** The name of the key a terminal sent. */
export function parseKey(data) {
  const sent = read(String(data));
  if (sent === undefined) return undefined;
  const name = { pageup: "pageUp", pagedown: "pageDown" }[sent.name] ?? sent.name;
  return [sent.ctrl && "ctrl", sent.shift && "shift", sent.alt && "alt", name].filter(Boolean).join("+");
}

const kind = (data) => /^\x1b\[[\d:]+;\d+:(\d)/.exec(String(data))?.[1];
export const isKeyRelease = (data) => kind(data) === "3";
export const isKeyRepeat = (data) => kind(data) === "2";
export const isKittyProtocolActive = () => false;
export const setKittyProtocolActive = () => {};

/** What the family's front ends call their actions, and the keys that trigger them. */
const BINDINGS = {
  "tui.select.up": ["up"], "tui.select.down": ["down"], "tui.select.pageUp": ["pageUp"], "tui.select.pageDown": ["pageDown"],
  "tui.select.confirm": ["enter"], "tui.select.cancel": ["escape", "ctrl+c"], "tui.input.submit": ["enter"], "tui.input.newLine": ["shift+enter"],
  "tui.input.tab": ["tab"], "tui.editor.cursorUp": ["up"], "tui.editor.cursorDown": ["down"], "tui.editor.cursorLeft": ["left"],
  "tui.editor.cursorRight": ["right"], "tui.editor.deleteCharBackward": ["backspace"], "app.interrupt": ["escape"], "app.clear": ["ctrl+c"],
  "app.exit": ["ctrl+d"], "app.tools.expand": ["ctrl+o"], "app.thinking.toggle": ["ctrl+t"], "app.editor.external": ["ctrl+g"],
  selectUp: ["up"], selectDown: ["down"], selectPageUp: ["pageUp"], selectPageDown: ["pageDown"], selectConfirm: ["enter"],
  selectCancel: ["escape", "ctrl+c"], submit: ["enter"], newLine: ["shift+enter"], tab: ["tab"], expandTools: ["ctrl+o"], interrupt: ["escape"],
  toggleThinking: ["ctrl+t"], externalEditor: ["ctrl+g"], clear: ["ctrl+c"], exit: ["ctrl+d"],
};

const keybindings = {
  matches: (data, action) => (BINDINGS[action] ?? []).some((key) => matchesKey(data, key)),
  getKeys: (action) => [...(BINDINGS[action] ?? [])],
};
export const getKeybindings = () => keybindings;
export const getEditorKeybindings = getKeybindings;
export const keyText = (action) => (BINDINGS[action] ?? [String(action)]).join("/");
