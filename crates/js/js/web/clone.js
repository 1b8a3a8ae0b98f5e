// structuredClone: deep copies that keep types, cycles and shared parts.

const refuse = (what) => new DOMException(`${what} could not be cloned.`, "DataCloneError");

const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function copy(value, seen) {
  if (typeof value === "function") throw refuse(`function ${value.name || "(anonymous)"}`);
  if (typeof value === "symbol") throw refuse(value.toString());
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const keep = (made) => {
    seen.set(value, made);
    return made;
  };
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof Boolean || value instanceof Number || value instanceof String)
    return keep(Object(value.valueOf()));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const buffer = copy(value.buffer, seen);
    const length = value instanceof DataView ? value.byteLength : value.length;
    const Class = value instanceof DataView ? DataView : (globalThis[value[Symbol.toStringTag]] ?? Uint8Array);
    return keep(new Class(buffer, value.byteOffset, length));
  }
  if (value instanceof Map) {
    const made = keep(new Map());
    for (const [key, entry] of value) made.set(copy(key, seen), copy(entry, seen));
    return made;
  }
  if (value instanceof Set) {
    const made = keep(new Set());
    for (const entry of value) made.add(copy(entry, seen));
    return made;
  }
  if (value instanceof Error) {
    const made = keep(new (ERRORS[value.name] ?? Error)(value.message));
    if ("cause" in value) made.cause = copy(value.cause, seen);
    if (typeof value.stack === "string") made.stack = value.stack;
    return made;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef)
    throw refuse(`#<${value.constructor.name}>`);
  const made = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) made[key] = copy(value[key], seen);
  return made;
}

export function structuredClone(value, options) {
  if (arguments.length === 0) throw new TypeError("structuredClone needs a value");
  const seen = new Map();
  const transfer = [...(options?.transfer ?? [])];
  for (const item of transfer) {
    if (!(item instanceof ArrayBuffer)) throw refuse("A value that cannot be transferred");
    seen.set(item, item.transfer());
  }
  return copy(value, seen);
}
