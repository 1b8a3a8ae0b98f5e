// Values as text for people: what `console.log` and `util.inspect` show.

const DEFAULTS = { depth: 2, breakLength: 80, maxArrayLength: 100, maxStringLength: 10000, showHidden: false, sorted: false, getters: false };

const custom = Symbol.for("nodejs.util.inspect.custom");

function quote(text, max) {
  const cut = text.length > max ? `${text.slice(0, max)}... ${text.length - max} more characters` : text;
  const mark = !cut.includes("'") ? "'" : !cut.includes('"') ? '"' : !cut.includes("`") ? "`" : "'";
  const escaped = cut.replace(/[\\\u0000-\u001f\u007f]/g, (c) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" })[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function className(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return null;
  const name = prototype.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "Object";
}

const isIdentifier = (text) => /^[A-Za-z_$][\w$]*$/.test(text);

class Inspector {
  constructor(options) {
    this.options = { ...DEFAULTS, ...options };
    if (this.options.depth === null) this.options.depth = Infinity;
    this.seen = [];
    this.circular = new Map();
  }

  value(value, depth) {
    switch (typeof value) {
      case "string":
        return quote(value, this.options.maxStringLength);
      case "bigint":
        return `${value}n`;
      case "symbol":
        return value.toString();
      case "number":
        return Object.is(value, -0) ? "-0" : String(value);
      case "undefined":
      case "boolean":
        return String(value);
      case "function":
        return this.object(value, depth);
      default:
        return value === null ? "null" : this.object(value, depth);
    }
  }

  object(value, depth) {
    const own = value[custom];
    if (typeof own === "function" && own !== inspect) {
      const shown = own.call(value, this.options.depth - depth, this.options, inspect);
      if (shown !== value) return typeof shown === "string" ? shown : this.value(shown, depth);
    }
    if (this.seen.includes(value)) {
      if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
      return `[Circular *${this.circular.get(value)}]`;
    }
    this.seen.push(value);
    const text = this.body(value, depth);
    this.seen.pop();
    return this.circular.has(value) ? `<ref *${this.circular.get(value)}> ${text}` : text;
  }

  body(value, depth) {
    const name = className(value);
    const keys = this.keys(value);
    if (Array.isArray(value)) return this.list(value, name === "Array" ? "" : `${name}(${value.length}) `, keys.filter((key) => !/^\d+$/.test(String(key))), depth);
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return this.list(value, `${name}(${value.length}) `, [], depth);
    if (typeof value === "function") {
      const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "Function";
      const label = value.name ? `[${kind}${kind === "class" ? " " : ": "}${value.name}]` : `[${kind} (anonymous)]`;
      return keys.length === 0 ? label : this.members(value, keys, `${label} `, depth);
    }
    if (value instanceof Error) {
      const head = this.error(value);
      const extra = keys.filter((key) => !["stack", "message", "name"].includes(key));
      return extra.length === 0 ? head : this.members(value, extra, `${head} `, depth);
    }
    if (value instanceof RegExp) return String(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof Promise) return "Promise { <pending> }";
    if (value instanceof WeakMap || value instanceof WeakSet) return `${name} { <items unknown> }`;
    if (value instanceof Boolean || value instanceof Number || value instanceof String) return `[${name}: ${this.value(value.valueOf(), depth)}]`;
    if (depth > this.options.depth) return `[${name ?? "Object: null prototype"}]`;
    if (value instanceof Map) return this.braces([...value].map(([k, v]) => `${this.value(k, depth + 1)} => ${this.value(v, depth + 1)}`), `${name}(${value.size}) `);
    if (value instanceof Set) return this.braces([...value].map((v) => this.value(v, depth + 1)), `${name}(${value.size}) `);
    if (value instanceof ArrayBuffer) return `ArrayBuffer { byteLength: ${value.byteLength} }`;
    const tag = value[Symbol.toStringTag];
    const shownName = name === null ? "[Object: null prototype] " : name === "Object" ? "" : `${name} `;
    const prefix = typeof tag === "string" && tag !== "" && tag !== name ? `${shownName || "Object "}[${tag}] ` : shownName;
    return this.members(value, keys, prefix, depth);
  }

  keys(value) {
    const names = this.options.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
    if (this.options.sorted) names.sort();
    const symbols = Object.getOwnPropertySymbols(value).filter((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
    return [...names, ...symbols];
  }

  error(error) {
    const stack = typeof error.stack === "string" ? error.stack.trimEnd() : "";
    const head = `${error.name}: ${error.message}`;
    const text = stack === "" ? `[${head}]` : stack.startsWith(error.name) ? stack : `${head}\n${stack}`;
    return error.cause === undefined ? text : `${text} {\n  [cause]: ${this.value(error.cause, 1)}\n}`;
  }

  list(value, prefix, extra, depth) {
    if (depth > this.options.depth) return "[Array]";
    const shown = [];
    const max = Math.min(value.length, this.options.maxArrayLength);
    for (let index = 0; index < max; index++) shown.push(index in value ? this.value(value[index], depth + 1) : "<empty item>");
    if (value.length > max) shown.push(`... ${value.length - max} more items`);
    for (const key of extra) shown.push(this.member(value, key, depth));
    return this.wrap(shown, `${prefix}[`, "]");
  }

  member(value, key, depth) {
    const label = typeof key === "symbol" ? `[${key.toString()}]` : isIdentifier(key) ? key : quote(key, 100);
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor?.get) return `${label}: [Getter${descriptor.set ? "/Setter" : ""}]`;
    if (descriptor?.set) return `${label}: [Setter]`;
    return `${label}: ${this.value(descriptor ? descriptor.value : value[key], depth + 1)}`;
  }

  members(value, keys, prefix, depth) {
    if (depth > this.options.depth) return `[${prefix.trim() || "Object"}]`;
    return this.braces(keys.map((key) => this.member(value, key, depth)), prefix);
  }

  braces(items, prefix) {
    return items.length === 0 ? `${prefix}{}` : this.wrap(items, `${prefix}{`, "}");
  }

  wrap(items, open, close) {
    if (items.length === 0) return open + close;
    const space = open.endsWith("{") || open.endsWith("[") ? " " : "";
    const oneLine = `${open}${space}${items.join(", ")}${space}${close}`;
    if (oneLine.length <= this.options.breakLength && !items.some((item) => item.includes("\n"))) return oneLine;
    return `${open}\n  ${items.map((item) => item.replaceAll("\n", "\n  ")).join(",\n  ")}\n${close}`;
  }
}

/** A value as text. */
export function inspect(value, options, ...legacy) {
  const given = typeof options === "object" && options !== null ? options : legacy.length > 0 ? { showHidden: options, depth: legacy[0] } : {};
  return new Inspector(given).value(value, 0);
}
inspect.custom = custom;
inspect.defaultOptions = DEFAULTS;
inspect.colors = {};
inspect.styles = {};

/** Values as one text, `%s` and its kin filled in. */
export function format(first, ...rest) {
  const show = (value) => (typeof value === "string" ? value : inspect(value));
  if (typeof first !== "string") return [first, ...rest].map(show).join(" ");
  const values = [...rest];
  const text = first.replace(/%[sdifjoOc%]/g, (mark) => {
    if (mark === "%%") return "%";
    if (values.length === 0) return mark;
    const value = values.shift();
    switch (mark) {
      case "%s":
        return typeof value === "object" && value !== null ? inspect(value, { depth: 0 }) : typeof value === "bigint" ? `${value}n` : String(value);
      case "%d":
        return typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : String(Number(value));
      case "%i":
        return typeof value === "bigint" ? `${value}n` : String(Number.parseInt(value, 10));
      case "%f":
        return String(Number.parseFloat(value));
      case "%j":
        try {
          return JSON.stringify(value);
        } catch {
          return "[Circular]";
        }
      case "%c":
        return "";
      default:
        return inspect(value, { depth: 4, showHidden: mark === "%o" });
    }
  });
  return [text, ...values.map(show)].join(" ");
}
