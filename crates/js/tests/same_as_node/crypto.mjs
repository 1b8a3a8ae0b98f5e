// node:crypto and crypto.subtle: hashes, derived keys, ciphers, and their errors.

import crypto, { createHash, createHmac } from "node:crypto";

const { subtle } = globalThis.crypto ?? crypto.webcrypto;

export default async function (print) {
  const parts = [
    async () => {
      const names = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha512-224", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2b512", "blake2s256", "RSA-SHA256", "SHA256"];
      const out = {};
      for (const name of names) {
        const hash = createHash(name).update("héllo ").update(Buffer.from([0, 1, 2, 255])).update("ff00", "hex");
        const copy = hash.copy().update("more");
        out[name] = [hash.digest("hex"), copy.digest("base64"), createHmac(name, "kéy").update("x".repeat(1000)).digest("base64url"), createHmac(name, Buffer.alloc(300, 7)).digest().toString("hex")];
      }
      return out;
    },
    async () => {
      const thrown = (run) => { try { run(); } catch (error) { return [error.name, error.code, error.message]; } };
      const used = createHash("md5"); used.digest();
      const mac = createHmac("md5", "k"); mac.digest();
      return [thrown(() => createHash("nope").x)?.[2], thrown(() => createHash("md5").update(7)), thrown(() => used.digest()), thrown(() => used.update("x")),
        mac.digest("hex"), thrown(() => createHmac("nope", "k")), thrown(() => createHash(5)), thrown(() => crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))),
        crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ab")), crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ac"))];
    },
    async () => {
      const promised = (run) => new Promise((resolve, reject) => run((error, value) => (error ? reject(error) : resolve(value))));
      const thrown = (run) => { try { run(); } catch (error) { return [error.name, error.code]; } };
      return [
        crypto.scryptSync("pässword", "salt", 64).toString("hex"),
        crypto.scryptSync("p", "s", 16, { N: 1024, r: 4, p: 2 }).toString("hex"),
        (await promised((done) => crypto.scrypt("p", Buffer.from("s"), 32, done))).toString("hex"),
        crypto.pbkdf2Sync("p", "s", 1000, 70, "sha512").toString("hex"),
        (await promised((done) => crypto.pbkdf2("p", "s", 7, 20, "sha1", done))).toString("hex"),
        Buffer.from(crypto.hkdfSync("sha256", "key", "salt", "info", 100)).toString("hex"),
        Buffer.from(await promised((done) => crypto.hkdf("sha512", "key", "", "", 10, done))).toString("hex"),
        thrown(() => crypto.scryptSync("p", "s", 64, { N: 2 ** 20 })),
        thrown(() => crypto.scryptSync("p", "s", 64, { N: 3 })),
        thrown(() => crypto.pbkdf2Sync("p", "s", 0, 64, "sha1")),
        thrown(() => crypto.pbkdf2Sync("p", "s", 1, 64, "nope")),
      ];
    },
    async () => {
      const out = {};
      const thrown = (run) => { try { run(); } catch (error) { return [error.code, error.message]; } };
      for (const bits of [128, 192, 256]) for (const mode of ["gcm", "cbc", "ctr"]) {
        const name = `aes-${bits}-${mode}`;
        const key = Buffer.alloc(bits / 8, 9), iv = Buffer.alloc(mode === "gcm" ? 12 : 16, 250);
        for (const length of [0, 1, 15, 16, 17, 100]) {
          const cipher = crypto.createCipheriv(name, key, iv);
          if (mode === "gcm") cipher.setAAD(Buffer.from("header that is longer than a block"));
          const text = Buffer.alloc(length, "abc");
          const sealed = Buffer.concat([cipher.update(text.subarray(0, 7)), cipher.update(text.subarray(7)), cipher.final()]);
          const tag = mode === "gcm" ? cipher.getAuthTag() : undefined;
          const open = (bytes) => { const d = crypto.createDecipheriv(name, key, iv); if (tag) { d.setAAD(Buffer.from("header that is longer than a block")); d.setAuthTag(tag); } return d.update(bytes, undefined, "utf8") + d.final("utf8"); };
          out[name + length] = [sealed.toString("hex"), tag?.toString("hex"), open(sealed)];
          if (length === 17) out[name + "broken"] = mode === "ctr" ? "" : mode === "gcm" ? thrown(() => open(Buffer.alloc(17))) !== undefined : thrown(() => open(Buffer.from(sealed.map((byte, index) => index === 16 ? byte ^ 1 : byte))))?.[1].replace(/error:.*::/, "");
        }
      }
      const odd = crypto.createCipheriv("aes-256-gcm", Buffer.alloc(32), Buffer.alloc(16, 3));
      out.odd = odd.update("x", "utf8", "hex") + odd.final("hex") + odd.getAuthTag().toString("hex");
      out.errors = [thrown(() => crypto.createCipheriv("aes-256-gcm", Buffer.alloc(5), Buffer.alloc(12))), thrown(() => crypto.createCipheriv("aes-256-cbc", Buffer.alloc(32), Buffer.alloc(12)))];
      return out;
    },
    async () => {
      const hex = (buffer) => Buffer.from(buffer).toString("hex");
      const data = new TextEncoder().encode("data");
      const mac = await subtle.importKey("raw", data, { name: "HMAC", hash: "SHA-256" }, true, ["sign", "verify"]);
      const signed = await subtle.sign("HMAC", mac, data);
      const aes = await subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, ["encrypt", "decrypt"]);
      const sealed = await subtle.encrypt({ name: "AES-GCM", iv: new Uint8Array(12), additionalData: data }, aes, data);
      const base = await subtle.importKey("raw", data, "PBKDF2", false, ["deriveBits", "deriveKey"]);
      const failing = async (run) => { try { await run(); } catch (error) { return error.name; } };
      return [hex(await subtle.digest("SHA-256", data)), hex(await subtle.digest({ name: "SHA-1" }, data.buffer)), hex(signed), await subtle.verify("HMAC", mac, signed, data), await subtle.verify("HMAC", mac, data, data),
        hex(sealed), hex(await subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12), additionalData: data }, aes, sealed)),
        hex(await subtle.deriveBits({ name: "PBKDF2", salt: data, iterations: 10, hash: "SHA-512" }, base, 256)),
        await failing(() => subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, aes, sealed)), (await failing(() => subtle.exportKey("raw", aes))).replace("Exception", "Error"), await failing(() => subtle.digest("MD5", data)),
        (await subtle.exportKey("jwk", mac)).k];
    },
  ];
  for (const part of parts) for (const [key, value] of Object.entries(await part())) print(key, value ?? "undefined");
}
