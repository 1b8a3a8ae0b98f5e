// Values as text for people: what `console.log` and `util.inspect` show, by Node's rules.

import { host } from "toolsmith:kernel";
import { errorBase } from "toolsmith:web/inspect_errors";
import { joinEntries } from "toolsmith:web/inspect_layout";
import { types } from "toolsmith:node_parts/types";

const custom = Symbol.for("nodejs.util.inspect.custom");
const [OBJECT, ELEMENT, EXTRA] = [0, 1, 2];

export const defaultOptions = {
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 128,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
};

const colors = {
  __proto__: null,
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  blink: [5, 25],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  doubleunderline: [21, 24],
  black: [30, 39],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: [37, 39],
  bgBlack: [40, 49],
  bgRed: [41, 49],
  bgGreen: [42, 49],
  bgYellow: [43, 49],
  bgBlue: [44, 49],
  bgMagenta: [45, 49],
  bgCyan: [46, 49],
  bgWhite: [47, 49],
  framed: [51, 54],
  overlined: [53, 55],
  gray: [90, 39],
  grey: [90, 39],
  redBright: [91, 39],
  greenBright: [92, 39],
  yellowBright: [93, 39],
  blueBright: [94, 39],
  magentaBright: [95, 39],
  cyanBright: [96, 39],
  whiteBright: [97, 39],
  bgGray: [100, 49],
  bgRedBright: [101, 49],
  bgGreenBright: [102, 49],
  bgYellowBright: [103, 49],
  bgBlueBright: [104, 49],
  bgMagentaBright: [105, 49],
  bgCyanBright: [106, 49],
  bgWhiteBright: [107, 49],
};
const styles = {
  __proto__: null,
  special: "cyan",
  number: "yellow",
  bigint: "yellow",
  boolean: "yellow",
  undefined: "grey",
  null: "bold",
  string: "green",
  symbol: "green",
  date: "magenta",
  regexp: "red",
  module: "underline",
};

function painted(text, style) {
  const color = colors[styles[style]];
  return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
}
const plain = (text) => text;

const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };
const escapeLetter = (letter) =>
  ESCAPES[letter] ??
  (letter.charCodeAt(0) < 256
    ? `\\x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
    : `\\u${letter.charCodeAt(0).toString(16)}`);

/** A text in quotes that need the fewest escapes. */
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes("`") && !text.includes("${")) mark = "`";
  }
  const escaped = text.replace(
    /[\x00-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    escapeLetter,
  );
  return `${mark}${mark === "'" ? escaped.replaceAll("'", "\\'") : escaped}${mark}`;
}

const numberText = (value) => (Object.is(value, -0) ? "-0" : `${value}`);

function formatPrimitive(ctx, value) {
  switch (typeof value) {
    case "string": {
      let text = value;
      let trailer = "";
      if (text.length > ctx.maxStringLength) {
        const more = text.length - ctx.maxStringLength;
        text = text.slice(0, ctx.maxStringLength);
        trailer = `... ${more} more character${more > 1 ? "s" : ""}`;
      }
      if (ctx.compact !== true && text.length > 16 && text.length > ctx.breakLength - ctx.indentationLvl - 4) {
        return (
          text
            .split(/(?<=\n)/)
            .map((line) => ctx.stylize(quote(line), "string"))
            .join(` +\n${" ".repeat(ctx.indentationLvl + 2)}`) + trailer
        );
      }
      return ctx.stylize(quote(text), "string") + trailer;
    }
    case "number":
      return ctx.stylize(numberText(value), "number");
    case "bigint":
      return ctx.stylize(`${value}n`, "bigint");
    case "symbol":
      return ctx.stylize(Symbol.prototype.toString.call(value), "symbol");
    default:
      return ctx.stylize(`${value}`, value === null ? "null" : typeof value);
  }
}

/** The name of the class an object is of; null when it has none. */
function classNameOf(value) {
  for (let object = value, first = true; object !== null; object = Object.getPrototypeOf(object), first = false) {
    const descriptor = Object.getOwnPropertyDescriptor(object, "constructor");
    if (
      typeof descriptor?.value === "function" &&
      descriptor.value.name !== "" &&
      (first ? isInstance(value, descriptor.value) : true)
    )
      return String(descriptor.value.name);
    // The getter that follows promises.
    if (descriptor?.get !== undefined && types.isPromise(value)) return "Promise";
  }
  return null;
}

function isInstance(value, Class) {
  try {
    return value instanceof Class;
  } catch {
    return false;
  }
}

function prefixOf(name, tag, fallback, size = "") {
  if (name === null)
    return tag !== "" && fallback !== tag
      ? `[${fallback}${size}: null prototype] [${tag}] `
      : `[${fallback}${size}: null prototype] `;
  return tag !== "" && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
}

function functionBase(value, name, tag) {
  const code = Function.prototype.toString.call(value);
  if (/^class\b/.test(code) && code.endsWith("}")) return classBase(value, name, tag);
  const kind = types.isGeneratorFunction(value)
    ? types.isAsyncFunction(value)
      ? "AsyncGeneratorFunction"
      : "GeneratorFunction"
    : types.isAsyncFunction(value)
      ? "AsyncFunction"
      : "Function";
  let base = `[${kind}${name === null ? " (null prototype)" : ""}${value.name === "" ? " (anonymous)" : `: ${String(value.name)}`}]`;
  if (name !== kind && name !== null && name !== "Function") base += ` ${name}`;
  if (tag !== "" && name !== tag && tag !== kind) base += ` [${tag}]`;
  return base;
}

function classBase(value, name, tag) {
  const own = Object.hasOwn(value, "name") && value.name !== "" ? value.name : "";
  let base = `[class ${own === "" ? "(anonymous)" : own}`;
  if (name !== "Function" && name !== null) base += ` [${name}]`;
  if (tag !== "" && name !== tag) base += ` [${tag}]`;
  const parent = name === null ? "null" : Object.getPrototypeOf(value)?.name;
  return `${base}${parent ? ` extends ${parent}` : ""}]`;
}

function keysOf(value, showHidden) {
  const symbols = Object.getOwnPropertySymbols(value);
  if (showHidden) return [...Object.getOwnPropertyNames(value), ...symbols];
  return [
    ...Object.keys(value),
    ...symbols.filter((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol)),
  ];
}

const isIndex = (key) => typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key) && Number(key) < 2 ** 32 - 1;
const extraKeys = (value, showHidden) => keysOf(value, showHidden).filter((key) => !isIndex(key));

const moreItems = (count) => `... ${count} more item${count > 1 ? "s" : ""}`;

function formatArray(ctx, value, depth) {
  const output = [];
  const length = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
  let index = 0;
  for (; index < value.length && output.length < length; index++) {
    if (Object.hasOwn(value, index)) {
      output.push(formatProperty(ctx, value, depth, index, ELEMENT));
      continue;
    }
    let end = index;
    while (end < value.length && !Object.hasOwn(value, end)) end++;
    output.push(ctx.stylize(`<${end - index} empty item${end - index > 1 ? "s" : ""}>`, "undefined"));
    index = end - 1;
  }
  if (index < value.length) output.push(moreItems(value.length - index));
  return output;
}

function formatTypedArray(ctx, value, depth) {
  const length = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
  const show =
    typeof value[0] === "bigint"
      ? (item) => ctx.stylize(`${item}n`, "bigint")
      : (item) => ctx.stylize(numberText(item), "number");
  const output = [];
  for (let index = 0; index < length; index++) output.push(show(value[index]));
  if (value.length > length) output.push(moreItems(value.length - length));
  if (ctx.showHidden) {
    ctx.indentationLvl += 2;
    for (const key of ["BYTES_PER_ELEMENT", "length", "byteLength", "byteOffset", "buffer"])
      output.push(`[${key}]: ${formatValue(ctx, value[key], depth, true)}`);
    ctx.indentationLvl -= 2;
  }
  return output;
}

function formatBytes(ctx, value) {
  const bytes = new Uint8Array(value);
  const shown = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
  const text = (host.hexEncode(bytes.slice(0, shown)).match(/../g) ?? []).join(" ");
  const rest = bytes.length - shown;
  const more = rest > 0 ? ` ... ${rest} more byte${rest > 1 ? "s" : ""}` : "";
  return [`${ctx.stylize("[Uint8Contents]", "special")}: <${text}${more}>`];
}

function formatEntries(ctx, entries, size, show) {
  const output = [];
  const max = Math.min(Math.max(0, ctx.maxArrayLength), size);
  ctx.indentationLvl += 2;
  for (const entry of entries) {
    if (output.length >= max) break;
    output.push(show(entry));
  }
  ctx.indentationLvl -= 2;
  if (size > max) output.push(moreItems(size - max));
  return output;
}

function formatPromise(ctx, value, depth) {
  const [state, result] = host.promiseState(value);
  if (state === "pending") return [ctx.stylize("<pending>", "special")];
  ctx.indentationLvl += 2;
  const shown = formatValue(ctx, result, depth);
  ctx.indentationLvl -= 2;
  return [state === "rejected" ? `${ctx.stylize("<rejected>", "special")} ${shown}` : shown];
}

function boxedBase(value, ctx, keys, name, tag) {
  const [type, read] = types.isNumberObject(value)
    ? ["Number", Number]
    : types.isStringObject(value)
      ? ["String", String]
      : types.isBooleanObject(value)
        ? ["Boolean", Boolean]
        : types.isBigIntObject(value)
          ? ["BigInt", BigInt]
          : ["Symbol", Symbol];
  if (type === "String") keys.splice(0, value.length);
  let base = `[${type}`;
  if (type !== name) base += name === null ? " (null prototype)" : ` (${name})`;
  base += `: ${formatPrimitive({ ...ctx, stylize: plain }, read.prototype.valueOf.call(value))}]`;
  if (tag !== "" && tag !== name) base += ` [${tag}]`;
  return keys.length > 0 || ctx.stylize === plain ? base : ctx.stylize(base, type.toLowerCase());
}

function formatProperty(ctx, value, depth, key, kind) {
  const descriptor = Object.getOwnPropertyDescriptor(value, key) ?? {
    value: value[key],
    configurable: true,
    enumerable: true,
  };
  let extra = " ";
  let text;
  if (descriptor.value !== undefined) {
    const step = ctx.compact !== true || kind !== OBJECT ? 2 : 3;
    ctx.indentationLvl += step;
    text = formatValue(ctx, descriptor.value, depth);
    if (step === 3 && ctx.breakLength < text.length) extra = `\n${" ".repeat(ctx.indentationLvl)}`;
    ctx.indentationLvl -= step;
  } else if (descriptor.get !== undefined) {
    const label = descriptor.set === undefined ? "Getter" : "Getter/Setter";
    const asked = ctx.getters && (ctx.getters === true || (ctx.getters === "get") === (descriptor.set === undefined));
    text = asked ? gotten(ctx, value, descriptor, depth, label) : ctx.stylize(`[${label}]`, "special");
  } else {
    text = descriptor.set !== undefined ? ctx.stylize("[Setter]", "special") : ctx.stylize("undefined", "undefined");
  }
  if (kind === ELEMENT) return text;
  let name;
  if (typeof key === "symbol") name = `[${ctx.stylize(Symbol.prototype.toString.call(key), "symbol")}]`;
  else if (key === "__proto__") name = "['__proto__']";
  else if (descriptor.enumerable === false) name = `[${key}]`;
  else name = /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? ctx.stylize(key, "name") : ctx.stylize(quote(key), "string");
  return `${name}:${extra}${text}`;
}

function gotten(ctx, value, descriptor, depth, label) {
  try {
    const result = descriptor.get.call(value);
    ctx.indentationLvl += 2;
    const shown =
      result === null || typeof result !== "object"
        ? `${ctx.stylize(`[${label}:`, "special")} ${formatPrimitive(ctx, result)}${ctx.stylize("]", "special")}`
        : `${ctx.stylize(`[${label}]`, "special")} ${formatValue(ctx, result, depth)}`;
    ctx.indentationLvl -= 2;
    return shown;
  } catch (error) {
    return `[${label}: <Inspection threw (${error?.message})>]`;
  }
}

/** How a value of a known kind is shown: `{base?, braces, output?, keys, whole?}`. */
function shapeOf(ctx, value, name, tag, inArray) {
  const keys = keysOf(value, ctx.showHidden);
  const prefix = (fallback, size) => prefixOf(name, tag, fallback, size);
  if (Array.isArray(value)) {
    const own = extraKeys(value, ctx.showHidden);
    const start = name !== "Array" || tag !== "" ? prefix("Array", `(${value.length})`) : "";
    return {
      keys: own,
      braces: [`${start}[`, "]"],
      output: (depth) => formatArray(ctx, value, depth),
      list: true,
      whole: value.length === 0 && own.length === 0 ? `${start}[]` : undefined,
    };
  }
  if (types.isSet(value)) {
    return {
      keys,
      braces: [`${prefix("Set", `(${value.size})`)}{`, "}"],
      output: (depth) =>
        formatEntries(ctx, Set.prototype.values.call(value), value.size, (item) => formatValue(ctx, item, depth)),
      whole: value.size === 0 && keys.length === 0 ? `${prefix("Set", "(0)")}{}` : undefined,
    };
  }
  if (types.isMap(value)) {
    return {
      keys,
      braces: [`${prefix("Map", `(${value.size})`)}{`, "}"],
      output: (depth) =>
        formatEntries(
          ctx,
          Map.prototype.entries.call(value),
          value.size,
          ([key, item]) => `${formatValue(ctx, key, depth)} => ${formatValue(ctx, item, depth)}`,
        ),
      whole: value.size === 0 && keys.length === 0 ? `${prefix("Map", "(0)")}{}` : undefined,
    };
  }
  if (types.isTypedArray(value)) {
    const own = extraKeys(value, ctx.showHidden);
    const start = prefix(value[Symbol.toStringTag], `(${value.length})`);
    return {
      keys: own,
      braces: [`${start}[`, "]"],
      output: (depth) => formatTypedArray(ctx, value, depth),
      list: true,
      whole: value.length === 0 && own.length === 0 && !ctx.showHidden ? `${start}[]` : undefined,
    };
  }
  const none = keys.length === 0;
  if (types.isArgumentsObject(value)) {
    return { keys, braces: ["[Arguments] {", "}"], whole: none ? "[Arguments] {}" : undefined };
  }
  if (typeof value === "function") {
    const base = functionBase(value, name, tag);
    return { keys, base, braces: ["{", "}"], whole: none ? ctx.stylize(base, "special") : undefined };
  }
  if (types.isRegExp(value)) {
    const start = prefix("RegExp");
    const base = `${start === "RegExp " ? "" : start}${RegExp.prototype.toString.call(value)}`;
    return { keys, base, braces: ["{", "}"], whole: none ? ctx.stylize(base, "regexp") : undefined };
  }
  if (types.isDate(value)) {
    const start = prefix("Date");
    const base = `${start === "Date " ? "" : start}${Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString()}`;
    return { keys, base, braces: ["{", "}"], whole: none ? ctx.stylize(base, "date") : undefined };
  }
  if (value instanceof Error || types.isNativeError(value)) {
    const base = errorBase(ctx, value, name, tag, keys);
    return { keys, base, braces: ["{", "}"], whole: keys.length === 0 ? base : undefined };
  }
  if (types.isAnyArrayBuffer(value)) {
    const start = prefix(types.isArrayBuffer(value) ? "ArrayBuffer" : "SharedArrayBuffer");
    if (inArray && none) return { whole: `${start}{ byteLength: ${ctx.stylize(`${value.byteLength}`, "number")} }` };
    return {
      keys: ["byteLength", ...keys],
      braces: [`${start}{`, "}"],
      output: inArray ? undefined : () => formatBytes(ctx, value),
    };
  }
  if (types.isDataView(value))
    return { keys: ["byteLength", "byteOffset", "buffer", ...keys], braces: [`${prefix("DataView")}{`, "}"] };
  if (types.isPromise(value))
    return { keys, braces: [`${prefix("Promise")}{`, "}"], output: (depth) => formatPromise(ctx, value, depth) };
  if (types.isWeakSet(value))
    return { keys, braces: [`${prefix("WeakSet")}{`, "}"], output: () => [ctx.stylize("<items unknown>", "special")] };
  if (types.isWeakMap(value))
    return { keys, braces: [`${prefix("WeakMap")}{`, "}"], output: () => [ctx.stylize("<items unknown>", "special")] };
  if (types.isModuleNamespaceObject(value))
    return {
      keys,
      braces: [`${prefixOf(null, tag, "Module")}{`, "}"],
      whole: none ? `${prefixOf(null, tag, "Module")}{}` : undefined,
    };
  if (types.isBoxedPrimitive(value)) {
    const base = boxedBase(value, ctx, keys, name, tag);
    return { keys, base, braces: ["{", "}"], whole: keys.length === 0 ? base : undefined };
  }
  const start = name === "Object" && tag === "" ? "" : prefix("Object");
  return { keys, braces: [`${start}{`, "}"], whole: none ? `${start}{}` : undefined };
}

function formatRaw(ctx, value, depth, inArray) {
  const name = classNameOf(value);
  let tag = value[Symbol.toStringTag];
  if (
    typeof tag !== "string" ||
    (tag !== "" &&
      (ctx.showHidden
        ? Object.hasOwn(value, Symbol.toStringTag)
        : Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag)))
  )
    tag = "";
  const shape = shapeOf(ctx, value, name, tag, inArray);
  if (shape.whole !== undefined) return shape.whole;
  if (ctx.depth !== null && depth > ctx.depth) {
    if (shape.base !== undefined && types.isRegExp(value)) return ctx.stylize(shape.base, "regexp");
    const shown = prefixOf(name, tag, Array.isArray(value) ? "Array" : "Object").slice(0, -1);
    return ctx.stylize(name === null ? shown : `[${shown}]`, "special");
  }
  const below = depth + 1;
  ctx.seen.push(value);
  ctx.currentDepth = below;
  const output = shape.output?.(below) ?? [];
  for (const key of shape.keys) output.push(formatProperty(ctx, value, below, key, shape.list ? EXTRA : OBJECT));
  ctx.seen.pop();
  let { base = "", braces } = shape;
  const index = ctx.circular?.get(value);
  if (index !== undefined) {
    const reference = ctx.stylize(`<ref *${index}>`, "special");
    if (ctx.compact !== true) base = base === "" ? reference : `${reference} ${base}`;
    else braces = [`${reference} ${braces[0]}`, braces[1]];
  }
  if (ctx.sorted) {
    const compare = ctx.sorted === true ? undefined : ctx.sorted;
    if (!shape.list) output.sort(compare);
    else if (shape.keys.length > 1) output.push(...output.splice(output.length - shape.keys.length).sort(compare));
  }
  return joinEntries(ctx, output, base, braces, shape.list === true, below, value);
}

export function formatValue(ctx, value, depth, inArray) {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return formatPrimitive(ctx, value);
  if (ctx.customInspect) {
    const own = value[custom];
    if (
      typeof own === "function" &&
      own !== inspect &&
      !(Object.hasOwn(value, "constructor") && value.constructor?.prototype === value)
    ) {
      const left = ctx.depth === null ? null : ctx.depth - depth;
      const shown = own.call(value, left, { ...ctx.given, depth: left, stylize: ctx.stylize }, inspect);
      if (shown !== value)
        return typeof shown === "object" || typeof shown === "function"
          ? formatValue(ctx, shown, depth)
          : `${shown}`.replaceAll("\n", `\n${" ".repeat(ctx.indentationLvl)}`);
    }
  }
  if (ctx.seen.includes(value)) {
    ctx.circular ??= new Map();
    if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
    return ctx.stylize(`[Circular *${ctx.circular.get(value)}]`, "special");
  }
  return formatRaw(ctx, value, depth, inArray);
}

/** A value as text. */
export function inspect(value, options, ...legacy) {
  const given = { ...inspect.defaultOptions };
  if (typeof options === "boolean" || legacy.length > 0)
    Object.assign(given, {
      showHidden: options,
      ...(legacy[0] === undefined ? {} : { depth: legacy[0] }),
      ...(legacy[1] === undefined ? {} : { colors: legacy[1] }),
    });
  else if (typeof options === "object" && options !== null) Object.assign(given, options);
  const ctx = {
    ...given,
    given,
    seen: [],
    indentationLvl: 0,
    currentDepth: 0,
    stylize: given.stylize ?? (given.colors ? painted : plain),
  };
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
  return formatValue(ctx, value, 0);
}
inspect.custom = custom;
inspect.defaultOptions = { ...defaultOptions, breakLength: 80 };
inspect.colors = colors;
inspect.styles = styles;

export { format, formatWithOptions, table } from "toolsmith:web/inspect_format";
