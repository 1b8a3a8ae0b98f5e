// Node's `assert`.

import { coded, invalidArgType, invalidArgValue } from "toolsmith:node_parts/arguments";
import { AssertionError, innerFail, isErrorLike } from "toolsmith:node_parts/assertion_error";
import { isDeepEqual, isDeepStrictEqual } from "toolsmith:node_parts/equality";
import { types } from "toolsmith:node_parts/types";
import { inspect } from "toolsmith:web/inspect";

function truth(value, message, given, caller) {
  if (value) return;
  if (isErrorLike(message)) throw message;
  const generated = message === undefined;
  const text = generated
    ? given === 0
      ? "No value argument passed to `assert.ok()`"
      : "The expression evaluated to a falsy value:\n\n  assert" +
        (caller === "ok" ? ".ok" : "") +
        `(${inspect(value)})\n`
    : message;
  throw new AssertionError({
    actual: value,
    expected: true,
    message: text,
    operator: "==",
    generatedMessage: generated,
  });
}

export function ok(...args) {
  truth(args[0], args[1], args.length, "ok");
}
export function assert(...args) {
  truth(args[0], args[1], args.length, "assert");
}

function missing(args, count) {
  if (args.length < count)
    throw coded(TypeError, "ERR_MISSING_ARGS", 'The "actual" and "expected" arguments must be specified');
}

function comparison(operator, same) {
  return function (...args) {
    missing(args, 2);
    const [actual, expected, message] = args;
    if (!same(actual, expected)) innerFail({ actual, expected, message, operator });
  };
}

// The loose ones compare as `==` does, but for NaN.
const loose = (one, other) => one == other || (Number.isNaN(one) && Number.isNaN(other));
export const equal = comparison("==", loose);
export const notEqual = comparison("!=", (one, other) => !loose(one, other));
export const strictEqual = comparison("strictEqual", Object.is);
export const notStrictEqual = comparison("notStrictEqual", (one, other) => !Object.is(one, other));
export const deepEqual = comparison("deepEqual", isDeepEqual);
export const notDeepEqual = comparison("notDeepEqual", (one, other) => !isDeepEqual(one, other));
export const deepStrictEqual = comparison("deepStrictEqual", isDeepStrictEqual);
export const notDeepStrictEqual = comparison("notDeepStrictEqual", (one, other) => !isDeepStrictEqual(one, other));

export function fail(message = "Failed") {
  if (isErrorLike(message)) throw message;
  throw new AssertionError({ message, operator: "fail", generatedMessage: message === "Failed" });
}

function matching(name, wanted) {
  return (text, pattern, message) => {
    if (!types.isRegExp(pattern)) throw invalidArgType("regexp", "RegExp", pattern);
    if (typeof text === "string" && pattern.test(text) === wanted) return;
    if (isErrorLike(message)) throw message;
    const why =
      typeof text !== "string"
        ? `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`
        : `The input ${wanted ? "did not match" : "was expected to not match"} the regular expression ` +
          `${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
    throw new AssertionError({
      actual: text,
      expected: pattern,
      message: message ?? why,
      operator: name,
      generatedMessage: message === undefined,
    });
  };
}
export const match = matching("match", true);
export const doesNotMatch = matching("doesNotMatch", false);

/** Whether what was thrown is what was expected; throws where it is not. */
function checkThrown(error, expected, message, operator) {
  if (typeof expected === "function" && expected.prototype !== undefined && error instanceof expected) return;
  const generated = message === undefined;
  if (typeof expected === "function" && Error.isPrototypeOf(expected)) {
    const received = error instanceof Error ? error.name : inspect(error, { depth: -1 });
    const text =
      `The error is expected to be an instance of "${expected.name}". Received "${received}"\n\n` +
      `Error message:\n\n${error?.message}`;
    throw new AssertionError({
      actual: error,
      expected,
      operator,
      generatedMessage: generated,
      message: message ?? text,
    });
  }
  if (types.isRegExp(expected)) {
    if (expected.test(String(error))) return;
    throw new AssertionError({
      actual: error,
      expected,
      operator,
      generatedMessage: generated,
      message:
        message ??
        `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`,
    });
  }
  if (typeof expected === "object") {
    const keys = Object.keys(expected);
    if (expected instanceof Error) keys.push("name", "message");
    else if (keys.length === 0) throw invalidArgValue("error", expected, "may not be an empty object");
    if (typeof error !== "object" || error === null)
      throw new AssertionError({ actual: error, expected, message, operator });
    for (const key of keys) {
      if (typeof error[key] === "string" && types.isRegExp(expected[key]) && expected[key].test(error[key])) continue;
      if (key in error && isDeepStrictEqual(error[key], expected[key])) continue;
      const pick = (source) =>
        Object.fromEntries(keys.filter((name) => name in source).map((name) => [name, source[name]]));
      const failed = new AssertionError({
        actual: pick(error),
        expected: pick(expected),
        message,
        operator: "deepStrictEqual",
      });
      Object.assign(failed, { actual: error, expected, operator });
      throw failed;
    }
    return;
  }
  if (expected.call({}, error) === true) return;
  const name = expected.name ? `"${expected.name}" ` : "";
  throw new AssertionError({
    actual: error,
    expected,
    operator,
    generatedMessage: generated,
    message:
      message ??
      `The ${name}validation function is expected to return "true". ` +
        `Received ${inspect(expected.call({}, error))}\n\nCaught error:\n\n${inspect(error)}`,
  });
}

const nothing = Symbol("nothing");

function expectsError(operator, thrown, expected, message) {
  let [wanted, text] = [expected, message];
  if (typeof wanted === "string") [wanted, text] = [undefined, wanted];
  if (wanted !== undefined && typeof wanted !== "function" && typeof wanted !== "object")
    throw invalidArgType("error", ["function", "Error", "RegExp", "Object"], wanted);
  if (thrown === nothing) {
    const detail = (wanted?.name ? ` (${wanted.name})` : "") + (text ? `: ${text}` : ".");
    throw new AssertionError({
      actual: undefined,
      expected: wanted,
      operator,
      message: `Missing expected ${operator === "rejects" ? "rejection" : "exception"}${detail}`,
      generatedMessage: false,
    });
  }
  if (wanted !== undefined && wanted !== null) checkThrown(thrown, wanted, text, operator);
}

function expectsNoError(operator, thrown, expected, message) {
  if (thrown === nothing) return;
  const text = typeof expected === "string" ? expected : message;
  if (typeof expected === "function" && !(thrown instanceof expected)) throw thrown;
  const detail = text ? `: ${text}` : ".";
  throw new AssertionError({
    actual: thrown,
    expected: typeof expected === "string" ? undefined : expected,
    operator,
    generatedMessage: false,
    message: `Got unwanted ${operator === "doesNotReject" ? "rejection" : "exception"}${detail}\nActual message: "${thrown?.message}"`,
  });
}

function caught(run) {
  if (typeof run !== "function") throw invalidArgType("fn", "function", run);
  try {
    run();
  } catch (error) {
    return error;
  }
  return nothing;
}

async function rejection(given) {
  const promise = typeof given === "function" ? given() : given;
  if (typeof promise?.then !== "function")
    throw typeof given === "function"
      ? coded(
          TypeError,
          "ERR_INVALID_RETURN_VALUE",
          'Expected instance of Promise to be returned from the "promiseFn" function but got ' +
            `${promise === undefined ? "undefined" : `type ${typeof promise}`}.`,
        )
      : invalidArgType("promiseFn", ["function", "Promise"], given);
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return nothing;
}

export const throws = (run, expected, message) => expectsError("throws", caught(run), expected, message);
export const doesNotThrow = (run, expected, message) => expectsNoError("doesNotThrow", caught(run), expected, message);
export const rejects = async (given, expected, message) =>
  expectsError("rejects", await rejection(given), expected, message);
export const doesNotReject = async (given, expected, message) =>
  expectsNoError("doesNotReject", await rejection(given), expected, message);

export function ifError(value) {
  if (value === null || value === undefined) return;
  const text =
    typeof value === "object" && typeof value.message === "string"
      ? value.message || value.constructor?.name
      : inspect(value);
  throw new AssertionError({
    actual: value,
    expected: null,
    operator: "ifError",
    message: `ifError got unwanted exception: ${text}`,
    generatedMessage: false,
  });
}

const members = {
  AssertionError,
  ok,
  equal,
  notEqual,
  deepEqual,
  notDeepEqual,
  deepStrictEqual,
  notDeepStrictEqual,
  strictEqual,
  notStrictEqual,
  fail,
  match,
  doesNotMatch,
  throws,
  doesNotThrow,
  rejects,
  doesNotReject,
  ifError,
};
export const strict = Object.assign((...args) => truth(args[0], args[1], args.length, "assert"), members, {
  equal: strictEqual,
  deepEqual: deepStrictEqual,
  notEqual: notStrictEqual,
  notDeepEqual: notDeepStrictEqual,
});
strict.strict = strict;
Object.assign(assert, members, { strict });
export { AssertionError };
export default assert;
