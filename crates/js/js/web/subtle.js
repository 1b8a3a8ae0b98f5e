// crypto.subtle: digests, HMAC, AES-GCM, AES-CBC, AES-CTR, PBKDF2 and HKDF. Keys are secret ones.

import { host, operation } from "toolsmith:kernel";

const native = host.group("crypto");

const NONE = new Uint8Array(0);
const secrets = new WeakMap();

const fail = (name, message) => new DOMException(message, name);
const nameOf = (algorithm) =>
  String(typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm).toUpperCase();

function toBytes(data) {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError("The data is neither an ArrayBuffer nor a view of one");
}

const toBuffer = (bytes) => bytes.slice().buffer;
const DIGESTS = { "SHA-1": 512, "SHA-256": 512, "SHA-384": 1024, "SHA-512": 1024 };

function digestName(algorithm) {
  const name = nameOf(algorithm);
  if (!(name in DIGESTS)) throw fail("NotSupportedError", `Unrecognized algorithm name: ${name}`);
  return name;
}

function join(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export class CryptoKey {
  constructor(token, type, algorithm, extractable, usages, bytes) {
    if (token !== secrets) throw new TypeError("Illegal constructor");
    Object.assign(this, { type, algorithm, extractable, usages });
    Object.freeze(this);
    secrets.set(this, bytes);
  }
  get [Symbol.toStringTag]() {
    return "CryptoKey";
  }
}

function makeKey(algorithm, bytes, extractable, usages) {
  const name = nameOf(algorithm);
  let described;
  if (name === "HMAC") {
    described = { name, hash: { name: digestName(algorithm.hash) }, length: bytes.length * 8 };
  } else if (["AES-GCM", "AES-CBC", "AES-CTR"].includes(name)) {
    if (![16, 24, 32].includes(bytes.length)) throw fail("DataError", "Invalid key length");
    described = { name, length: bytes.length * 8 };
  } else if (name === "PBKDF2" || name === "HKDF") {
    described = { name };
  } else {
    throw fail("NotSupportedError", `Keys of ${name} are not available in Toolsmith's embedded engine`);
  }
  return new CryptoKey(secrets, "secret", described, Boolean(extractable), [...usages], Uint8Array.from(bytes));
}

function use(key, usage, algorithm) {
  const bytes = secrets.get(key);
  if (bytes === undefined) throw new TypeError("The key is no CryptoKey");
  if (nameOf(algorithm) !== key.algorithm.name) throw fail("InvalidAccessError", "The key is for another algorithm");
  if (!key.usages.includes(usage)) throw fail("InvalidAccessError", `The key cannot be used to ${usage}`);
  return bytes;
}

function mac(key, bytes, data) {
  const handle = native.hashNew(key.algorithm.hash.name, bytes);
  native.hashUpdate(handle, toBytes(data));
  return native.hashDigest(handle);
}

function run(algorithm, bytes, data, encrypting) {
  const mode = nameOf(algorithm).slice(4).toLowerCase();
  const input = toBytes(data);
  const tagLength = (algorithm.tagLength ?? 128) / 8;
  const iv = toBytes(mode === "ctr" ? algorithm.counter : algorithm.iv);
  const cipher = native.cipherNew(`aes-${bytes.length * 8}-${mode}`, encrypting, bytes, iv, tagLength);
  if (mode === "gcm" && algorithm.additionalData !== undefined)
    native.cipherSet(cipher, "aad", toBytes(algorithm.additionalData));
  let body = input;
  if (mode === "gcm" && !encrypting) {
    if (input.length < tagLength) throw fail("OperationError", "The provided data is too small");
    body = input.subarray(0, input.length - tagLength);
    native.cipherSet(cipher, "tag", input.slice(input.length - tagLength));
  }
  try {
    const first = native.cipherUpdate(cipher, body);
    const last = native.cipherFinal(cipher);
    return toBuffer(join(first, last, mode === "gcm" && encrypting ? native.cipherTag(cipher) : NONE));
  } catch {
    throw fail("OperationError", "The operation failed for an operation-specific reason");
  }
}

async function deriveBits(algorithm, key, length) {
  const bytes = use(key, key.usages.includes("deriveBits") ? "deriveBits" : "deriveKey", algorithm);
  if (length === null || length % 8 !== 0) throw fail("OperationError", "length must be a multiple of 8");
  const digest = digestName(algorithm.hash);
  const request =
    key.algorithm.name === "HKDF"
      ? { kind: "hkdf", digest, length: length / 8 }
      : { kind: "pbkdf2", digest, rounds: algorithm.iterations, length: length / 8 };
  const info = algorithm.info === undefined ? NONE : toBytes(algorithm.info);
  return operation((number) => native.deriveKey(number, JSON.stringify(request), bytes, toBytes(algorithm.salt), info));
}

const keyLength = (algorithm) =>
  nameOf(algorithm) === "HMAC" ? (algorithm.length ?? DIGESTS[digestName(algorithm.hash)]) : algorithm.length;

export class SubtleCrypto {
  async digest(algorithm, data) {
    const handle = native.hashNew(digestName(algorithm), null);
    native.hashUpdate(handle, toBytes(data));
    return toBuffer(native.hashDigest(handle));
  }
  async importKey(format, data, algorithm, extractable, usages) {
    if (format === "raw") return makeKey(algorithm, toBytes(data), extractable, usages);
    if (format === "jwk" && data?.kty === "oct")
      return makeKey(algorithm, host.base64Decode(data.k), extractable, usages);
    throw fail("NotSupportedError", `Keys in the format ${format} are not available in Toolsmith's embedded engine`);
  }
  async exportKey(format, key) {
    if (!key.extractable) throw fail("InvalidAccessError", "key is not extractable");
    const bytes = secrets.get(key);
    if (format === "raw") return toBuffer(bytes);
    if (format === "jwk") return { kty: "oct", k: host.base64Encode(bytes, true), key_ops: [...key.usages], ext: true };
    throw fail("NotSupportedError", `Unable to export a secret key as ${format}`);
  }
  async generateKey(algorithm, extractable, usages) {
    return makeKey(algorithm, host.randomBytes(keyLength(algorithm) / 8), extractable, usages);
  }
  async sign(algorithm, key, data) {
    return toBuffer(mac(key, use(key, "sign", algorithm), data));
  }
  async verify(algorithm, key, signature, data) {
    return native.sameBytes(mac(key, use(key, "verify", algorithm), data), toBytes(signature));
  }
  async encrypt(algorithm, key, data) {
    return run(algorithm, use(key, "encrypt", algorithm), data, true);
  }
  async decrypt(algorithm, key, data) {
    return run(algorithm, use(key, "decrypt", algorithm), data, false);
  }
  async deriveBits(algorithm, key, length) {
    return toBuffer(await deriveBits(algorithm, key, length));
  }
  async deriveKey(algorithm, key, derived, extractable, usages) {
    return makeKey(derived, await deriveBits(algorithm, key, keyLength(derived)), extractable, usages);
  }
  get [Symbol.toStringTag]() {
    return "SubtleCrypto";
  }
}

export const subtle = new SubtleCrypto();
