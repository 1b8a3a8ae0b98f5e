// Node's crypto: hashes, random values, derived keys and AES. The work is done on the Rust side.

import { host, operation } from "toolsmith:kernel";
import {
  checkFunction,
  checkInteger,
  checkString,
  coded,
  invalidArgType,
  invalidArgValue,
  outOfRange,
} from "toolsmith:node_parts/arguments";
import { streamable } from "toolsmith:node_parts/lazy_stream";
import { KeyObject, createSecretKey, keyBytes } from "toolsmith:node_parts/secret_key";
import { Buffer } from "toolsmith:node/buffer";
import { Crypto, crypto as webcrypto } from "toolsmith:web/crypto";

const native = host.group("crypto");

export { Crypto, KeyObject, createSecretKey, webcrypto };

const BYTES = ["string", "Buffer", "TypedArray", "DataView"];

/** Text or any view of bytes as a Uint8Array, without a copy where there is none to make. */
function toBytes(data, name, encoding) {
  if (typeof data === "string") return Buffer.from(data, encoding === "buffer" ? undefined : encoding);
  if (ArrayBuffer.isView(data))
    return data instanceof Uint8Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer || Object.prototype.toString.call(data) === "[object SharedArrayBuffer]")
    return new Uint8Array(data);
  throw invalidArgType(name, BYTES, data);
}

const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const output = (bytes, encoding) =>
  encoding === undefined || encoding === null || encoding === "buffer"
    ? asBuffer(bytes)
    : asBuffer(bytes).toString(encoding);

class Digest {
  #handle;
  #done = false;

  constructor(handle, options) {
    this.#handle = handle;
    this._streamOptions = options;
  }
  update(data, encoding) {
    if (this.#done) throw coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    native.hashUpdate(this.#handle, toBytes(data, "data", encoding));
    return this;
  }
  /** The digest; a second one only where that is Node's way. */
  _finish() {
    this.#done = true;
    return native.hashDigest(this.#handle);
  }
  get _done() {
    return this.#done;
  }
  _copyHandle() {
    if (this.#done) throw coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    return native.hashCopy(this.#handle);
  }
}

export class Hash extends Digest {
  constructor(algorithm, options) {
    if (algorithm instanceof Hash) {
      super(algorithm._copyHandle(), options);
      return;
    }
    checkString(algorithm, "algorithm");
    const handle = native.hashNew(algorithm, null);
    if (handle === undefined || handle === null)
      throw coded(Error, "ERR_OSSL_EVP_UNSUPPORTED", "Digest method not supported");
    super(handle, options);
  }
  digest(encoding) {
    if (this._done) throw coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    return output(this._finish(), encoding);
  }
  copy(options) {
    return new Hash(this, options);
  }
}

export class Hmac extends Digest {
  constructor(algorithm, key, options) {
    checkString(algorithm, "hmac");
    const handle = native.hashNew(algorithm, keyBytes(key, toBytes));
    if (handle === undefined || handle === null)
      throw coded(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${algorithm}`);
    super(handle, options);
  }
  digest(encoding) {
    // A second call gives nothing, as in Node.
    return output(this._done ? new Uint8Array(0) : this._finish(), encoding);
  }
}

for (const Class of [Hash, Hmac]) {
  streamable(Class, (object) => ({
    transform(chunk, encoding, callback) {
      object.update(chunk, encoding);
      callback();
    },
    flush(callback) {
      this.push(asBuffer(object._finish()));
      callback();
    },
  }));
}

export const createHash = (algorithm, options) => new Hash(algorithm, options);
export const createHmac = (algorithm, key, options) => new Hmac(algorithm, key, options);
export function hash(algorithm, data, encoding = "hex") {
  return new Hash(algorithm)
    .update(data)
    .digest(typeof encoding === "object" ? (encoding?.outputEncoding ?? "hex") : encoding);
}
export const getHashes = () => [
  "RSA-MD5",
  "RSA-SHA1",
  "RSA-SHA224",
  "RSA-SHA256",
  "RSA-SHA384",
  "RSA-SHA512",
  ...native.hashNames(),
];

// Random values.

/** Calls back later with what a function gives or throws. */
function later(callback, make) {
  queueMicrotask(() => {
    let value;
    try {
      value = make();
    } catch (error) {
      callback(error);
      return;
    }
    callback(null, value);
  });
}

export function randomBytes(size, callback) {
  if (typeof size !== "number") throw invalidArgType("size", "number", size);
  if (!Number.isInteger(size) || size < 0 || size > 2147483647) throw outOfRange("size", ">= 0 && <= 2147483647", size);
  if (callback === undefined) return asBuffer(host.randomBytes(size));
  checkFunction(callback, "callback");
  later(callback, () => asBuffer(host.randomBytes(size)));
}
export { randomBytes as pseudoRandomBytes, randomBytes as rng, randomBytes as prng };

export function randomFillSync(buffer, offset = 0, size) {
  if (!ArrayBuffer.isView(buffer) && !(buffer instanceof ArrayBuffer))
    throw invalidArgType("buf", ["ArrayBuffer", "ArrayBufferView"], buffer);
  const bytes = ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer);
  const unit = buffer.BYTES_PER_ELEMENT ?? 1;
  const from = offset * unit;
  const count = size === undefined ? bytes.length - from : size * unit;
  if (from < 0 || from > bytes.length) throw outOfRange("offset", `>= 0 && <= ${bytes.length}`, offset);
  if (count < 0 || from + count > bytes.length) throw outOfRange("size + offset", `<= ${bytes.length}`, from + count);
  bytes.set(host.randomBytes(count), from);
  return buffer;
}

export function randomFill(buffer, offset, size, callback) {
  const done = [offset, size, callback].find((argument) => typeof argument === "function");
  checkFunction(done, "callback");
  const [from, count] = [offset, size].map((argument) => (typeof argument === "function" ? undefined : argument));
  later(done, () => randomFillSync(buffer, from, count));
}

export const randomUUID = () => webcrypto.randomUUID();
export const getRandomValues = (array) => webcrypto.getRandomValues(array);

export function randomInt(min, max, callback) {
  if (max === undefined || typeof max === "function") {
    callback = max;
    max = min;
    min = 0;
  }
  if (!Number.isSafeInteger(min)) throw invalidArgType("min", "a safe integer", min);
  if (!Number.isSafeInteger(max)) throw invalidArgType("max", "a safe integer", max);
  if (max <= min) throw outOfRange("max", `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range > 2 ** 48 - 1) throw outOfRange(min === 0 ? "max" : "max - min", "<= 281474976710655", range);
  const draw = () => {
    // What is above the last whole multiple is drawn again, so that every number is as likely.
    const limit = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const value = asBuffer(host.randomBytes(6)).readUIntBE(0, 6);
      if (value < limit) return min + (value % range);
    }
  };
  if (callback === undefined) return draw();
  checkFunction(callback, "callback");
  later(callback, draw);
}

export function timingSafeEqual(one, other) {
  const [left, right] = [
    [one, "buf1"],
    [other, "buf2"],
  ].map(([value, name]) => {
    if (typeof value === "string")
      throw invalidArgType(name, ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], value);
    return toBytes(value, name);
  });
  if (left.length !== right.length)
    throw coded(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
  return native.sameBytes(left, right);
}

// Derived keys. The work is on another thread, also where the tool waits for it.

const NONE = new Uint8Array(0);

function derive(request, secret, salt, info, callback, wrap = asBuffer) {
  const json = JSON.stringify(request);
  if (callback === undefined) return wrap(native.deriveKeyNow(json, secret, salt, info));
  operation((number) => native.deriveKey(number, json, secret, salt, info)).then(
    (bytes) => callback(null, wrap(bytes)),
    (error) => callback(error),
  );
}

function scryptRequest(length, options = {}) {
  checkInteger(length, "keylen", 0, 2147483647);
  const cost = options?.N ?? options?.cost ?? 16384;
  const block = options?.r ?? options?.blockSize ?? 8;
  const parallel = options?.p ?? options?.parallelization ?? 1;
  return { kind: "scrypt", cost, block, parallel, memory: options?.maxmem ?? 32 << 20, length };
}

export const scryptSync = (password, salt, length, options) =>
  derive(scryptRequest(length, options), toBytes(password, "password"), toBytes(salt, "salt"), NONE);
export function scrypt(password, salt, length, options, callback) {
  if (typeof options === "function") [options, callback] = [undefined, options];
  checkFunction(callback, "callback");
  derive(scryptRequest(length, options), toBytes(password, "password"), toBytes(salt, "salt"), NONE, callback);
}

function pbkdf2Request(rounds, length, digest) {
  checkString(digest, "digest");
  checkInteger(rounds, "iterations", 1, 2147483647);
  checkInteger(length, "keylen", 0, 2147483647);
  return { kind: "pbkdf2", digest, rounds, length };
}

export const pbkdf2Sync = (password, salt, rounds, length, digest) =>
  derive(pbkdf2Request(rounds, length, digest), toBytes(password, "password"), toBytes(salt, "salt"), NONE);
export function pbkdf2(password, salt, rounds, length, digest, callback) {
  checkFunction(callback, "callback");
  derive(pbkdf2Request(rounds, length, digest), toBytes(password, "password"), toBytes(salt, "salt"), NONE, callback);
}

const wholeBuffer = (bytes) => bytes.slice().buffer;
const hkdfArguments = (digest, key, salt, info, length) => {
  checkString(digest, "digest");
  checkInteger(length, "length", 0, 2147483647);
  return [{ kind: "hkdf", digest, length }, keyBytes(key, toBytes), toBytes(salt, "salt"), toBytes(info, "info")];
};
export const hkdfSync = (digest, key, salt, info, length) =>
  derive(...hkdfArguments(digest, key, salt, info, length), undefined, wholeBuffer);
export function hkdf(digest, key, salt, info, length, callback) {
  checkFunction(callback, "callback");
  derive(...hkdfArguments(digest, key, salt, info, length), callback, wholeBuffer);
}

// Ciphers.

const CIPHERS = ["gcm", "cbc", "ctr"].flatMap((mode) => [128, 192, 256].map((bits) => `aes-${bits}-${mode}`));
export const getCiphers = () => [...CIPHERS].sort();
export function getCipherInfo(name) {
  const match = /^aes-?(128|192|256)-(gcm|cbc|ctr)$/.exec(String(name).toLowerCase());
  if (match === null) return undefined;
  const [, bits, mode] = match;
  return {
    name: match[0],
    nid: 0,
    mode,
    keyLength: Number(bits) / 8,
    ivLength: mode === "gcm" ? 12 : 16,
    ...(mode === "cbc" ? { blockSize: 16 } : {}),
  };
}

class Cipherlike {
  #handle;
  #done = false;
  #tagLength;

  constructor(algorithm, key, iv, options, encrypting) {
    checkString(algorithm, "cipher");
    if (
      iv !== null &&
      iv !== undefined &&
      typeof iv !== "string" &&
      !ArrayBuffer.isView(iv) &&
      !(iv instanceof ArrayBuffer)
    )
      throw invalidArgType("iv", BYTES, iv);
    this._streamOptions = options;
    this.#tagLength = options?.authTagLength;
    this.#handle = native.cipherNew(
      algorithm,
      encrypting,
      keyBytes(key, toBytes),
      iv === null || iv === undefined ? NONE : toBytes(iv, "iv"),
      options?.authTagLength ?? 16,
    );
  }
  update(data, inputEncoding, outputEncoding) {
    if (this.#done) throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Trying to add data in unsupported state");
    return output(native.cipherUpdate(this.#handle, toBytes(data, "data", inputEncoding)), outputEncoding);
  }
  final(outputEncoding) {
    if (this.#done) throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Unsupported state");
    this.#done = true;
    return output(native.cipherFinal(this.#handle), outputEncoding);
  }
  setAutoPadding(on = true) {
    native.cipherSet(this.#handle, "padding", on ? new Uint8Array(1) : NONE);
    return this;
  }
  setAAD(data, options) {
    if (!native.cipherSet(this.#handle, "aad", toBytes(data, "buffer", options?.encoding)))
      throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation setAAD");
    return this;
  }
  _tag() {
    const tag = native.cipherTag(this.#handle);
    if (tag === undefined || tag === null)
      throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation getAuthTag");
    return asBuffer(tag);
  }
  _setTag(tag) {
    const allowed = this.#tagLength === undefined ? [4, 8, 12, 13, 14, 15, 16] : [this.#tagLength];
    if (!allowed.includes(tag.length))
      throw coded(TypeError, "ERR_CRYPTO_INVALID_AUTH_TAG", `Invalid authentication tag length: ${tag.length}`);
    if (!native.cipherSet(this.#handle, "tag", tag))
      throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation setAuthTag");
  }
}

export class Cipheriv extends Cipherlike {
  constructor(algorithm, key, iv, options) {
    super(algorithm, key, iv, options, true);
  }
  getAuthTag() {
    return this._tag();
  }
}
export class Decipheriv extends Cipherlike {
  constructor(algorithm, key, iv, options) {
    super(algorithm, key, iv, options, false);
  }
  setAuthTag(tag, encoding) {
    this._setTag(toBytes(tag, "buffer", encoding));
    return this;
  }
}
for (const Class of [Cipheriv, Decipheriv]) {
  streamable(Class, (object) => ({
    transform(chunk, encoding, callback) {
      callback(null, object.update(chunk, encoding));
    },
    flush(callback) {
      try {
        callback(null, object.final());
      } catch (error) {
        callback(error);
      }
    },
  }));
}

export const createCipheriv = (algorithm, key, iv, options) => new Cipheriv(algorithm, key, iv, options);
export const createDecipheriv = (algorithm, key, iv, options) => new Decipheriv(algorithm, key, iv, options);

/** What is not here says so when it is called, so that importing it costs nothing. */
function unavailable(name) {
  return {
    [name]() {
      throw coded(
        Error,
        "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
        `crypto.${name} is not available in Toolsmith's embedded engine; engine = "node" or "bun" runs the tool where it is`,
      );
    },
  }[name];
}
export const createSign = unavailable("createSign");
export const createVerify = unavailable("createVerify");
export const sign = unavailable("sign");
export const verify = unavailable("verify");
export const createPrivateKey = unavailable("createPrivateKey");
export const createPublicKey = unavailable("createPublicKey");
export const generateKeyPair = unavailable("generateKeyPair");
export const generateKeyPairSync = unavailable("generateKeyPairSync");
export const createDiffieHellman = unavailable("createDiffieHellman");
export const createECDH = unavailable("createECDH");
export const publicEncrypt = unavailable("publicEncrypt");
export const privateDecrypt = unavailable("privateDecrypt");

export function generateKeySync(type, options) {
  if (type !== "hmac" && type !== "aes") throw invalidArgValue("type", type, "must be a supported key type");
  checkInteger(options?.length, "options.length", 8, 2147483647);
  return createSecretKey(host.randomBytes(Math.floor(options.length / 8)));
}
export function generateKey(type, options, callback) {
  checkFunction(callback, "callback");
  later(callback, () => generateKeySync(type, options));
}

export const constants = {
  RSA_PKCS1_PADDING: 1,
  RSA_NO_PADDING: 3,
  RSA_PKCS1_OAEP_PADDING: 4,
  RSA_PKCS1_PSS_PADDING: 6,
  defaultCoreCipherList: "",
  TLS1_2_VERSION: 771,
  TLS1_3_VERSION: 772,
};
export const getFips = () => 0;
export const getCurves = () => [];
/** Loaded when one of its members is used. */
export const subtle = new Proxy(Object.create(null), {
  get(_, key) {
    const value = webcrypto.subtle[key];
    return typeof value === "function" ? value.bind(webcrypto.subtle) : value;
  },
});

export default {
  Cipheriv,
  Crypto,
  Decipheriv,
  Hash,
  Hmac,
  KeyObject,
  constants,
  createCipheriv,
  createDecipheriv,
  createDiffieHellman,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  createSign,
  createVerify,
  generateKey,
  generateKeyPair,
  generateKeyPairSync,
  generateKeySync,
  getCipherInfo,
  getCiphers,
  getCurves,
  getFips,
  getHashes,
  getRandomValues,
  hash,
  hkdf,
  hkdfSync,
  pbkdf2,
  pbkdf2Sync,
  privateDecrypt,
  pseudoRandomBytes: randomBytes,
  publicEncrypt,
  randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID,
  scrypt,
  scryptSync,
  sign,
  subtle,
  timingSafeEqual,
  verify,
  webcrypto,
};
