// Keys as a terminal sends them.

const NAMED = {
  up: ["\x1b[A", "\x1bOA"], down: ["\x1b[B", "\x1bOB"], right: ["\x1b[C", "\x1bOC"], left: ["\x1b[D", "\x1bOD"],
  home: ["\x1b[H", "\x1bOH", "\x1b[1~"], end: ["\x1b[F", "\x1bOF", "\x1b[4~"], pageUp: ["\x1b[5~"], pageDown: ["\x1b[6~"],
  insert: ["\x1b[2~"], delete: ["\x1b[3~"], enter: ["\r", "\n", "\x1b[13u"], return: ["\r", "\n"], tab: ["\t"], space: [" "],
  escape: ["\x1b", "\x1b[27u"], esc: ["\x1b", "\x1b[27u"], backspace: ["\x7f", "\b"],
  "shift+tab": ["\x1b[Z"], "shift+enter": ["\x1b[13;2u"], "alt+enter": ["\x1b\r"], "ctrl+enter": ["\x1b[13;5u"],
};

/** Names of keys, and of keys with modifiers: `Key.ctrl("c")`. */
export const Key = {
  ...Object.fromEntries(Object.keys(NAMED).filter((name) => !name.includes("+")).map((name) => [name, name])),
  ctrl: (key) => `ctrl+${key}`,
  alt: (key) => `alt+${key}`,
  shift: (key) => `shift+${key}`,
  ctrlShift: (key) => `ctrl+shift+${key}`,
};

/** Whether what a terminal sent is a key. */
export function matchesKey(data, key) {
  const name = String(key);
  const known = NAMED[name] ?? NAMED[name.toLowerCase()];
  if (known !== undefined) return known.includes(data);
  const match = /^(?:(ctrl|alt|shift)\+)?(.)$/.exec(name.toLowerCase());
  if (match === null) return false;
  const [, modifier, letter] = match;
  if (modifier === undefined) return data === letter;
  if (modifier === "shift") return data === letter.toUpperCase();
  if (modifier === "alt") return data === `\x1b${letter}`;
  return data === String.fromCharCode(letter.charCodeAt(0) & 31) || data === `\x1b[${letter.charCodeAt(0)};5u`;
}

/** The name of the key a terminal sent. */
export function parseKey(data) {
  for (const [name, sequences] of Object.entries(NAMED)) if (sequences.includes(data)) return name;
  if (data.length === 1 && data < " ") return `ctrl+${String.fromCharCode(data.charCodeAt(0) + 96)}`;
  return data.length === 2 && data[0] === "\x1b" ? `alt+${data[1]}` : data;
}

export const isKeyRelease = () => false;
