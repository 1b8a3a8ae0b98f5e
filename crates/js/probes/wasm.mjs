// Probe of WebAssembly.

import { probe } from "./probe.mjs";

export default probe("WebAssembly", "instantiate", async (pi, signal) => {
  const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]);
  const { instance } = await WebAssembly.instantiate(bytes);
  return instance.exports.f();
}, 42);
