// Probe of node:fs (callbacks, descriptors).

import { probe } from "./probe.mjs";
import * as fs from "node:fs";
import { promisify } from "node:util";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("node:fs (callbacks, descriptors)", "readFile, writeFile, stat, openSync, readSync, writeSync, closeSync, fstatSync, ftruncateSync", async (pi, signal) => {
  const root = fs.mkdtempSync(join(tmpdir(), "probe-"));
  const file = join(root, "f");
  await promisify(fs.writeFile)(file, "hello");
  const text = await new Promise((resolve, reject) => fs.readFile(file, "utf8", (error, data) => (error ? reject(error) : resolve(data))));
  const code = await new Promise((resolve) => fs.stat(join(root, "no"), (error) => resolve(error.code)));
  const descriptor = fs.openSync(file, "r+");
  const buffer = Buffer.alloc(3);
  const count = fs.readSync(descriptor, buffer, 0, 3, 1);
  fs.writeSync(descriptor, "J", 0);
  fs.ftruncateSync(descriptor, 4);
  const size = fs.fstatSync(descriptor).size;
  fs.closeSync(descriptor);
  const after = fs.readFileSync(file, { encoding: "utf8" });
  fs.rmSync(root, { recursive: true });
  return [text, code, count, buffer.toString(), size, after];
}, ["hello", "ENOENT", 3, "ell", 4, "Jell"]);
