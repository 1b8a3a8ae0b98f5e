// Probe of node:crypto (keys).

import { probe } from "./probe.mjs";
import * as crypto from "node:crypto";

export default probe("node:crypto (keys)", "scryptSync, pbkdf2Sync, createCipheriv, createDecipheriv", async (pi, signal) => {
  const key = crypto.pbkdf2Sync("p", "s", 1000, 32, "sha256");
  const cipher = crypto.createCipheriv("aes-256-cbc", key, Buffer.alloc(16, 1));
  const secret = Buffer.concat([cipher.update("hello"), cipher.final()]);
  const decipher = crypto.createDecipheriv("aes-256-cbc", key, Buffer.alloc(16, 1));
  return [crypto.scryptSync("p", "s", 16).toString("hex"), key.toString("hex").slice(0, 16), decipher.update(secret, undefined, "utf8") + decipher.final("utf8")];
}, ["4329787752e75d1de359a05806e492d4", "07f5f5e23e40846c", "hello"]);
