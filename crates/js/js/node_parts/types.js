// What kind of object a value really is, whatever it says of itself.

import { host } from "toolsmith:kernel";

/** Whether a getter or method that only one kind of object has works on a value. */
function has(read) {
  return (value) => {
    if (typeof value !== "object" || value === null) return false;
    try {
      read(value);
      return true;
    } catch {
      return false;
    }
  };
}

const getter = (Class, name) => Object.getOwnPropertyDescriptor(Class.prototype, name).get;
const sizeOf = { map: getter(Map, "size"), set: getter(Set, "size") };
const tagOf = getter(Object.getPrototypeOf(Uint8Array), Symbol.toStringTag);
const lengthOf = getter(ArrayBuffer, "byteLength");
const viewLength = getter(DataView, "byteLength");
const sharedLength = typeof SharedArrayBuffer === "undefined" ? undefined : getter(SharedArrayBuffer, "byteLength");
const probe = {};

const show = (value) => Object.prototype.toString.call(value);
const constructed = (value, name) => typeof value === "function" && classOf(value) === name;
function classOf(run) {
  for (let proto = Object.getPrototypeOf(run); proto !== null; proto = Object.getPrototypeOf(proto)) {
    const tag = Object.getOwnPropertyDescriptor(proto, Symbol.toStringTag)?.value;
    if (typeof tag === "string") return tag;
  }
  return "Function";
}
const typed = (name) => (value) => ArrayBuffer.isView(value) && Reflect.apply(tagOf, value, []) === name;
const boxed = (Class) => has((value) => Class.prototype.valueOf.call(value));
const tagged = (tag) => (value) => typeof value === "object" && value !== null && show(value) === `[object ${tag}]`;

export const types = {
  isMap: has((value) => sizeOf.map.call(value)),
  isSet: has((value) => sizeOf.set.call(value)),
  isWeakMap: has((value) => WeakMap.prototype.has.call(value, probe)),
  isWeakSet: has((value) => WeakSet.prototype.has.call(value, probe)),
  isDate: has((value) => Date.prototype.getTime.call(value)),
  isRegExp: (value) => typeof value === "object" && value !== null && host.kindOf(value) === "regexp",
  isArrayBuffer: has((value) => lengthOf.call(value)),
  isSharedArrayBuffer: sharedLength === undefined ? () => false : has((value) => sharedLength.call(value)),
  isAnyArrayBuffer: (value) => types.isArrayBuffer(value) || types.isSharedArrayBuffer(value),
  isDataView: has((value) => viewLength.call(value)),
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isTypedArray: (value) => ArrayBuffer.isView(value) && Reflect.apply(tagOf, value, []) !== undefined,
  isPromise: (value) => host.isPromise(value),
  isProxy: (value) => host.kindOf(value) === "proxy",
  isNativeError: (value) => host.kindOf(value) === "error",
  isNumberObject: boxed(Number),
  isStringObject: boxed(String),
  isBooleanObject: boxed(Boolean),
  isBigIntObject: boxed(BigInt),
  isSymbolObject: boxed(Symbol),
  isBoxedPrimitive: (value) =>
    types.isNumberObject(value) ||
    types.isStringObject(value) ||
    types.isBooleanObject(value) ||
    types.isBigIntObject(value) ||
    types.isSymbolObject(value),
  isArgumentsObject: (value) =>
    typeof value === "object" &&
    value !== null &&
    !Object.hasOwn(value, Symbol.toStringTag) &&
    show(value) === "[object Arguments]",
  isAsyncFunction: (value) => constructed(value, "AsyncFunction") || constructed(value, "AsyncGeneratorFunction"),
  isGeneratorFunction: (value) =>
    constructed(value, "GeneratorFunction") || constructed(value, "AsyncGeneratorFunction"),
  isGeneratorObject: (value) => tagged("Generator")(value) || tagged("AsyncGenerator")(value),
  isMapIterator: tagged("Map Iterator"),
  isSetIterator: tagged("Set Iterator"),
  isModuleNamespaceObject: (value) => tagged("Module")(value) && Object.getPrototypeOf(value) === null,
  isExternal: () => false,
  isKeyObject: tagged("KeyObject"),
  isCryptoKey: tagged("CryptoKey"),
};
for (const name of [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
]) {
  types[`is${name}`] = typed(name);
}
