// Probe of node:zlib.

import { probe } from "./probe.mjs";
import * as zlib from "node:zlib";
import { promisify } from "node:util";

export default probe("node:zlib", "gzipSync, gunzipSync, deflateSync, inflateSync, brotli, gzip with promisify, createGunzip", async (pi, signal) => {
  const text = "hello ".repeat(100);
  const packed = zlib.gzipSync(text);
  const async = await promisify(zlib.gzip)(text);
  const stream = zlib.createGunzip();
  stream.end(packed);
  let out = "";
  for await (const chunk of stream) out += chunk;
  let bad;
  try { zlib.gunzipSync(Buffer.from("nonsense")); } catch (error) { bad = error.code; }
  return [packed.length < 100, zlib.gunzipSync(packed).toString() === text, zlib.inflateSync(zlib.deflateSync(text)).toString() === text, zlib.brotliDecompressSync(zlib.brotliCompressSync(text)).toString() === text, zlib.gunzipSync(async).length, out === text, bad];
}, [true, true, true, true, 600, true, "Z_DATA_ERROR"]);
