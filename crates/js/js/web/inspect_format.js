// Texts with `%s` and its kin filled in, and tables.

import { inspect } from "toolsmith:web/inspect";

/** Whether an object has a way of its own to be text. */
function hasOwnText(value) {
  if (Object.hasOwn(value, "toString") || Object.hasOwn(value, Symbol.toPrimitive)) return true;
  let object = value;
  do {
    object = Object.getPrototypeOf(object);
    if (object === null) return false;
  } while (!Object.hasOwn(object, "toString"));
  const Class = Object.getOwnPropertyDescriptor(object, "constructor")?.value;
  return !(
    typeof Class === "function" &&
    [Object, Array, Error, Function, Map, Set, Date, RegExp, Promise, TypeError, RangeError].includes(Class)
  );
}

function text(value, options) {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : `${value}`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null || hasOwnText(value)) return String(value);
  return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
}

function json(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (/circular|cyclic/i.test(error.message)) return "[Circular]";
    throw error;
  }
}

function fill(mark, value, options) {
  switch (mark) {
    case "s":
      return text(value, options);
    case "j":
      return json(value);
    case "d":
      if (typeof value === "bigint") return `${value}n`;
      return typeof value === "symbol" ? "NaN" : text(Number(value), options);
    case "i":
      if (typeof value === "bigint") return `${value}n`;
      return typeof value === "symbol" ? "NaN" : text(Number.parseInt(value, 10), options);
    case "f":
      return typeof value === "symbol" ? "NaN" : text(Number.parseFloat(value), options);
    case "O":
      return inspect(value, options);
    case "o":
      return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
    default:
      return "";
  }
}

/** Values as one text, by the options given. */
export function formatWithOptions(options, ...values) {
  const [first, ...rest] = values;
  let whole = "";
  let used = 0;
  if (typeof first === "string") {
    if (rest.length === 0) return first;
    whole = first.replace(/%([sdifjoOc%])/g, (mark, letter) => {
      if (letter === "%") return "%";
      return used < rest.length ? fill(letter, rest[used++], options) : mark;
    });
    return [
      whole,
      ...rest
        .slice(used)
        .map((value) => (typeof value === "string" ? value : inspect(value, { ...options, compact: 3 }))),
    ].join(" ");
  }
  return values
    .map((value) => (typeof value === "string" ? value : inspect(value, { ...options, compact: 3 })))
    .join(" ");
}

export const format = (...values) => formatWithOptions(undefined, ...values);

/** A list of objects as a table. */
export function table(data, columns) {
  if (typeof data !== "object" || data === null) return format(data);
  const show = (value) =>
    inspect(value, {
      maxArrayLength: 3,
      breakLength: Infinity,
      depth:
        value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0,
    });
  const entries =
    data instanceof Map
      ? [...data].map(([key, value], index) => [index, { Key: key, Values: value }])
      : data instanceof Set
        ? [...data].map((value, index) => [index, value])
        : Object.entries(data);
  const names = [];
  let hasValues = false;
  const rows = entries.map(([index, row]) => {
    if (typeof row !== "object" || row === null) {
      hasValues = true;
      return { index: String(index), value: show(row), cells: {} };
    }
    const cells = {};
    for (const key of columns ?? Object.keys(row)) {
      if (!names.includes(key)) names.push(key);
      if (Object.hasOwn(row, key)) cells[key] = show(row[key]);
    }
    return { index: String(index), cells };
  });
  const head = [
    data instanceof Map || data instanceof Set ? "(iteration index)" : "(index)",
    ...names,
    ...(hasValues ? ["Values"] : []),
  ];
  const lines = rows.map((row) => [
    row.index,
    ...names.map((name) => row.cells[name] ?? ""),
    ...(hasValues ? [row.value ?? ""] : []),
  ]);
  const widths = head.map((name, column) => Math.max(name.length, ...lines.map((line) => line[column].length)) + 2);
  const line = (cells) => `│${cells.map((cell, column) => ` ${cell}`.padEnd(widths[column])).join("│")}│`;
  const rule = (left, middle, right) => `${left}${widths.map((width) => "─".repeat(width)).join(middle)}${right}`;
  return [rule("┌", "┬", "┐"), line(head), rule("├", "┼", "┤"), ...lines.map(line), rule("└", "┴", "┘")].join("\n");
}
