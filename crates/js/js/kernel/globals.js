// The global object every module sees. What is needed by every call is there; the rest is loaded when it is touched,
// so that a tool pays only for what it uses.

import { console } from "./console.js";
import * as events from "./events.js";
import { bound } from "./frames.js";
import { builtin, host } from "./host.js";
import { installLocales } from "./locales.js";
import * as timers from "./timers.js";

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

function defineLazy(module, names) {
  for (const name of names) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: false,
      get() {
        const value = builtin(module)[name];
        define(name, value);
        return value;
      },
      set(value) {
        define(name, value);
      },
    });
  }
}

export function installGlobals() {
  define("console", console);
  for (const [name, value] of Object.entries(events)) define(name, value);
  define("setTimeout", timers.setTimeout);
  define("setInterval", timers.setInterval);
  define("setImmediate", timers.setImmediate);
  define("clearTimeout", timers.clearTimeout);
  define("clearInterval", timers.clearTimeout);
  define("clearImmediate", timers.clearTimeout);
  const { queueMicrotask } = globalThis;
  define(
    "queueMicrotask",
    Object.defineProperty((callback) => queueMicrotask(bound(callback)), "name", { value: "queueMicrotask" }),
  );
  define("global", globalThis);
  define("performance", {
    now: () => host.elapsed(),
    timeOrigin: Date.now() - host.now(),
    mark: () => undefined,
    measure: () => undefined,
    toJSON: () => ({}),
  });
  defineLazy("toolsmith:web/url", ["URL", "URLSearchParams"]);
  defineLazy("toolsmith:web/encoding", ["TextEncoder", "TextDecoder", "atob", "btoa"]);
  defineLazy("toolsmith:web/clone", ["structuredClone"]);
  defineLazy("toolsmith:web/blob", ["Blob", "File", "FormData"]);
  defineLazy("toolsmith:web/crypto", ["crypto", "Crypto"]);
  defineLazy("toolsmith:web/subtle", ["CryptoKey", "SubtleCrypto"]);
  defineLazy("toolsmith:bun/bun", ["Bun"]);
  defineLazy("toolsmith:web/fetch", ["fetch", "Headers", "Request", "Response"]);
  defineLazy("toolsmith:web/streams", [
    "ReadableStream",
    "WritableStream",
    "TransformStream",
    "ReadableStreamDefaultReader",
    "ReadableStreamBYOBReader",
    "ReadableStreamDefaultController",
    "ReadableByteStreamController",
    "WritableStreamDefaultWriter",
    "TransformStreamDefaultController",
    "ByteLengthQueuingStrategy",
    "CountQueuingStrategy",
    "TextDecoderStream",
    "TextEncoderStream",
  ]);
  defineLazy("toolsmith:web/messages", ["MessageChannel", "MessagePort", "MessageEvent", "BroadcastChannel"]);
  defineLazy("toolsmith:node/buffer", ["Buffer"]);
  defineLazy("toolsmith:node/process", ["process"]);
  define("navigator", { userAgent: "Toolsmith", hardwareConcurrency: 1, language: "en-US", languages: ["en-US"] });
  installLocales(defineLazy);
  guardCompilers();
}

// The engine's compiler must not run out of memory: it would take the process down. So whatever compiles text does it
// with the limit lifted, and runs the outcome under it again. An `eval` is therefore always a global one.
function guardCompilers() {
  const compile = (Original, args, target) => {
    const texts = args.map((arg) => `${arg}`);
    host.liftLimit(true);
    try {
      return Reflect.construct(Original, texts, target);
    } finally {
      host.liftLimit(false);
    }
  };
  const examples = [function () {}, function* () {}, async function () {}, async function* () {}];
  for (const example of examples) {
    const prototype = Object.getPrototypeOf(example);
    const Original = prototype.constructor;
    const Guarded = new Proxy(Original, {
      apply: (_, __, args) => compile(Original, args, Original),
      construct: (_, args, target) => compile(Original, args, target === Guarded ? Original : target),
    });
    Object.defineProperty(prototype, "constructor", { value: Guarded, writable: true, configurable: true });
    if (Original === Function) define("Function", Guarded);
  }
  define("eval", (code) => (typeof code === "string" ? host.evalScript(code) : code));
}
