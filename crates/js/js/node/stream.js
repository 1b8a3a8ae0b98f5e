// Node's streams: the library that is made of Node's own, and the bridges to web streams it leaves to its host.

import { builtin } from "toolsmith:kernel";
import Stream from "toolsmith:npm/readable-stream";
import { Buffer } from "toolsmith:node/buffer";

const bridges = () => builtin("toolsmith:node_parts/stream_bridges");

Stream.setDefaultHighWaterMark(false, 64 * 1024);

export const { Readable, Writable, Duplex, Transform, PassThrough } = Stream;
export const {
  pipeline,
  finished,
  compose,
  addAbortSignal,
  destroy,
  isDestroyed,
  isDisturbed,
  isErrored,
  isReadable,
  isWritable,
  promises,
  getDefaultHighWaterMark,
  setDefaultHighWaterMark,
  _isUint8Array,
  _uint8ArrayToBuffer,
} = Stream;

const methods = {
  readable: {
    fromWeb: (stream, options) => bridges().readableFromWeb(stream, options),
    toWeb: (stream, options) => bridges().readableToWeb(stream, options),
  },
  writable: {
    fromWeb: (stream, options) => bridges().writableFromWeb(stream, options),
    toWeb: (stream) => bridges().writableToWeb(stream),
  },
  duplex: {
    fromWeb: (pair, options) => bridges().duplexFromWeb(pair, options),
    toWeb: (stream) => bridges().duplexToWeb(stream),
  },
};
Object.assign(Readable, methods.readable);
Object.assign(Writable, methods.writable);
Object.assign(Duplex, methods.duplex);

/** Two streams of which each reads what is written to the other. */
export function duplexPair(options) {
  const waiting = new Map();
  const make = () =>
    new Duplex({
      ...options,
      read() {
        const callback = waiting.get(this);
        if (callback === undefined) return;
        waiting.delete(this);
        callback();
      },
      write(chunk, encoding, callback) {
        const other = this === one ? two : one;
        if (chunk.length === 0) queueMicrotask(callback);
        else {
          waiting.set(other, callback);
          other.push(chunk, encoding);
        }
      },
      final(callback) {
        const other = this === one ? two : one;
        other.on("end", callback);
        other.push(null);
      },
    });
  const one = make();
  const two = make();
  return [one, two];
}
Stream.duplexPair = duplexPair;
Stream._uint8ArrayToBuffer ??= (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

export { Stream };
export default Stream;
