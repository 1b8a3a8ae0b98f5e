// The console: everything goes to the log with its level. The commands of authors show it too.

import { builtin, host } from "./host.js";

function format(values) {
  if (values.length === 1 && typeof values[0] === "string") return values[0];
  return builtin("toolsmith:web/inspect").format(...values);
}

/** Marks what a tool prints, in contrast to what it gives its logger. */
export const CONSOLE = "console";

const counts = new Map();
const starts = new Map();
let indent = "";

const write = (level, values) => host.log(level, indent + format(values).replaceAll("\n", `\n${indent}`), CONSOLE);

export const console = {
  log: (...values) => write("info", values),
  info: (...values) => write("info", values),
  warn: (...values) => write("warn", values),
  error: (...values) => write("error", values),
  debug: (...values) => write("debug", values),
  trace: (...values) => write("debug", [format(values), `\n${new Error().stack}`]),
  dir: (value, options) => write("info", [builtin("toolsmith:web/inspect").inspect(value, options)]),
  dirxml: (...values) => write("info", values),
  table: (value, columns) => write("info", [builtin("toolsmith:web/inspect").table(value, columns)]),
  assert(condition, ...values) {
    if (!condition) write("error", values.length > 0 ? ["Assertion failed:", ...values] : ["Assertion failed"]);
  },
  group(...values) {
    if (values.length > 0) write("info", values);
    indent += "  ";
  },
  groupEnd() {
    indent = indent.slice(2);
  },
  count(label = "default") {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    write("info", [`${label}: ${counts.get(label)}`]);
  },
  countReset: (label = "default") => void counts.delete(label),
  time: (label = "default") => void starts.set(label, host.now()),
  timeLog(label = "default", ...values) {
    if (starts.has(label)) write("info", [`${label}: ${(host.now() - starts.get(label)).toFixed(3)}ms`, ...values]);
  },
  timeEnd(label = "default") {
    console.timeLog(label);
    starts.delete(label);
  },
  clear() {},
};
console.groupCollapsed = console.group;
