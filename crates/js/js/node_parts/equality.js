// Whether two values are the same all the way down, strictly or as `==` sees it.

import { types } from "toolsmith:node_parts/types";

const isObject = (value) => typeof value === "object" && value !== null;

function keysOf(value) {
  const symbols = Object.getOwnPropertySymbols(value).filter((symbol) =>
    Object.prototype.propertyIsEnumerable.call(value, symbol),
  );
  return [Object.keys(value), symbols];
}

class Comparison {
  #strict;
  #pairs = new Map();
  constructor(strict) {
    this.#strict = strict;
  }

  equal(one, other) {
    if (one === other) return one !== 0 || !this.#strict || Object.is(one, other);
    if (this.#strict) {
      if (!isObject(one) || !isObject(other))
        return Number.isNaN(one) && Number.isNaN(other) && typeof one === "number" && typeof other === "number";
      if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
    } else {
      if (!isObject(one) || !isObject(other)) {
        return (
          !isObject(one) &&
          !isObject(other) &&
          typeof one !== "function" &&
          typeof other !== "function" &&
          (one == other || (Number.isNaN(one) && Number.isNaN(other)))
        );
      }
    }
    return this.#objects(one, other);
  }

  #objects(one, other) {
    if (Object.prototype.toString.call(one) !== Object.prototype.toString.call(other)) return false;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    if (Array.isArray(one) && one.length !== other.length) return false;
    if (types.isDate(one) !== types.isDate(other) || types.isRegExp(one) !== types.isRegExp(other)) return false;
    if (types.isDate(one) && !Object.is(one.getTime(), other.getTime())) return false;
    if (types.isRegExp(one) && (String(one) !== String(other) || one.lastIndex !== other.lastIndex)) return false;
    if (one instanceof Error || other instanceof Error) {
      if (!(one instanceof Error && other instanceof Error) || one.message !== other.message || one.name !== other.name)
        return false;
      if (!this.equal(one.cause, other.cause) || !this.equal(one.errors, other.errors)) return false;
    }
    if (ArrayBuffer.isView(one) || types.isAnyArrayBuffer(one)) {
      if (!sameBytes(one, other, this.#strict)) return false;
    }
    if (types.isBoxedPrimitive(one) || types.isBoxedPrimitive(other)) {
      if (!types.isBoxedPrimitive(one) || !types.isBoxedPrimitive(other) || !Object.is(one.valueOf(), other.valueOf()))
        return false;
    }
    if (types.isSet(one) !== types.isSet(other) || types.isMap(one) !== types.isMap(other)) return false;
    if (types.isPromise(one) || types.isWeakMap(one) || types.isWeakSet(one)) return false;
    // What refers back to itself is equal as far as the rest is.
    const known = this.#pairs.get(one);
    if (known?.has(other)) return true;
    if (known === undefined) this.#pairs.set(one, new Set([other]));
    else known.add(other);
    const same = this.#members(one, other) && this.#entries(one, other);
    this.#pairs.get(one).delete(other);
    return same;
  }

  #members(one, other) {
    const [keys, symbols] = keysOf(one);
    const [otherKeys, otherSymbols] = keysOf(other);
    const indexed = ArrayBuffer.isView(one);
    const names = indexed ? keys.filter((key) => !/^\d+$/.test(key)) : keys;
    const otherNames = indexed ? otherKeys.filter((key) => !/^\d+$/.test(key)) : otherKeys;
    if (names.length !== otherNames.length || (this.#strict && symbols.length !== otherSymbols.length)) return false;
    const all = this.#strict ? [...names, ...symbols] : names;
    return all.every(
      (key) => Object.prototype.propertyIsEnumerable.call(other, key) && this.equal(one[key], other[key]),
    );
  }

  #entries(one, other) {
    if (types.isSet(one)) {
      if (one.size !== other.size) return false;
      const left = new Set(other);
      return [...one].every((item) => {
        if (left.delete(item)) return true;
        for (const candidate of left) if (this.equal(item, candidate)) return left.delete(candidate);
        return false;
      });
    }
    if (types.isMap(one)) {
      if (one.size !== other.size) return false;
      const left = new Map(other);
      return [...one].every(([key, value]) => {
        if (left.has(key) && this.equal(value, left.get(key))) return left.delete(key);
        for (const [candidate, held] of left)
          if (this.equal(key, candidate) && this.equal(value, held)) return left.delete(candidate);
        return false;
      });
    }
    return true;
  }
}

function sameBytes(one, other, strict) {
  if (one.byteLength !== other.byteLength) return false;
  if (!strict && (types.isFloat32Array(one) || types.isFloat64Array(one)))
    return one.every((value, index) => value === other[index]);
  const [left, right] = [one, other].map((value) =>
    ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : new Uint8Array(value),
  );
  return left.every((byte, index) => byte === right[index]);
}

export const isDeepStrictEqual = (one, other) => new Comparison(true).equal(one, other);
export const isDeepEqual = (one, other) => new Comparison(false).equal(one, other);
