// Keys as a terminal sends them: the old sequences, and those of the protocol that tells modifiers apart.

import { host } from "toolsmith:kernel";

const LETTERS = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "clear",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "tab",
};
const NUMBERS = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};
const CODES = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace", 57414: "enter" };
const SINGLE = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x1b": "escape",
  "\x7f": "backspace",
  "\b": "backspace",
  " ": "space",
};
const ALIASES = { esc: "escape", return: "enter", del: "delete", ins: "insert", pgup: "pageup", pgdn: "pagedown" };

const withModifiers = (name, bits) => ({
  name,
  shift: (bits & 1) !== 0,
  alt: (bits & 2) !== 0,
  ctrl: (bits & 4) !== 0,
});

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
  return {
    name: ALIASES[name] ?? name,
    shift: parts.includes("shift"),
    alt: parts.includes("alt") || parts.includes("option"),
    ctrl: parts.includes("ctrl"),
  };
}

const joined =
  (...modifiers) =>
  (key) =>
    [...modifiers, key].join("+");

/** Names of keys, and of keys with modifiers: `Key.ctrl("c")`. */
export const Key = {
  ...Object.fromEntries(
    [
      "up",
      "down",
      "left",
      "right",
      "home",
      "end",
      "insert",
      "delete",
      "clear",
      "enter",
      "return",
      "tab",
      "space",
      "escape",
      "esc",
      "backspace",
    ].map((name) => [name, name]),
  ),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index + 1}`, `f${index + 1}`])),
  pageUp: "pageUp",
  pageDown: "pageDown",
  backtick: "`",
  hyphen: "-",
  equals: "=",
  leftbracket: "[",
  rightbracket: "]",
  backslash: "\\",
  semicolon: ";",
  quote: "'",
  comma: ",",
  period: ".",
  slash: "/",
  ctrl: joined("ctrl"),
  alt: joined("alt"),
  shift: joined("shift"),
  ctrlShift: joined("ctrl", "shift"),
  ctrlAlt: joined("ctrl", "alt"),
  shiftAlt: joined("shift", "alt"),
  altShift: joined("alt", "shift"),
  ctrlShiftAlt: joined("ctrl", "shift", "alt"),
};

/** Whether what a terminal sent is a key. */
export function matchesKey(data, key) {
  const sent = read(String(data));
  if (sent === undefined) return false;
  const wanted = parseName(key);
  if (sent.name === wanted.name && sent.ctrl === wanted.ctrl && sent.alt === wanted.alt && sent.shift === wanted.shift)
    return true;
  // Old sequences: a terminal cannot tell Ctrl+I from Tab, nor Ctrl+M from Enter.
  if (wanted.ctrl && !wanted.alt && !wanted.shift && data === String.fromCharCode(wanted.name.charCodeAt(0) & 31))
    return wanted.name.length === 1;
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
let kittyKeys;
/** Whether the terminal sends keys in the form of kitty's protocol. */
export const isKittyProtocolActive = () =>
  (kittyKeys ??= JSON.parse(host.uiCall(0, "screen", "") || "{}").kittyKeys === true);
export const setKittyProtocolActive = (active) => void (kittyKeys = Boolean(active));

/** The character that a sequence of kitty's protocol types, or undefined. */
export function decodeKittyPrintable(data) {
  const match = /^\x1b\[(\d+)(?::(\d*))?(?::\d*)?(?:;(\d+)(?::(\d+))?)?(?:;([\d:]*))?u$/.exec(String(data));
  if (match === null) return undefined;
  const [, code, shifted, modifier, kindOf, text] = match;
  if (kindOf === "3") return undefined;
  const bits = Math.max(0, Number(modifier ?? 1) - 1);
  if ((bits & ~1 & 0b111110) !== 0) return undefined;
  if (text) return String.fromCodePoint(...text.split(":").filter(Boolean).map(Number));
  const point = (bits & 1) !== 0 && shifted ? Number(shifted) : Number(code);
  if (point < 32 || point === 127 || (point >= 57344 && point <= 63743) || point > 0x10ffff) return undefined;
  return String.fromCodePoint(point);
}

/** Actions and their keys, as in compatible agents. The user's own replace them. */
const DEFAULTS = {
  "tui.editor.cursorUp": ["up"],
  "tui.editor.cursorDown": ["down"],
  "tui.editor.cursorLeft": ["left", "ctrl+b"],
  "tui.editor.cursorRight": ["right", "ctrl+f"],
  "tui.editor.cursorWordLeft": ["alt+left", "ctrl+left", "alt+b"],
  "tui.editor.cursorWordRight": ["alt+right", "ctrl+right", "alt+f"],
  "tui.editor.cursorLineStart": ["home", "ctrl+a"],
  "tui.editor.cursorLineEnd": ["end", "ctrl+e"],
  "tui.editor.pageUp": ["pageUp"],
  "tui.editor.pageDown": ["pageDown"],
  "tui.editor.deleteCharBackward": ["backspace"],
  "tui.editor.deleteCharForward": ["delete", "ctrl+d"],
  "tui.editor.deleteWordBackward": ["ctrl+w", "alt+backspace"],
  "tui.editor.deleteWordForward": ["alt+d", "alt+delete"],
  "tui.editor.deleteToLineStart": ["ctrl+u"],
  "tui.editor.deleteToLineEnd": ["ctrl+k"],
  "tui.editor.yank": ["ctrl+y"],
  "tui.editor.yankPop": ["alt+y"],
  "tui.editor.undo": ["ctrl+-"],
  "tui.input.newLine": ["shift+enter", "ctrl+j"],
  "tui.input.submit": ["enter"],
  "tui.input.tab": ["tab"],
  "tui.input.copy": ["ctrl+c"],
  "tui.select.up": ["up"],
  "tui.select.down": ["down"],
  "tui.select.pageUp": ["pageUp"],
  "tui.select.pageDown": ["pageDown"],
  "tui.select.confirm": ["enter"],
  "tui.select.cancel": ["escape", "ctrl+c"],
  "app.interrupt": ["escape"],
  "app.clear": ["ctrl+c"],
  "app.exit": ["ctrl+d"],
  "app.suspend": ["ctrl+z"],
  "app.tools.expand": ["ctrl+o"],
  "app.thinking.toggle": ["ctrl+t"],
  "app.thinking.cycle": ["shift+tab"],
  "app.model.select": ["ctrl+l"],
  "app.model.cycleForward": ["ctrl+p"],
  "app.model.cycleBackward": ["shift+ctrl+p"],
  "app.editor.external": ["ctrl+g"],
  "app.message.followUp": ["alt+enter"],
  "app.message.dequeue": ["alt+up"],
  "app.clipboard.pasteImage": ["ctrl+v"],
};

/** Names of earlier versions. */
const EARLIER = {
  selectUp: "tui.select.up",
  selectDown: "tui.select.down",
  selectPageUp: "tui.select.pageUp",
  selectPageDown: "tui.select.pageDown",
  selectConfirm: "tui.select.confirm",
  selectCancel: "tui.select.cancel",
  submit: "tui.input.submit",
  newLine: "tui.input.newLine",
  tab: "tui.input.tab",
  cursorUp: "tui.editor.cursorUp",
  cursorDown: "tui.editor.cursorDown",
  cursorLeft: "tui.editor.cursorLeft",
  cursorRight: "tui.editor.cursorRight",
  deleteCharBackward: "tui.editor.deleteCharBackward",
  expandTools: "app.tools.expand",
  interrupt: "app.interrupt",
  toggleThinking: "app.thinking.toggle",
  externalEditor: "app.editor.external",
  clear: "app.clear",
  exit: "app.exit",
  copy: "tui.input.copy",
};

let given;
/** The keys of an action: the user's, or the default ones. */
function keysOf(action) {
  const id = EARLIER[action] ?? String(action);
  if (given === undefined) {
    const json = host.uiCall(0, "keyBindings", "");
    // Without a user interface there is nothing to remember: one may come later.
    if (json === "") return DEFAULTS[id] ?? [];
    given = JSON.parse(json);
  }
  return given[id] ?? DEFAULTS[id] ?? [];
}

export class KeybindingsManager {
  matches = (data, action) => keysOf(action).some((key) => matchesKey(data, key));
  getKeys = (action) => [...keysOf(action)];
  getDefinition = (action) => ({ defaultKeys: [...(DEFAULTS[action] ?? [])] });
  getConflicts = () => [];
  getUserBindings = () => ({});
  getResolvedBindings = () => Object.fromEntries(Object.keys(DEFAULTS).map((action) => [action, keysOf(action)]));
}

const keybindings = new KeybindingsManager();
export const getKeybindings = () => keybindings;
export const getEditorKeybindings = getKeybindings;
export const keyText = (action) => (keysOf(action).length > 0 ? keysOf(action) : [String(action)]).join("/");
