// Probe of node:crypto.

import { probe } from "./probe.mjs";
import * as crypto from "node:crypto";

export default probe("node:crypto", "createHash, createHmac, randomUUID, randomBytes, randomInt, timingSafeEqual, getHashes", async (pi, signal) => {
  return [crypto.createHash("sha256").update("a").update(Buffer.from("b")).digest("hex"), crypto.createHash("md5").update("x").digest("base64"), crypto.createHash("sha1").update("").digest("hex"), crypto.createHmac("sha256", "k").update("d").digest("hex").slice(0, 16), /^[0-9a-f-]{36}$/.test(crypto.randomUUID()), crypto.randomBytes(8).length, crypto.randomInt(3, 4), crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")), crypto.getHashes().length > 3, crypto.createHash("sha512").update("é").digest().length];
}, ["fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603", "ndTkYSaMgDT1yFZOFVxnpg==", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "e7ea21c3bcb63a4d", true, 8, 3, true, true, 64]);
