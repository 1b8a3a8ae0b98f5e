// node:zlib: every format, at once and as streams, and broken input.

import zlib, { createGunzip, createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const later = (run) => new Promise((resolve, reject) => run((error, value) => (error ? reject(error) : resolve(value))));
const thrown = (run) => {
  try {
    run();
  } catch (error) {
    return [error.name, error.code, error.errno, error.message];
  }
  return "nothing";
};

export default async function (print) {
  const text = "hello ".repeat(20000) + "ünd";
  for (const [pack, unpack] of [["gzip", "gunzip"], ["deflate", "inflate"], ["deflateRaw", "inflateRaw"], ["brotliCompress", "brotliDecompress"], ["gzip", "unzip"], ["deflate", "unzip"]]) {
    const packed = zlib[`${pack}Sync`](text, pack === "brotliCompress" ? { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } } : undefined);
    print(pack, unpack, packed.length < 5000, zlib[`${unpack}Sync`](packed).toString() === text, (await later((done) => zlib[unpack](packed, done))).length);
    print((await later((done) => zlib[pack](Buffer.from("x"), done))).length > 0, zlib[`${unpack}Sync`](zlib[`${pack}Sync`]("")).length);
  }
  print(zlib.gunzipSync("H4sIAAAAAAAAA8tIzcnJVyjPL8pJAQCFEUoNCwAAAA==".length > 0 ? Buffer.from("H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==", "base64") : "").toString());
  print(zlib.inflateSync(Buffer.from("eJzLSM3JyQcABiwCFQ==", "base64")).toString(), zlib.brotliDecompressSync(Buffer.from("CwKAaGVsbG8D", "base64")).toString());
  print(zlib.gunzipSync(Buffer.concat([zlib.gzipSync("one"), zlib.gzipSync("two")])).toString());
  print(thrown(() => zlib.gunzipSync(Buffer.from("not gzip at all"))), thrown(() => zlib.inflateSync(Buffer.from("nope"))), thrown(() => zlib.gunzipSync(zlib.gzipSync(text).subarray(0, 50))));
  print(thrown(() => zlib.gunzipSync(zlib.gzipSync(text), { maxOutputLength: 100 })), thrown(() => zlib.gzipSync(5))?.slice(0, 2), thrown(() => zlib.gzipSync("x", { level: 20 }))?.slice(0, 2));
  const chunks = [];
  await pipeline(Readable.from([Buffer.from("a".repeat(1000)), Buffer.from("b")]), createGzip(), createGunzip(), async (source) => { for await (const chunk of source) chunks.push(chunk); });
  print(Buffer.concat(chunks).length);
  const lenient = createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH });
  lenient.end(zlib.gzipSync("cut off in the end").subarray(0, -4));
  print(await new Promise((resolve) => lenient.on("data", (chunk) => resolve(String(chunk)))));
  const early = createGunzip();
  const packing = createGzip();
  packing.pipe(early);
  packing.write("as it comes");
  packing.flush();
  print(await new Promise((resolve) => early.once("data", (chunk) => resolve(String(chunk)))));
  packing.destroy();
  const broken = createGunzip();
  broken.end("definitely not gzip");
  print(await new Promise((resolve) => broken.on("error", (error) => resolve([error.code, error.message])).resume()));
  const flushed = createGzip();
  flushed.write("flush me");
  await new Promise((resolve) => flushed.flush(resolve));
  print(flushed.read()?.length > 10, createGzip() instanceof zlib.Gzip, zlib.Gzip({ level: 1 }) instanceof zlib.Gzip, zlib.constants.Z_BEST_COMPRESSION);
}
