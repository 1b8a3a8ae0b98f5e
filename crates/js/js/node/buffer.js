// Node's Buffer: a Uint8Array that knows encodings and numbers.

import { host } from "toolsmith:kernel";
import { checkInteger, coded, invalidArgType, invalidArgValue, outOfRange } from "toolsmith:node_parts/arguments";
import { defineNumbers } from "toolsmith:node_parts/buffer_numbers";
import { Blob, File } from "toolsmith:web/blob";
import { atob, btoa } from "toolsmith:web/encoding";

export const kMaxLength = 2 ** 32;
export const kStringMaxLength = 2 ** 29 - 24;
export const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: kStringMaxLength };
export const INSPECT_MAX_BYTES = 50;

const ENCODINGS = {
  utf8: "utf8",
  "utf-8": "utf8",
  hex: "hex",
  base64: "base64",
  base64url: "base64url",
  latin1: "latin1",
  binary: "latin1",
  ascii: "ascii",
  ucs2: "utf16le",
  "ucs-2": "utf16le",
  utf16le: "utf16le",
  "utf-16le": "utf16le",
};

function encodingOf(encoding) {
  if (encoding === undefined || encoding === null || encoding === "") return "utf8";
  const known = ENCODINGS[String(encoding).toLowerCase()];
  if (known === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
  return known;
}

function encode(text, encoding) {
  switch (encodingOf(encoding)) {
    case "utf8":
      return host.utf8Encode(text);
    case "hex":
      return host.hexDecode(text);
    case "base64":
    case "base64url":
      return host.base64Decode(text);
    case "utf16le": {
      const bytes = new Uint8Array(text.length * 2);
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index);
        bytes[index * 2] = code & 255;
        bytes[index * 2 + 1] = code >> 8;
      }
      return bytes;
    }
    default: {
      const bytes = new Uint8Array(text.length);
      for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index) & 255;
      return bytes;
    }
  }
}

function decode(bytes, encoding) {
  switch (encodingOf(encoding)) {
    case "utf8":
      return host.utf8Decode(bytes, false);
    case "hex":
      return host.hexEncode(bytes);
    case "base64":
      return host.base64Encode(bytes, false);
    case "base64url":
      return host.base64Encode(bytes, true);
    case "utf16le": {
      let text = "";
      for (let index = 0; index + 1 < bytes.length; index += 2)
        text += String.fromCharCode(bytes[index] | (bytes[index + 1] << 8));
      return text;
    }
    case "ascii":
      return host.latin1Decode(bytes.map((byte) => byte & 127));
    default:
      return host.latin1Decode(bytes);
  }
}

/** Gives a view of an array's bytes the prototype of Buffer. */
function own(bytes) {
  return Object.setPrototypeOf(bytes, Buffer.prototype);
}

function search(buffer, value, offset, encoding, last) {
  if (typeof offset === "string") {
    encoding = offset;
    offset = undefined;
  }
  const needle =
    typeof value === "number"
      ? new Uint8Array([value & 255])
      : typeof value === "string"
        ? encode(value, encoding)
        : value;
  if (!(needle instanceof Uint8Array))
    throw invalidArgType("value", ["number", "string", "Buffer", "Uint8Array"], value);
  const length = buffer.length;
  let start = offset === undefined || Number.isNaN(+offset) ? (last ? length : 0) : Math.trunc(+offset);
  if (start < 0) start = Math.max(0, length + start);
  const max = length - needle.length;
  const matches = (at) => {
    for (let index = 0; index < needle.length; index++) if (buffer[at + index] !== needle[index]) return false;
    return true;
  };
  if (last) {
    for (let at = Math.min(start, max); at >= 0; at--) if (matches(at)) return at;
  } else {
    if (needle.length === 0) return Math.min(start, length);
    for (
      let at = Uint8Array.prototype.indexOf.call(buffer, needle[0], start);
      at >= 0 && at <= max;
      at = Uint8Array.prototype.indexOf.call(buffer, needle[0], at + 1)
    ) {
      if (matches(at)) return at;
    }
  }
  return -1;
}

function swap(buffer, size) {
  if (buffer.length % size !== 0)
    throw coded(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
  for (let at = 0; at < buffer.length; at += size) buffer.subarray(at, at + size).reverse();
  return buffer;
}

/** As old code calls it, with `new` or without. */
export function Buffer(value, encodingOrOffset, length) {
  return typeof value === "number" ? Buffer.alloc(value) : Buffer.from(value, encodingOrOffset, length);
}

const isMemory = (value) =>
  value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

function checkSize(size) {
  if (typeof size !== "number") throw invalidArgType("size", "number", size);
  if (!(size >= 0 && size <= kMaxLength)) throw outOfRange("size", `>= 0 && <= ${kMaxLength}`, size);
}

const statics = {
  poolSize: 8192,

  from(value, encodingOrOffset, length) {
    if (typeof value === "string") return own(encode(value, encodingOrOffset));
    if (isMemory(value)) {
      const offset = encodingOrOffset === undefined || Number.isNaN(+encodingOrOffset) ? 0 : +encodingOrOffset;
      const room = value.byteLength - offset;
      if (room < 0) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"offset" is outside of buffer bounds');
      const wanted = length === undefined ? room : length > 0 ? +length : 0;
      if (wanted > room) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"length" is outside of buffer bounds');
      return own(new Uint8Array(value, offset, wanted));
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return own(new Uint8Array(value));
    if (typeof value === "object" && value !== null) {
      const primitive = value.valueOf?.();
      if (primitive != null && primitive !== value && (typeof primitive === "string" || typeof primitive === "object"))
        return Buffer.from(primitive, encodingOrOffset, length);
      if (value.type === "Buffer" && Array.isArray(value.data)) return own(Uint8Array.from(value.data));
      if (value.length !== undefined)
        return own(
          typeof value.length === "number" && value.length > 0
            ? Uint8Array.from(value, (item) => item & 255)
            : new Uint8Array(0),
        );
      const text = value[Symbol.toPrimitive]?.("string");
      if (typeof text === "string") return Buffer.from(text, encodingOrOffset);
    }
    throw invalidArgType("first argument", ["string", "Buffer", "ArrayBuffer", "Array", "Array-like Object"], value);
  },
  of: (...items) => own(Uint8Array.of(...items)),
  alloc(size, fill, encoding) {
    checkSize(size);
    const buffer = own(new Uint8Array(size));
    return fill === undefined || fill === 0 || size === 0 ? buffer : buffer.fill(fill, encoding);
  },
  allocUnsafe(size) {
    checkSize(size);
    return own(new Uint8Array(size));
  },
  allocUnsafeSlow(size) {
    checkSize(size);
    return own(new Uint8Array(size));
  },
  isBuffer: (value) => value instanceof Buffer,
  isEncoding: (encoding) =>
    typeof encoding === "string" && encoding.length > 0 && ENCODINGS[encoding.toLowerCase()] !== undefined,
  byteLength(value, encoding) {
    if (typeof value !== "string") {
      if (ArrayBuffer.isView(value) || isMemory(value)) return value.byteLength;
      throw invalidArgType("string", ["string", "Buffer", "ArrayBuffer"], value);
    }
    const known = ENCODINGS[String(encoding ?? "utf8").toLowerCase()] ?? "utf8";
    if (known === "utf16le") return value.length * 2;
    if (known === "latin1" || known === "ascii") return value.length;
    if (known === "hex") return value.length >>> 1;
    if (known !== "utf8") {
      const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
      return ((value.length - padding) * 3) >>> 2;
    }
    return encode(value, known).length;
  },
  concat(list, total) {
    if (!Array.isArray(list)) throw invalidArgType("list", "Array", list);
    if (total === undefined) total = list.reduce((sum, item) => sum + (item?.length ?? 0), 0);
    else checkInteger(total, "length", 0);
    const joined = Buffer.allocUnsafe(total);
    let at = 0;
    for (const [index, item] of list.entries()) {
      if (!(item instanceof Uint8Array)) throw invalidArgType(`list[${index}]`, ["Buffer", "Uint8Array"], item);
      const part = item.length > total - at ? Uint8Array.prototype.subarray.call(item, 0, total - at) : item;
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  },
  compare(one, other) {
    if (!(one instanceof Uint8Array)) throw invalidArgType("buf1", ["Buffer", "Uint8Array"], one);
    if (!(other instanceof Uint8Array)) throw invalidArgType("buf2", ["Buffer", "Uint8Array"], other);
    const length = Math.min(one.length, other.length);
    for (let index = 0; index < length; index++)
      if (one[index] !== other[index]) return one[index] < other[index] ? -1 : 1;
    return Math.sign(one.length - other.length);
  },
  copyBytesFrom(array, offset = 0, length = array.length - offset) {
    if (!ArrayBuffer.isView(array) || array instanceof DataView) throw invalidArgType("view", "TypedArray", array);
    checkInteger(offset, "offset", 0);
    checkInteger(length, "length", 0);
    const part = array.subarray(offset, offset + length);
    return own(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice());
  },
};
for (const [name, value] of Object.entries(statics))
  Object.defineProperty(Buffer, name, { value, writable: true, configurable: true, enumerable: true });

/** The methods; what makes arrays of bytes buffers is having them. */
class FastBuffer extends Uint8Array {
  get parent() {
    return this.buffer;
  }
  get offset() {
    return this.byteOffset;
  }
  toString(encoding, start = 0, end = this.length) {
    const from = Math.max(0, Math.trunc(start) || 0);
    const to = Math.min(this.length, Math.trunc(end) || 0);
    if (from >= to) return "";
    return decode(from === 0 && to === this.length ? this : this.subarray(from, to), encoding);
  }
  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  }
  toJSON() {
    return { type: "Buffer", data: [...this] };
  }
  equals(other) {
    if (!(other instanceof Uint8Array)) throw invalidArgType("otherBuffer", ["Buffer", "Uint8Array"], other);
    return this === other || (this.length === other.length && Buffer.compare(this, other) === 0);
  }
  compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
    if (!(target instanceof Uint8Array)) throw invalidArgType("target", ["Buffer", "Uint8Array"], target);
    checkInteger(targetStart, "targetStart", 0);
    checkInteger(targetEnd, "targetEnd", 0, target.length);
    checkInteger(start, "sourceStart", 0);
    checkInteger(end, "sourceEnd", 0, this.length);
    if (start >= end) return targetStart >= targetEnd ? 0 : -1;
    if (targetStart >= targetEnd) return 1;
    return Buffer.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    if (!(target instanceof Uint8Array)) throw invalidArgType("target", ["Buffer", "Uint8Array"], target);
    const at = Math.trunc(targetStart) || 0;
    const from = Math.trunc(start) || 0;
    if (at < 0) throw outOfRange("targetStart", ">= 0", targetStart);
    if (from < 0 || from > this.length) throw outOfRange("sourceStart", `>= 0 && <= ${this.length}`, start);
    if (end < 0) throw outOfRange("sourceEnd", ">= 0", end);
    if (at >= target.length || from >= end) return 0;
    const part = this.subarray(from, Math.min(end, from + target.length - at));
    target.set(part, at);
    return part.length;
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  subarray(start, end) {
    return own(
      Uint8Array.prototype.subarray.call(new Uint8Array(this.buffer, this.byteOffset, this.length), start, end),
    );
  }
  write(text, offset, length, encoding) {
    if (typeof text !== "string") throw coded(TypeError, "ERR_INVALID_ARG_TYPE", "argument must be a string");
    if (typeof offset === "string") return this.write(text, 0, this.length, offset);
    if (typeof length === "string") return this.write(text, offset, undefined, length);
    const from = offset ?? 0;
    checkInteger(from, "offset", 0, this.length);
    const room = Math.min(length ?? this.length, this.length - from);
    if (length !== undefined) checkInteger(length, "length", 0, this.length - from);
    let bytes = encode(text, encoding);
    if (bytes.length > room) {
      let end = room;
      const known = encodingOf(encoding);
      // A character is written whole or not at all.
      if (known === "utf8") while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
      if (known === "utf16le") end &= ~1;
      bytes = bytes.subarray(0, end);
    }
    this.set(bytes, from);
    return bytes.length;
  }
  fill(value, offset, end, encoding) {
    if (typeof offset === "string") return this.fill(value, 0, this.length, offset);
    if (typeof end === "string") return this.fill(value, offset, this.length, end);
    const from = offset ?? 0;
    const to = end ?? this.length;
    checkInteger(from, "offset", 0);
    checkInteger(to, "end", 0, this.length);
    if (typeof value !== "string" && !(value instanceof Uint8Array)) {
      Uint8Array.prototype.fill.call(this, Number(value) & 255, from, to);
      return this;
    }
    const bytes = typeof value === "string" ? encode(value, encoding) : value;
    if (bytes.length === 0) {
      if (value.length > 0) throw invalidArgValue("value", value);
      Uint8Array.prototype.fill.call(this, 0, from, to);
      return this;
    }
    for (let at = from; at < to; at++) this[at] = bytes[(at - from) % bytes.length];
    return this;
  }
  indexOf(value, offset, encoding) {
    return search(this, value, offset, encoding, false);
  }
  lastIndexOf(value, offset, encoding) {
    return search(this, value, offset, encoding, true);
  }
  includes(value, offset, encoding) {
    return search(this, value, offset, encoding, false) !== -1;
  }
  swap16() {
    return swap(this, 2);
  }
  swap32() {
    return swap(this, 4);
  }
  swap64() {
    return swap(this, 8);
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    const shown = [...this.subarray(0, INSPECT_MAX_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const more = this.length > INSPECT_MAX_BYTES ? ` ... ${this.length - INSPECT_MAX_BYTES} more bytes` : "";
    return `<Buffer${shown === "" ? "" : ` ${shown}`}${more}>`;
  }
}
delete FastBuffer.prototype.constructor;
Buffer.prototype = FastBuffer.prototype;
Buffer.prototype.constructor = Buffer;
Object.setPrototypeOf(Buffer, Uint8Array);
for (const name of Object.getOwnPropertyNames(Buffer.prototype))
  Object.defineProperty(Buffer.prototype, name, { enumerable: true });
Object.defineProperty(Buffer.prototype, "constructor", { enumerable: false });

defineNumbers(Buffer.prototype);
for (const [method, encoding] of [
  ["latin1", "latin1"],
  ["ascii", "ascii"],
  ["base64", "base64"],
  ["base64url", "base64url"],
  ["hex", "hex"],
  ["utf8", "utf8"],
  ["ucs2", "utf16le"],
]) {
  Object.defineProperty(Buffer.prototype, `${method}Slice`, {
    value(start, end) {
      return this.toString(encoding, start, end);
    },
    writable: true,
    configurable: true,
  });
  Object.defineProperty(Buffer.prototype, `${method}Write`, {
    value(text, offset, length) {
      return this.write(text, offset, length, encoding);
    },
    writable: true,
    configurable: true,
  });
}

export function SlowBuffer(size) {
  return Buffer.allocUnsafeSlow(size);
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);

function bytesOf(input) {
  if (isMemory(input)) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw invalidArgType("input", ["ArrayBuffer", "Buffer", "TypedArray"], input);
}
export function isUtf8(input) {
  try {
    host.utf8Decode(bytesOf(input), true);
    return true;
  } catch (error) {
    if (error.code !== undefined) throw error;
    return false;
  }
}
export const isAscii = (input) => bytesOf(input).every((byte) => byte < 128);
export function transcode(source, from, to) {
  if (!(source instanceof Uint8Array)) throw invalidArgType("source", ["Buffer", "Uint8Array"], source);
  const [known, wanted] = [encodingOf(from), encodingOf(to)];
  const text = decode(source, known);
  if (wanted !== "latin1" && wanted !== "ascii") return Buffer.from(text, wanted);
  // What the narrow encoding has no letter for becomes a question mark.
  const max = wanted === "ascii" ? 127 : 255;
  return own(Uint8Array.from([...text], (letter) => (letter.codePointAt(0) > max ? 63 : letter.codePointAt(0))));
}
export const resolveObjectURL = () => undefined;
export { Blob, File, atob, btoa };
export default {
  Buffer,
  SlowBuffer,
  Blob,
  File,
  atob,
  btoa,
  constants,
  kMaxLength,
  kStringMaxLength,
  INSPECT_MAX_BYTES,
  isUtf8,
  isAscii,
  transcode,
  resolveObjectURL,
};
