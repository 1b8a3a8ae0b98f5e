// The numbers in a Buffer: reading and writing integers of any size, floats and big integers, with Node's checks.

import { coded, invalidArgType, outOfRange } from "toolsmith:node_parts/arguments";

// Each differs only in type, size and range.
const NUMBERS = [
  ["UInt8", "Uint8", 1, 0, 255],
  ["Int8", "Int8", 1, -128, 127],
  ["UInt16", "Uint16", 2, 0, 65535],
  ["Int16", "Int16", 2, -32768, 32767],
  ["UInt32", "Uint32", 4, 0, 2 ** 32 - 1],
  ["Int32", "Int32", 4, -(2 ** 31), 2 ** 31 - 1],
  ["Float", "Float32", 4],
  ["Double", "Float64", 8],
  ["BigInt64", "BigInt64", 8, -(2n ** 63n), 2n ** 63n - 1n],
  ["BigUInt64", "BigUint64", 8, 0n, 2n ** 64n - 1n],
];

function checkOffset(buffer, offset, size) {
  if (typeof offset !== "number") throw invalidArgType("offset", "number", offset);
  if (Number.isInteger(offset) && offset >= 0 && offset + size <= buffer.length) return;
  if (Math.floor(offset) !== offset) throw outOfRange("offset", "an integer", offset);
  if (buffer.length < size)
    throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
  throw outOfRange("offset", `>= 0 and <= ${buffer.length - size}`, offset);
}

function checkValue(value, min, max, size) {
  if (min === undefined || (value >= min && value <= max)) return;
  if (!(value > max || value < min)) return;
  const n = typeof min === "bigint" ? "n" : "";
  const bits = size * 8;
  let range;
  if (size <= 4) range = `>= ${min}${n} and <= ${max}${n}`;
  else if (min == 0) range = `>= 0${n} and < 2${n} ** ${bits}${n}`;
  else range = `>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`;
  throw outOfRange("value", range, value);
}

function checkLength(length) {
  if (length === undefined) throw invalidArgType("byteLength", "number", length);
  if (typeof length !== "number") throw invalidArgType("byteLength", "number", length);
  if (!Number.isInteger(length)) throw outOfRange("byteLength", "an integer", length);
  if (length < 1 || length > 6) throw outOfRange("byteLength", ">= 1 and <= 6", length);
}

const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

function readUnsigned(buffer, offset, length, little) {
  let value = 0;
  for (let index = 0; index < length; index++)
    value = value * 256 + buffer[offset + (little ? length - 1 - index : index)];
  return value;
}

function writeUnsigned(buffer, value, offset, length, little) {
  let rest = value < 0 ? value + 2 ** (8 * length) : value;
  for (let index = 0; index < length; index++) {
    buffer[offset + (little ? index : length - 1 - index)] = rest & 255;
    rest = Math.floor(rest / 256);
  }
  return offset + length;
}

function sized(order, signed) {
  const little = order === "LE";
  return [
    function (offset, length) {
      if (offset === undefined) throw invalidArgType("offset", "number", offset);
      checkLength(length);
      checkOffset(this, offset, length);
      const value = readUnsigned(this, offset, length, little);
      return signed && value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
    },
    function (value, offset, length) {
      checkLength(length);
      const number = +value;
      const half = 2 ** (8 * length - 1);
      checkValue(number, signed ? -half : 0, signed ? half - 1 : 2 * half - 1, length);
      checkOffset(this, offset, length);
      return writeUnsigned(this, number, offset, length, little);
    },
  ];
}

/** Adds all of them to a prototype. */
export function defineNumbers(prototype) {
  const define = (name, value) => {
    Object.defineProperty(value, "name", { value: name });
    for (const spelled of new Set([name, name.replace("UInt", "Uint")])) {
      Object.defineProperty(prototype, spelled, { value, writable: true, configurable: true, enumerable: true });
    }
  };
  for (const [name, type, size, min, max] of NUMBERS) {
    for (const order of size === 1 ? [""] : ["LE", "BE"]) {
      const little = order === "LE";
      const [get, set] = [`get${type}`, `set${type}`];
      define(`read${name}${order}`, function (offset = 0) {
        checkOffset(this, offset, size);
        return view(this)[get](offset, little);
      });
      define(`write${name}${order}`, function (value, offset = 0) {
        const given = typeof min === "bigint" ? value : +value;
        if (typeof min === "bigint" && typeof value !== "bigint")
          throw new TypeError("Cannot mix BigInt and other types, use explicit conversions");
        checkValue(given, min, max, size);
        checkOffset(this, offset, size);
        view(this)[set](offset, given, little);
        return offset + size;
      });
    }
  }
  for (const order of ["LE", "BE"]) {
    for (const signed of [false, true]) {
      const [read, write] = sized(order, signed);
      define(`read${signed ? "Int" : "UInt"}${order}`, read);
      define(`write${signed ? "Int" : "UInt"}${order}`, write);
    }
  }
}
