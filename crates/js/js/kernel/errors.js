// Describing what was thrown, whatever it is, without running into what it throws in turn.

function read(value, key) {
  try {
    return value[key];
  } catch {
    return undefined;
  }
}

function text(value) {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

const words = (value) => (typeof value === "string" ? wellFormed(value) : undefined);
const number = (value) => (Number.isInteger(value) && value > 0 ? value : undefined);

function wellFormed(value) {
  return value.toWellFormed();
}

/** `{class, message, stack, code, cause}` of anything. */
export function describe(thrown, depth = 0) {
  const isObject = (typeof thrown === "object" && thrown !== null) || typeof thrown === "function";
  if (!isObject)
    return { class: null, message: wellFormed(thrown === undefined ? "undefined" : text(thrown)), stack: "" };
  const message = read(thrown, "message");
  const name = read(thrown, "name");
  const stack = read(thrown, "stack");
  const code = read(thrown, "code");
  const cause = read(thrown, "cause");
  const errors = read(thrown, "errors");
  return {
    class: typeof name === "string" && name !== "" ? wellFormed(name) : null,
    message: wellFormed(typeof message === "string" ? message : describeObject(thrown)),
    stack: typeof stack === "string" ? wellFormed(stack) : "",
    code: typeof code === "string" ? wellFormed(code) : undefined,
    cause: cause !== undefined && depth < 4 ? describe(cause, depth + 1) : undefined,
    // Where the loader found a mistake that has no stack.
    fileName: words(read(thrown, "fileName")),
    lineNumber: number(read(thrown, "lineNumber")),
    columnNumber: number(read(thrown, "columnNumber")),
    hint: words(read(thrown, "hint")),
    missingPackage: words(read(thrown, "missingPackage")),
    errors:
      Array.isArray(errors) && depth < 2 ? errors.slice(0, 5).map((error) => describe(error, depth + 1)) : undefined,
  };
}

function describeObject(thrown) {
  const asText = text(thrown);
  if (asText !== "[object Object]") return asText;
  try {
    return JSON.stringify(thrown) ?? asText;
  } catch {
    return asText;
  }
}

/** The same as JSON text. */
export function describeJson(thrown) {
  return JSON.stringify(describe(thrown));
}
