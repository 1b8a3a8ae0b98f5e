// How parameters of statements are given.

const isNamed = (value) =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof ArrayBuffer);

// The Rust side takes plain arrays of bytes.
const plain = (value) =>
  ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : value;

/** An object of named ones, or an array in order. */
export function parametersOf(params) {
  if (params.length === 1 && isNamed(params[0]))
    return Object.fromEntries(Object.entries(params[0]).map(([key, value]) => [key, plain(value)]));
  if (params.length === 1 && Array.isArray(params[0])) return params[0].map(plain);
  return params.map(plain);
}
