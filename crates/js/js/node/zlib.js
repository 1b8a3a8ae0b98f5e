// Node's zlib: gzip, deflate and brotli, at once or as streams. What comes out comes in pieces, so that input which expands
// without end meets the tool's limit of memory or `maxOutputLength`.

import { host } from "toolsmith:kernel";
import { checkFunction, coded, invalidArgType, outOfRange } from "toolsmith:node_parts/arguments";
import { Buffer } from "toolsmith:node/buffer";
import { Transform } from "toolsmith:node/stream";

const native = host.group("zlib");

export const constants = Object.freeze({
  Z_NO_FLUSH: 0,
  Z_PARTIAL_FLUSH: 1,
  Z_SYNC_FLUSH: 2,
  Z_FULL_FLUSH: 3,
  Z_FINISH: 4,
  Z_BLOCK: 5,
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_VERSION_ERROR: -6,
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
  Z_FILTERED: 1,
  Z_HUFFMAN_ONLY: 2,
  Z_RLE: 3,
  Z_FIXED: 4,
  Z_DEFAULT_STRATEGY: 0,
  DEFLATE: 1,
  INFLATE: 2,
  GZIP: 3,
  GUNZIP: 4,
  DEFLATERAW: 5,
  INFLATERAW: 6,
  UNZIP: 7,
  BROTLI_DECODE: 8,
  BROTLI_ENCODE: 9,
  Z_MIN_WINDOWBITS: 8,
  Z_MAX_WINDOWBITS: 15,
  Z_DEFAULT_WINDOWBITS: 15,
  Z_MIN_CHUNK: 64,
  Z_MAX_CHUNK: Infinity,
  Z_DEFAULT_CHUNK: 16384,
  Z_MIN_MEMLEVEL: 1,
  Z_MAX_MEMLEVEL: 9,
  Z_DEFAULT_MEMLEVEL: 8,
  Z_MIN_LEVEL: -1,
  Z_MAX_LEVEL: 9,
  Z_DEFAULT_LEVEL: -1,
  BROTLI_OPERATION_PROCESS: 0,
  BROTLI_OPERATION_FLUSH: 1,
  BROTLI_OPERATION_FINISH: 2,
  BROTLI_OPERATION_EMIT_METADATA: 3,
  BROTLI_PARAM_MODE: 0,
  BROTLI_MODE_GENERIC: 0,
  BROTLI_MODE_TEXT: 1,
  BROTLI_MODE_FONT: 2,
  BROTLI_DEFAULT_MODE: 0,
  BROTLI_PARAM_QUALITY: 1,
  BROTLI_MIN_QUALITY: 0,
  BROTLI_MAX_QUALITY: 11,
  BROTLI_DEFAULT_QUALITY: 11,
  BROTLI_PARAM_LGWIN: 2,
  BROTLI_MIN_WINDOW_BITS: 10,
  BROTLI_MAX_WINDOW_BITS: 24,
  BROTLI_DEFAULT_WINDOW: 22,
  BROTLI_PARAM_LGBLOCK: 3,
  BROTLI_PARAM_SIZE_HINT: 5,
  BROTLI_DECODER_PARAM_LARGE_WINDOW: 1,
});

/** As Node, the largest buffer; the limit of memory is met first. */
const MAX_OUTPUT = 2 ** 32;

function open(kind, options) {
  if (options?.dictionary !== undefined)
    throw coded(
      Error,
      "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      `zlib's option "dictionary" is not available in Toolsmith's embedded engine`,
    );
  if (kind.startsWith("brotli")) {
    const params = options?.params ?? {};
    return native.open(kind, params[constants.BROTLI_PARAM_QUALITY] ?? 11, params[constants.BROTLI_PARAM_LGWIN] ?? 22);
  }
  const level = options?.level ?? -1;
  if (typeof level !== "number") throw invalidArgType("options.level", "number", level);
  if (!(level >= -1 && level <= 9)) throw outOfRange("options.level", ">= -1 and <= 9", level);
  return native.open(kind, level === -1 ? 6 : level, 0);
}

function toBytes(data, name = "buffer") {
  if (typeof data === "string") return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView", "ArrayBuffer"], data);
}

const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function whole(kind, data, options) {
  const handle = open(kind, options);
  const most = options?.maxOutputLength ?? MAX_OUTPUT;
  native.push(handle, toBytes(data));
  const pieces = [];
  let length = 0;
  for (let piece = native.pull(handle, 2); piece.length > 0; piece = native.pull(handle, 2)) {
    length += piece.length;
    if (length > most)
      throw coded(RangeError, "ERR_BUFFER_TOO_LARGE", `Cannot create a Buffer larger than ${most} bytes`);
    pieces.push(piece);
  }
  return pieces.length === 1 ? asBuffer(pieces[0]) : Buffer.concat(pieces, length);
}

class ZlibBase extends Transform {
  #handle;
  #kind;
  #options;

  constructor(kind, options) {
    super({ highWaterMark: 16 * 1024, ...options, objectMode: false });
    this.#kind = kind;
    this.#options = options;
    this.#handle = open(kind, options);
    this.bytesWritten = 0;
  }
  #pull(flush) {
    for (
      let piece = native.pull(this.#handle, flush);
      piece.length > 0;
      piece = native.pull(this.#handle, flush === 1 ? 0 : flush)
    )
      this.push(asBuffer(piece));
  }
  #work(flush, callback) {
    try {
      this.#pull(flush);
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }
  _transform(chunk, _encoding, callback) {
    this.bytesWritten += chunk.length;
    native.push(this.#handle, chunk);
    this.#work(
      this.#options?.flush === constants.Z_SYNC_FLUSH || this.#options?.flush === constants.Z_FULL_FLUSH ? 1 : 0,
      callback,
    );
  }
  _flush(callback) {
    // What ends too early is an error unless its reader said that it does not mind.
    if (this.#options?.finishFlush === constants.Z_SYNC_FLUSH) this.#work(1, callback);
    else this.#work(2, callback);
  }
  flush(kind, callback) {
    const done = typeof kind === "function" ? kind : callback;
    if (this.writableEnded) {
      if (done) queueMicrotask(done);
      return;
    }
    this.#work(1, (error) => {
      if (error) this.destroy(error);
      else done?.();
    });
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.destroy();
  }
  reset() {
    this.#handle = open(this.#kind, this.#options);
  }
  params(_level, _strategy, callback) {
    if (callback) queueMicrotask(callback);
  }
}

/** The class, the function that makes one, and the functions that do it at once, for one kind. */
function codec(kind) {
  const name = kind.startsWith("brotli") ? kind.replace("brotli", "Brotli") : kind[0].toUpperCase() + kind.slice(1);
  // Node's classes can be called without `new`.
  const Class = {
    [name]: function (options) {
      return Reflect.construct(ZlibBase, [kind, options], new.target ?? Class);
    },
  }[name];
  Class.prototype = Object.create(ZlibBase.prototype, {
    constructor: { value: Class, writable: true, configurable: true },
  });
  const sync = (data, options) => whole(kind, data, options);
  const later = (data, options, callback) => {
    if (typeof options === "function") [options, callback] = [undefined, options];
    checkFunction(callback, "callback");
    const bytes = toBytes(data);
    setImmediate(() => {
      let result;
      try {
        result = whole(kind, bytes, options);
      } catch (error) {
        callback(error);
        return;
      }
      callback(null, result);
    });
  };
  return { Class, create: (options) => new Class(options), sync, later };
}

export const { Class: Gzip, create: createGzip, sync: gzipSync, later: gzip } = codec("gzip");
export const { Class: Gunzip, create: createGunzip, sync: gunzipSync, later: gunzip } = codec("gunzip");
export const { Class: Deflate, create: createDeflate, sync: deflateSync, later: deflate } = codec("deflate");
export const { Class: Inflate, create: createInflate, sync: inflateSync, later: inflate } = codec("inflate");
export const {
  Class: DeflateRaw,
  create: createDeflateRaw,
  sync: deflateRawSync,
  later: deflateRaw,
} = codec("deflateRaw");
export const {
  Class: InflateRaw,
  create: createInflateRaw,
  sync: inflateRawSync,
  later: inflateRaw,
} = codec("inflateRaw");
export const { Class: Unzip, create: createUnzip, sync: unzipSync, later: unzip } = codec("unzip");
export const {
  Class: BrotliCompress,
  create: createBrotliCompress,
  sync: brotliCompressSync,
  later: brotliCompress,
} = codec("brotliCompress");
export const {
  Class: BrotliDecompress,
  create: createBrotliDecompress,
  sync: brotliDecompressSync,
  later: brotliDecompress,
} = codec("brotliDecompress");

export const crc32 = (data, start = 0) => native.crc32(toBytes(data, "data"), start);
export const codes = Object.freeze({
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_VERSION_ERROR: -6,
});

export default {
  BrotliCompress,
  BrotliDecompress,
  Deflate,
  DeflateRaw,
  Gunzip,
  Gzip,
  Inflate,
  InflateRaw,
  Unzip,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  codes,
  constants,
  crc32,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createDeflateRaw,
  createGunzip,
  createGzip,
  createInflate,
  createInflateRaw,
  createUnzip,
  deflate,
  deflateRaw,
  deflateRawSync,
  deflateSync,
  gunzip,
  gunzipSync,
  gzip,
  gzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  unzip,
  unzipSync,
  ...constants,
};
