// Secret keys as Node's objects.

import { Buffer } from "toolsmith:node/buffer";
import { coded, invalidArgType } from "toolsmith:node_parts/arguments";

const secrets = new WeakMap();

export class KeyObject {
  constructor(type, bytes) {
    if (type !== "secret")
      throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'type' is invalid. Received '${type}'`);
    secrets.set(this, Uint8Array.from(bytes));
    this.type = type;
  }
  get symmetricKeySize() {
    return secrets.get(this).length;
  }
  export(options) {
    if (options?.format === "jwk") return { kty: "oct", k: Buffer.from(secrets.get(this)).toString("base64url") };
    return Buffer.from(secrets.get(this));
  }
  equals(other) {
    return other instanceof KeyObject && Buffer.from(secrets.get(this)).equals(secrets.get(other));
  }
}

export function createSecretKey(key, encoding) {
  if (typeof key === "string") return new KeyObject("secret", Buffer.from(key, encoding));
  if (ArrayBuffer.isView(key))
    return new KeyObject("secret", new Uint8Array(key.buffer, key.byteOffset, key.byteLength));
  if (key instanceof ArrayBuffer) return new KeyObject("secret", new Uint8Array(key));
  throw invalidArgType("key", ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"], key);
}

/** The bytes of a key, however it is given. */
export const keyBytes = (key, toBytes) => secrets.get(key) ?? toBytes(key, "key");
