// Objects that are streams only for those who use them as one: most hashes and ciphers never are, and the streams of Node
// are a lot to load.

import { builtin } from "toolsmith:kernel";

const METHODS = [
  "write",
  "end",
  "pipe",
  "unpipe",
  "on",
  "once",
  "off",
  "emit",
  "addListener",
  "removeListener",
  "removeAllListeners",
  "prependListener",
  "prependOnceListener",
  "listenerCount",
  "listeners",
  "eventNames",
  "read",
  "resume",
  "pause",
  "isPaused",
  "setEncoding",
  "setDefaultEncoding",
  "destroy",
  "cork",
  "uncork",
  "unshift",
  "wrap",
  "setMaxListeners",
  "getMaxListeners",
];
const STATE = [
  "readable",
  "writable",
  "destroyed",
  "readableEnded",
  "writableEnded",
  "writableFinished",
  "readableFlowing",
  "readableLength",
  "writableLength",
  "readableHighWaterMark",
  "writableHighWaterMark",
  "readableObjectMode",
  "writableObjectMode",
  "writableNeedDrain",
  "closed",
  "errored",
  "_readableState",
  "_writableState",
];
const inner = new WeakMap();

/** Gives a class the methods of a Transform. `work(object)` gives the `{transform, flush}` behind it. */
export function streamable(Class, work) {
  const streamOf = (object) => {
    let stream = inner.get(object);
    if (stream === undefined) {
      const { Transform } = builtin("toolsmith:node/stream");
      stream = new Transform({ ...object._streamOptions, ...work(object) });
      inner.set(object, stream);
    }
    return stream;
  };
  const define = (name, descriptor) =>
    Object.defineProperty(Class.prototype, name, { configurable: true, enumerable: false, ...descriptor });
  for (const name of METHODS) {
    if (name in Class.prototype) continue;
    define(name, {
      writable: true,
      value(...args) {
        const stream = streamOf(this);
        const result = stream[name](...args);
        return result === stream ? this : result;
      },
    });
  }
  for (const name of STATE)
    define(name, {
      get() {
        return streamOf(this)[name];
      },
    });
  define(Symbol.asyncIterator, {
    writable: true,
    value() {
      return streamOf(this)[Symbol.asyncIterator]();
    },
  });
}
