// What Node says about arguments that are wrong: errors with a code, in its words.

import { builtin } from "toolsmith:kernel";

const inspect = (value, options) => builtin("toolsmith:web/inspect").inspect(value, options);

/** An error with a code, which its text shows and its name does not. */
export function coded(Class, code, message, more) {
  const error = new Class(message);
  error.code = code;
  Object.defineProperty(error, "toString", {
    value() {
      return `${this.name} [${code}]: ${this.message}`;
    },
    writable: true,
    configurable: true,
  });
  return more === undefined ? error : Object.assign(error, more);
}

function received(value) {
  if (value === null || value === undefined) return `Received ${value}`;
  if (typeof value === "function") return `Received function ${value.name}`;
  if (typeof value === "object") {
    return value.constructor?.name
      ? `Received an instance of ${value.constructor.name}`
      : `Received ${inspect(value, { depth: -1 })}`;
  }
  let shown = inspect(value);
  if (shown.length > 28) shown = `${shown.slice(0, 25)}...`;
  return `Received type ${typeof value} (${shown})`;
}

const TYPES = new Set(["string", "function", "number", "object", "Function", "Object", "boolean", "bigint", "symbol"]);

function either(words) {
  if (words.length <= 2) return words.join(" or ");
  return `${words.slice(0, -1).join(", ")}, or ${words.at(-1)}`;
}

/** `must be of type string or an instance of Buffer`. */
function expectation(expected) {
  const list = Array.isArray(expected) ? expected : [expected];
  const types = list
    .filter((word) => TYPES.has(word) && word !== "Object" && word !== "object")
    .map((word) => word.toLowerCase());
  const classes = list.filter((word) => !TYPES.has(word) && /^[A-Z][A-Za-z0-9]*$/.test(word));
  const others = list.filter((word) => !TYPES.has(word) && !/^[A-Z][A-Za-z0-9]*$/.test(word));
  if (list.includes("object") || list.includes("Object"))
    (classes.length > 0 ? classes : types).push(classes.length > 0 ? "Object" : "object");
  const parts = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${either(types)}`);
  if (classes.length > 0) parts.push(`an instance of ${either(classes)}`);
  if (others.length > 0)
    parts.push(
      others.length > 1 ? `one of ${either(others)}` : /[A-Z]/.test(others[0]) ? `an ${others[0]}` : others[0],
    );
  return parts.join(" or ");
}

const subject = (name) =>
  name.endsWith(" argument") ? `The ${name}` : `The "${name}" ${name.includes(".") ? "property" : "argument"}`;

export const invalidArgType = (name, expected, value) =>
  coded(TypeError, "ERR_INVALID_ARG_TYPE", `${subject(name)} must be ${expectation(expected)}. ${received(value)}`);

export function invalidArgValue(name, value, reason = "is invalid") {
  let shown = inspect(value);
  if (shown.length > 128) shown = `${shown.slice(0, 128)}...`;
  return coded(
    TypeError,
    "ERR_INVALID_ARG_VALUE",
    `The ${name.includes(".") ? "property" : "argument"} '${name}' ${reason}. Received ${shown}`,
  );
}

function grouped(number) {
  const text = String(number);
  const sign = text.startsWith("-") ? "-" : "";
  return sign + text.slice(sign.length).replace(/\B(?=(\d{3})+(?!\d))/g, "_");
}

export function outOfRange(name, range, value) {
  let shown;
  if (Number.isInteger(value) && Math.abs(value) > 2 ** 32) shown = grouped(value);
  else if (typeof value === "bigint") shown = `${value > 2n ** 32n || value < -(2n ** 32n) ? grouped(value) : value}n`;
  else shown = inspect(value);
  return coded(
    RangeError,
    "ERR_OUT_OF_RANGE",
    `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`,
  );
}

export function checkFunction(value, name) {
  if (typeof value !== "function") throw invalidArgType(name, "function", value);
}

export function checkString(value, name) {
  if (typeof value !== "string") throw invalidArgType(name, "string", value);
}

export function checkBoolean(value, name) {
  if (typeof value !== "boolean") throw invalidArgType(name, "boolean", value);
}

export function checkObject(value, name) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidArgType(name, "Object", value);
}

export function checkInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== "number") throw invalidArgType(name, "number", value);
  if (!Number.isInteger(value)) throw outOfRange(name, "an integer", value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

export function checkNumber(value, name, min, max) {
  if (typeof value !== "number") throw invalidArgType(name, "number", value);
  const low = min !== undefined && value < min;
  const high = max !== undefined && value > max;
  if (low || high || ((min !== undefined || max !== undefined) && Number.isNaN(value))) {
    const bounds = [min === undefined ? [] : `>= ${min}`, max === undefined ? [] : `<= ${max}`];
    const range = bounds.flat().join(" && ");
    throw outOfRange(name, range, value);
  }
}

export function checkOneOf(value, name, allowed) {
  if (!allowed.includes(value)) {
    const list = allowed.map((item) => (typeof item === "string" ? `'${item}'` : String(item))).join(", ");
    throw invalidArgValue(name, value, `must be one of: ${list}`);
  }
}

export function checkSignal(value, name = "options.signal") {
  if (value !== undefined && (typeof value !== "object" || value === null || !("aborted" in value))) {
    throw invalidArgType(name, "AbortSignal", value);
  }
}

/** What an aborted operation of Node rejects with. */
export function abortError(signal) {
  const error = coded(
    Error,
    "ABORT_ERR",
    "The operation was aborted",
    signal?.reason === undefined ? undefined : { cause: signal.reason },
  );
  error.name = "AbortError";
  return error;
}
