// The web's crypto: random values and ids; `subtle` is loaded when it is touched.

import { builtin, host } from "toolsmith:kernel";

export class Crypto {
  get subtle() {
    return builtin("toolsmith:web/subtle").subtle;
  }
  getRandomValues(array) {
    if (
      !ArrayBuffer.isView(array) ||
      array instanceof Float32Array ||
      array instanceof Float64Array ||
      array instanceof DataView
    ) {
      throw new DOMException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
    }
    if (array.byteLength > 65536)
      throw new DOMException("The requested length exceeds 65,536 bytes", "QuotaExceededError");
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(host.randomBytes(array.byteLength));
    return array;
  }
  randomUUID() {
    const bytes = host.randomBytes(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = host.hexEncode(bytes);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}

export const crypto = new Crypto();
