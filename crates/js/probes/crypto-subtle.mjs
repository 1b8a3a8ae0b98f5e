// Probe of crypto.subtle.

import { probe } from "./probe.mjs";

export default probe("crypto.subtle", "digest, importKey, sign, verify", async (pi, signal) => {
  const data = new TextEncoder().encode("abc");
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", data)).toString("hex");
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("k"), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const signature = await crypto.subtle.sign("HMAC", key, data);
  return [hash.slice(0, 16), signature.byteLength, await crypto.subtle.verify("HMAC", key, signature, data), crypto.getRandomValues(new Uint8Array(4)).length, /^[0-9a-f-]{36}$/.test(crypto.randomUUID())];
}, ["ba7816bf8f01cfea", 32, true, 4, true]);
