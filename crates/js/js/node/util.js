// Node's `util`.

import { builtin, host, logger } from "toolsmith:kernel";
import {
  checkFunction,
  checkInteger,
  checkObject,
  checkOneOf,
  checkSignal,
  checkString,
  coded,
  invalidArgType,
  outOfRange,
} from "toolsmith:node_parts/arguments";
import { isDeepStrictEqual } from "toolsmith:node_parts/equality";
import { types } from "toolsmith:node_parts/types";
import { TextDecoder, TextEncoder } from "toolsmith:web/encoding";
import { format, formatWithOptions, inspect } from "toolsmith:web/inspect";

const custom = Symbol.for("nodejs.util.promisify.custom");

export function promisify(original) {
  checkFunction(original, "original");
  // Their forms as promises come with a module of their own.
  if (original === globalThis.setTimeout || original === globalThis.setImmediate) builtin("toolsmith:node/timers");
  if (original[custom]) {
    checkFunction(original[custom], "util.promisify.custom");
    return Object.defineProperty(original[custom], custom, { value: original[custom], configurable: true });
  }
  function promised(...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))]);
    });
  }
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, custom, { value: promised, configurable: true });
  const { length, name, prototype, arguments: _, caller, ...descriptors } = Object.getOwnPropertyDescriptors(original);
  return Object.defineProperties(promised, { ...descriptors, length, name });
}
promisify.custom = custom;

export function callbackify(original) {
  checkFunction(original, "original");
  function called(...args) {
    const callback = args.pop();
    checkFunction(callback, "last argument");
    const { nextTick } = globalThis.process;
    Reflect.apply(original, this, args).then(
      (value) => nextTick(() => Reflect.apply(callback, this, [null, value])),
      (reason) =>
        nextTick(() =>
          Reflect.apply(callback, this, [
            reason || coded(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value", { reason }),
          ]),
        ),
    );
  }
  return Object.defineProperties(called, {
    length: { value: original.length + 1, configurable: true },
    name: { value: `${original.name}Callbackified`, configurable: true },
  });
}

export function inherits(Class, Parent) {
  if (typeof Class !== "function") throw invalidArgType("ctor", "function", Class);
  if (typeof Parent !== "function") throw invalidArgType("superCtor", "function", Parent);
  if (Parent.prototype === undefined) throw invalidArgType("superCtor.prototype", "Object", Parent.prototype);
  Object.defineProperty(Class, "super_", { value: Parent, writable: true, configurable: true });
  Object.setPrototypeOf(Class.prototype, Parent.prototype);
}

const warned = new Set();
export function deprecate(run, message, code) {
  let done = false;
  function deprecated(...args) {
    if (!done) {
      done = true;
      if (code === undefined || !warned.has(code)) globalThis.process.emitWarning(message, "DeprecationWarning", code);
      if (code !== undefined) warned.add(code);
    }
    return new.target ? Reflect.construct(run, args, new.target) : Reflect.apply(run, this, args);
  }
  Object.setPrototypeOf(deprecated, run);
  if (run.prototype) deprecated.prototype = run.prototype;
  return deprecated;
}

export function debuglog(section, ready) {
  const name = String(section).toUpperCase();
  const enabled = () =>
    (globalThis.process.env.NODE_DEBUG ?? "").split(",").some((pattern) =>
      new RegExp(
        `^${pattern
          .trim()
          .replace(/[|\\{}()[\]^$+?.]/g, "\\$&")
          .replaceAll("*", ".*")}$`,
        "i",
      ).test(name),
    );
  const log = (...values) => {
    if (enabled()) logger.debug(`${name} ${globalThis.process.pid}: ${format(...values)}`);
  };
  Object.defineProperty(log, "enabled", { get: enabled });
  ready?.(log);
  return log;
}
export const debug = debuglog;

// Everything a terminal takes for a command.
const ANSI = new RegExp(
  String.raw`[\u001b\u009b][[\]()#;?]*` +
    String.raw`(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))` +
    String.raw`|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))`,
  "g",
);
export function stripVTControlCharacters(text) {
  checkString(text, "str");
  return text.replace(ANSI, "");
}

export function styleText(style, text, options) {
  checkString(text, "text");
  if (options !== undefined) checkObject(options, "options");
  let [open, close] = ["", ""];
  for (const name of [style].flat()) {
    const codes = inspect.colors[name];
    if (codes === undefined) checkOneOf(name, "format", Object.keys(inspect.colors));
    open += `\u001b[${codes[0]}m`;
    close = `\u001b[${codes[1]}m${close}`;
  }
  return `${open}${text}${close}`;
}

export const toUSVString = (value) => `${value}`.toWellFormed();

let errors;
export function getSystemErrorMap() {
  errors ??= new Map(
    Object.entries(JSON.parse(host.errorNumbers())).map(([name, [number, words]]) => [-number, [name, words]]),
  );
  return errors;
}
export function getSystemErrorName(number) {
  checkInteger(number, "err");
  if (number >= 0) throw outOfRange("err", "a negative integer", number);
  return getSystemErrorMap().get(number)?.[0] ?? `Unknown system error ${number}`;
}
export const getSystemErrorMessage = (number) =>
  getSystemErrorMap().get(number)?.[1] ?? `Unknown system error ${number}`;

export async function aborted(signal, resource) {
  if (signal === undefined) throw invalidArgType("signal", "AbortSignal", signal);
  checkSignal(signal, "signal");
  if (typeof resource !== "object" || resource === null) throw invalidArgType("resource", "Object", resource);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

export const parseArgs = (config) => builtin("toolsmith:node_parts/parse_args").parseArgs(config);

/** The text of an `.env` file. */
export function parseEnv(content) {
  checkString(content, "content");
  const found = {};
  const line = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\r\n#]*))?[^\r\n]*$/gm;
  for (const [, name, double, single, back, bare] of content.matchAll(line))
    found[name] = double?.replaceAll("\\n", "\n") ?? single ?? back ?? (bare ?? "").trim();
  return found;
}

export function _extend(target, source) {
  return source === null || typeof source !== "object" ? target : Object.assign(target, source);
}
export const isArray = Array.isArray;
export const getCallSites = () => [];
export const transferableAbortController = () => new AbortController();
export const transferableAbortSignal = (signal) => signal;

export { TextDecoder, TextEncoder, format, formatWithOptions, inspect, isDeepStrictEqual, types };
export default {
  promisify,
  callbackify,
  inherits,
  deprecate,
  debuglog,
  debug,
  stripVTControlCharacters,
  styleText,
  toUSVString,
  getSystemErrorMap,
  getSystemErrorName,
  getSystemErrorMessage,
  aborted,
  parseArgs,
  parseEnv,
  _extend,
  isArray,
  getCallSites,
  transferableAbortController,
  transferableAbortSignal,
  TextDecoder,
  TextEncoder,
  format,
  formatWithOptions,
  inspect,
  isDeepStrictEqual,
  types,
};
