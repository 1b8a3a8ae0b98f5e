// Bytes to text piece by piece: what a piece cuts in half waits for the next.

import { Buffer } from "toolsmith:node/buffer";
import { coded, invalidArgType } from "toolsmith:node_parts/arguments";

const EMPTY = new Uint8Array(0);

/** How many bytes at the end belong to a character that is not whole. */
function unfinishedUtf8(bytes) {
  const from = Math.max(0, bytes.length - 3);
  for (let at = bytes.length - 1; at >= from; at--) {
    const byte = bytes[at];
    if ((byte & 0xc0) === 0x80) continue;
    const length =
      byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    const have = bytes.length - at;
    if (have >= length) return 0;
    // A second byte that cannot follow makes it no character at all.
    if (have >= 2) {
      const second = bytes[at + 1];
      if (
        (byte === 0xe0 && second < 0xa0) ||
        (byte === 0xed && second > 0x9f) ||
        (byte === 0xf0 && second < 0x90) ||
        (byte === 0xf4 && second > 0x8f)
      )
        return 0;
    }
    return have;
  }
  return 0;
}

function unfinishedUtf16(bytes) {
  const odd = bytes.length % 2;
  const last = bytes.length - odd;
  const isHigh = last >= 2 && (bytes[last - 1] & 0xfc) === 0xd8;
  return odd + (isHigh ? 2 : 0);
}

const UNFINISHED = {
  utf8: unfinishedUtf8,
  utf16le: unfinishedUtf16,
  base64: (bytes) => bytes.length % 3,
  base64url: (bytes) => bytes.length % 3,
};
const NAMES = { "utf-8": "utf8", binary: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le" };

export function StringDecoder(encoding) {
  const name = String(encoding ?? "utf8").toLowerCase() || "utf8";
  if (!Buffer.isEncoding(name)) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
  this.encoding = NAMES[name] ?? name;
  Object.defineProperty(this, "kept", { value: EMPTY, writable: true, enumerable: false });
}

StringDecoder.prototype.write = function write(chunk) {
  if (typeof chunk === "string") return chunk;
  if (!ArrayBuffer.isView(chunk)) throw invalidArgType("buf", ["Buffer", "TypedArray", "DataView"], chunk);
  let bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (this.kept.length > 0) bytes = Buffer.concat([this.kept, bytes]);
  const left = UNFINISHED[this.encoding]?.(bytes) ?? 0;
  const end = bytes.length - left;
  this.kept = left === 0 ? EMPTY : bytes.slice(end);
  return end === 0 ? "" : Buffer.prototype.toString.call(bytes, this.encoding, 0, end);
};

StringDecoder.prototype.end = function end(chunk) {
  const text = chunk === undefined ? "" : this.write(chunk);
  const kept = this.kept;
  this.kept = EMPTY;
  if (kept.length === 0) return text;
  if (this.encoding === "utf8") return `${text}\ufffd`;
  return text + Buffer.prototype.toString.call(kept, this.encoding);
};

StringDecoder.prototype.text = function text(chunk, offset) {
  this.kept = EMPTY;
  return this.write(chunk.subarray(offset));
};

Object.defineProperties(StringDecoder.prototype, {
  lastNeed: {
    configurable: true,
    get() {
      const byte = this.kept[0];
      if (byte === undefined) return 0;
      if (this.encoding === "utf8") return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) - this.kept.length;
      return this.encoding === "utf16le" ? (this.kept.length % 2 === 0 ? 2 : 1) : 3 - this.kept.length;
    },
  },
  lastTotal: {
    configurable: true,
    get() {
      return this.kept.length === 0 ? 0 : this.kept.length + this.lastNeed;
    },
  },
  lastChar: {
    configurable: true,
    get() {
      return Buffer.from(this.kept);
    },
  },
});

export default { StringDecoder };
