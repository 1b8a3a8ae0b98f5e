// Bun's hashes.

import { Hash, Hmac, getHashes } from "toolsmith:node/crypto";
import { crc32 } from "toolsmith:node/zlib";

export class CryptoHasher {
  #hash;
  constructor(algorithm, key) {
    this.algorithm = String(algorithm).toLowerCase();
    this.#hash =
      algorithm instanceof Hash
        ? algorithm
        : key === undefined
          ? new Hash(this.algorithm)
          : new Hmac(this.algorithm, key);
  }
  get byteLength() {
    return this.#hash.copy().digest().length;
  }
  update(data, encoding) {
    this.#hash.update(data, encoding);
    return this;
  }
  digest(encoding) {
    const done = this.#hash;
    this.#hash = undefined;
    const digest = done.digest();
    if (ArrayBuffer.isView(encoding)) {
      new Uint8Array(encoding.buffer, encoding.byteOffset, encoding.byteLength).set(digest);
      return encoding;
    }
    return encoding === undefined ? digest : digest.toString(encoding);
  }
  copy() {
    const copy = new CryptoHasher(this.#hash.copy());
    copy.algorithm = this.algorithm;
    return copy;
  }
  static hash(algorithm, data, encoding) {
    return new CryptoHasher(algorithm).update(data).digest(encoding);
  }
  static get algorithms() {
    return getHashes().filter((name) => !name.startsWith("RSA-"));
  }
}

function named(name, algorithm) {
  return {
    [name]: class extends CryptoHasher {
      constructor() {
        super(algorithm);
      }
      static hash(data, encoding) {
        return CryptoHasher.hash(algorithm, data, encoding);
      }
    },
  }[name];
}
export const MD5 = named("MD5", "md5");
export const SHA1 = named("SHA1", "sha1");
export const SHA224 = named("SHA224", "sha224");
export const SHA256 = named("SHA256", "sha256");
export const SHA384 = named("SHA384", "sha384");
export const SHA512 = named("SHA512", "sha512");
export const SHA512_256 = named("SHA512_256", "sha512-256");

const MASK = (1n << 64n) - 1n;
const SECRET = [0xa0761d6478bd642fn, 0xe7037ed1a0b428dbn, 0x8ebc6af09c88c6e3n, 0x589965cc75374cc3n];

function mix(one, other) {
  const product = (one & MASK) * (other & MASK);
  return (product & MASK) ^ (product >> 64n);
}

/** Wyhash as Zig's library has it, which is the one of Bun. */
function wyhash(bytes, seedNumber) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read8 = (at) => view.getBigUint64(at, true);
  const read4 = (at) => BigInt(view.getUint32(at, true));
  const length = bytes.length;
  let state = seedNumber & MASK;
  state ^= mix(state ^ SECRET[0], SECRET[1]);
  let a = 0n;
  let b = 0n;
  if (length <= 16) {
    if (length >= 4) {
      const middle = (length >> 3) << 2;
      a = (read4(0) << 32n) | read4(middle);
      b = (read4(length - 4) << 32n) | read4(length - 4 - middle);
    } else if (length > 0) {
      a = (BigInt(bytes[0]) << 16n) | (BigInt(bytes[length >> 1]) << 8n) | BigInt(bytes[length - 1]);
    }
  } else {
    let at = 0;
    if (length >= 48) {
      const lanes = [state, state, state];
      while (at + 48 < length) {
        for (let lane = 0; lane < 3; lane++)
          lanes[lane] = mix(read8(at + lane * 16) ^ SECRET[lane + 1], read8(at + lane * 16 + 8) ^ lanes[lane]);
        at += 48;
      }
      state = lanes[0] ^ lanes[1] ^ lanes[2];
    }
    for (; at + 16 < length; at += 16) state = mix(read8(at) ^ SECRET[1], read8(at + 8) ^ state);
    a = read8(length - 16);
    b = read8(length - 8);
  }
  a ^= SECRET[1];
  b ^= state;
  const product = a * b;
  return mix((product & MASK) ^ SECRET[0] ^ BigInt(length), (product >> 64n) ^ SECRET[1]);
}

const toBytes = (data) =>
  typeof data === "string"
    ? new TextEncoder().encode(data)
    : new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);

function adler32(data) {
  let [low, high] = [1, 0];
  for (const byte of toBytes(data)) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return ((high << 16) | low) >>> 0;
}

export const hash = Object.assign((data, seed = 0) => wyhash(toBytes(data), BigInt(seed)), {
  wyhash: (data, seed = 0) => wyhash(toBytes(data), BigInt(seed)),
  crc32: (data, seed = 0) => crc32(toBytes(data), seed),
  adler32,
});
