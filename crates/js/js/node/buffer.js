// Node's Buffer: a Uint8Array that knows encodings and numbers.

import { host } from "toolsmith:kernel";
import { Blob, File } from "toolsmith:web/blob";
import { atob, btoa } from "toolsmith:web/encoding";

export const kMaxLength = 2 ** 32;
export const kStringMaxLength = 2 ** 29 - 24;
export const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: kStringMaxLength };
export const INSPECT_MAX_BYTES = 50;

const ENCODINGS = {
  utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", latin1: "latin1", binary: "latin1",
  ascii: "ascii", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le",
};

function encodingOf(encoding) {
  if (encoding === undefined || encoding === null || encoding === "") return "utf8";
  const known = ENCODINGS[String(encoding).toLowerCase()];
  if (known === undefined) throw Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: "ERR_UNKNOWN_ENCODING" });
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
      for (let index = 0; index + 1 < bytes.length; index += 2) text += String.fromCharCode(bytes[index] | (bytes[index + 1] << 8));
      return text;
    }
    case "ascii":
      return host.latin1Decode(bytes.map((byte) => byte & 127));
    default:
      return host.latin1Decode(bytes);
  }
}

function invalidArgument(name, expected, value) {
  const got = value === null ? "null" : typeof value === "object" ? `an instance of ${value.constructor?.name ?? "Object"}` : `type ${typeof value} (${String(value)})`;
  return Object.assign(new TypeError(`The ${name} argument must be ${expected}. Received ${got}`), { code: "ERR_INVALID_ARG_TYPE" });
}

function outOfRange(name, range, value) {
  return Object.assign(new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${value}`), { code: "ERR_OUT_OF_RANGE" });
}

/** Gives a view of an array's bytes the prototype of Buffer. */
function own(bytes) {
  return Object.setPrototypeOf(bytes, Buffer.prototype);
}

const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

function search(buffer, value, offset, encoding, last) {
  if (typeof offset === "string") {
    encoding = offset;
    offset = undefined;
  }
  const needle = typeof value === "number" ? new Uint8Array([value & 255]) : typeof value === "string" ? encode(value, encoding) : value;
  if (!(needle instanceof Uint8Array)) throw invalidArgument('"value"', "one of type number or string or an instance of Buffer or Uint8Array", value);
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
    for (let at = Uint8Array.prototype.indexOf.call(buffer, needle[0], start); at >= 0 && at <= max; at = Uint8Array.prototype.indexOf.call(buffer, needle[0], at + 1)) {
      if (matches(at)) return at;
    }
  }
  return -1;
}

export class Buffer extends Uint8Array {
  static poolSize = 8192;

  static from(value, encodingOrOffset, length) {
    if (typeof value === "string") return own(encode(value, encodingOrOffset));
    if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer)) {
      return own(new Uint8Array(value, encodingOrOffset, length));
    }
    if (ArrayBuffer.isView(value)) return own(new Uint8Array(value));
    if (typeof value === "object" && value !== null) {
      const primitive = value.valueOf?.();
      if (primitive != null && primitive !== value && (typeof primitive === "string" || typeof primitive === "object")) return Buffer.from(primitive, encodingOrOffset, length);
      if (value.type === "Buffer" && Array.isArray(value.data)) return own(Uint8Array.from(value.data));
      if (typeof value.length === "number" || typeof value[Symbol.iterator] === "function") return own(Uint8Array.from(value, (item) => item & 255));
      const text = value[Symbol.toPrimitive]?.("string");
      if (typeof text === "string") return Buffer.from(text, encodingOrOffset);
    }
    throw invalidArgument("first", "of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object", value);
  }
  static of(...items) {
    return Buffer.from(items);
  }
  static alloc(size, fill, encoding) {
    if (typeof size !== "number") throw invalidArgument('"size"', "of type number", size);
    if (!(size >= 0 && size <= kMaxLength)) throw outOfRange("size", `>= 0 && <= ${kMaxLength}`, size);
    const buffer = own(new Uint8Array(size));
    return fill === undefined || fill === 0 ? buffer : buffer.fill(fill, encoding);
  }
  static allocUnsafe(size) {
    return Buffer.alloc(size);
  }
  static allocUnsafeSlow(size) {
    return Buffer.alloc(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(encoding) {
    return typeof encoding === "string" && ENCODINGS[encoding.toLowerCase()] !== undefined;
  }
  static byteLength(value, encoding) {
    if (typeof value !== "string") {
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
      throw invalidArgument('"string"', "of type string or an instance of Buffer or ArrayBuffer", value);
    }
    return encode(value, encoding).length;
  }
  static concat(list, total = list.reduce((sum, item) => sum + item.length, 0)) {
    const joined = Buffer.alloc(total);
    let at = 0;
    for (const item of list) {
      if (!(item instanceof Uint8Array)) throw invalidArgument('"list"', "an array of Buffers or Uint8Arrays", item);
      const part = item.length > total - at ? item.subarray(0, total - at) : item;
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
  static compare(one, other) {
    const length = Math.min(one.length, other.length);
    for (let index = 0; index < length; index++) if (one[index] !== other[index]) return one[index] < other[index] ? -1 : 1;
    return Math.sign(one.length - other.length);
  }
  static copyBytesFrom(array, offset = 0, length = array.length - offset) {
    const part = array.subarray(offset, offset + length);
    return Buffer.from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  }

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
    if (!(other instanceof Uint8Array)) throw invalidArgument('"otherBuffer"', "an instance of Buffer or Uint8Array", other);
    return this === other || (this.length === other.length && Buffer.compare(this, other) === 0);
  }
  compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
    return Buffer.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  subarray(start, end) {
    return own(Uint8Array.prototype.subarray.call(new Uint8Array(this.buffer, this.byteOffset, this.length), start, end));
  }
  write(text, offset, length, encoding) {
    if (typeof offset === "string") return this.write(text, 0, this.length, offset);
    if (typeof length === "string") return this.write(text, offset, undefined, length);
    const from = offset ?? 0;
    const room = Math.min(length ?? this.length, this.length - from);
    let bytes = encode(String(text), encoding);
    if (bytes.length > room) {
      let end = room;
      // A character is written whole or not at all.
      if (encodingOf(encoding) === "utf8") while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
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
    if (typeof value === "number" || typeof value === "boolean") {
      Uint8Array.prototype.fill.call(this, Number(value) & 255, from, to);
      return this;
    }
    const bytes = typeof value === "string" ? encode(value, encoding) : value;
    if (bytes.length === 0) {
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
  #swap(size) {
    if (this.length % size !== 0) throw Object.assign(new RangeError(`Buffer size must be a multiple of ${size * 8}-bits`), { code: "ERR_INVALID_BUFFER_SIZE" });
    for (let at = 0; at < this.length; at += size) this.subarray(at, at + size).reverse();
    return this;
  }
  swap16() {
    return this.#swap(2);
  }
  swap32() {
    return this.#swap(4);
  }
  swap64() {
    return this.#swap(8);
  }
  readUIntLE(offset, length) {
    let value = 0;
    for (let index = length - 1; index >= 0; index--) value = value * 256 + this[offset + index];
    return value;
  }
  readUIntBE(offset, length) {
    let value = 0;
    for (let index = 0; index < length; index++) value = value * 256 + this[offset + index];
    return value;
  }
  readIntLE(offset, length) {
    const value = this.readUIntLE(offset, length);
    return value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
  }
  readIntBE(offset, length) {
    const value = this.readUIntBE(offset, length);
    return value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
  }
  writeUIntLE(value, offset, length) {
    for (let index = 0, rest = value; index < length; index++, rest = Math.floor(rest / 256)) this[offset + index] = rest & 255;
    return offset + length;
  }
  writeUIntBE(value, offset, length) {
    for (let index = length - 1, rest = value; index >= 0; index--, rest = Math.floor(rest / 256)) this[offset + index] = rest & 255;
    return offset + length;
  }
  writeIntLE(value, offset, length) {
    return this.writeUIntLE(value < 0 ? value + 2 ** (8 * length) : value, offset, length);
  }
  writeIntBE(value, offset, length) {
    return this.writeUIntBE(value < 0 ? value + 2 ** (8 * length) : value, offset, length);
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    const shown = [...this.subarray(0, INSPECT_MAX_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const more = this.length > INSPECT_MAX_BYTES ? ` ... ${this.length - INSPECT_MAX_BYTES} more bytes` : "";
    return `<Buffer${shown === "" ? "" : ` ${shown}`}${more}>`;
  }
}

// The accessors for single numbers differ only in type, size and order.
const NUMBERS = [
  ["UInt8", "Uint8", 1], ["Int8", "Int8", 1], ["UInt16", "Uint16", 2], ["Int16", "Int16", 2], ["UInt32", "Uint32", 4], ["Int32", "Int32", 4],
  ["Float", "Float32", 4], ["Double", "Float64", 8], ["BigInt64", "BigInt64", 8], ["BigUInt64", "BigUint64", 8],
];

function checkOffset(buffer, offset, size) {
  if (typeof offset !== "number") throw invalidArgument('"offset"', "of type number", offset);
  if (buffer.length < size) throw Object.assign(new RangeError("Attempt to access memory outside buffer bounds"), { code: "ERR_BUFFER_OUT_OF_BOUNDS" });
  if (!Number.isInteger(offset) || offset < 0 || offset + size > buffer.length) throw outOfRange("offset", `>= 0 and <= ${buffer.length - size}`, offset);
}

for (const [name, type, size] of NUMBERS) {
  for (const order of size === 1 ? [""] : ["LE", "BE"]) {
    const little = order === "LE";
    const read = function (offset = 0) {
      checkOffset(this, offset, size);
      return view(this)[`get${type}`](offset, little);
    };
    const write = function (value, offset = 0) {
      checkOffset(this, offset, size);
      view(this)[`set${type}`](offset, value, little);
      return offset + size;
    };
    for (const spelled of new Set([name, name.replace("UInt", "Uint")])) {
      Object.defineProperty(Buffer.prototype, `read${spelled}${order}`, { value: read, writable: true, configurable: true });
      Object.defineProperty(Buffer.prototype, `write${spelled}${order}`, { value: write, writable: true, configurable: true });
    }
  }
}
for (const [method, encoding] of [["latin1", "latin1"], ["ascii", "ascii"], ["base64", "base64"], ["base64url", "base64url"], ["hex", "hex"], ["utf8", "utf8"], ["ucs2", "utf16le"]]) {
  Object.defineProperty(Buffer.prototype, `${method}Slice`, { value(start, end) { return this.toString(encoding, start, end); }, writable: true, configurable: true });
  Object.defineProperty(Buffer.prototype, `${method}Write`, { value(text, offset, length) { return this.write(text, offset, length, encoding); }, writable: true, configurable: true });
}

export const SlowBuffer = Buffer;
export const isUtf8 = (input) => {
  try {
    host.utf8Decode(new Uint8Array(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength), true);
    return true;
  } catch {
    return false;
  }
};
export const isAscii = (input) => new Uint8Array(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength).every((byte) => byte < 128);
export const transcode = (source, from, to) => Buffer.from(Buffer.from(source).toString(from), to);
export { Blob, File, atob, btoa };
export default { Buffer, SlowBuffer, Blob, File, atob, btoa, constants, kMaxLength, kStringMaxLength, INSPECT_MAX_BYTES, isUtf8, isAscii, transcode };
