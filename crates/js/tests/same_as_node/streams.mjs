// Streams, the promises and consumers of them, and the bridges to the web's.

import stream, { Duplex, PassThrough, Readable, Stream, Transform, Writable, addAbortSignal, compose, finished, pipeline } from "node:stream";
import { pipeline as pipelineLater, finished as finishedLater } from "node:stream/promises";
import { arrayBuffer, blob, buffer, json, text } from "node:stream/consumers";
import { ReadableStream as WebReadable } from "node:stream/web";

export default async function (print) {
  print(stream === Stream, stream.Readable === Readable, typeof stream.promises.pipeline, Stream.Stream === Stream, new PassThrough() instanceof Stream);
  const out = [];
  const upper = new Transform({ transform(chunk, _encoding, callback) { callback(null, String(chunk).toUpperCase()); } });
  const sink = new Writable({ write(chunk, _encoding, callback) { out.push(String(chunk)); callback(); } });
  await pipelineLater(Readable.from(["a", "b", "c"]), upper, sink);
  print(out, sink.writableFinished, sink.destroyed);
  await pipelineLater(Readable.from([1, 2, 3]), async function* (source) { for await (const n of source) yield String(n * 2); }, async (source) => { let all = ""; for await (const t of source) all += t; print("all", all); });
  print(await text(Readable.from(["x", "y"])), await json(Readable.from(['{"a":', "1}"])), (await buffer(Readable.from([Buffer.from("q")]))).length, (await arrayBuffer(Readable.from([Buffer.from("qq")]))).byteLength, (await blob(Readable.from(["abc"]))).size);
  const slow = new Writable({ highWaterMark: 3, write(_chunk, _encoding, callback) { setTimeout(callback, 1); } });
  print(slow.write("ab"), slow.write("cd"), slow.writableLength, slow.writableNeedDrain);
  await new Promise((resolve) => slow.once("drain", resolve));
  slow.end("z");
  await finishedLater(slow);
  print(slow.writableLength, slow.writableEnded);
  try { slow.write("more"); } catch (error) { print("thrown", error.code); }
  const failing = new Readable({ read() { this.destroy(new Error("broken")); } });
  try { for await (const _ of failing) print("never"); } catch (error) { print(error.message); }
  await new Promise((resolve) => pipeline(Readable.from(["a"]), new Transform({ transform(_c, _e, callback) { callback(new Error("in the middle")); } }), new PassThrough(), (error) => { print("callback", error.message); resolve(); }));
  await new Promise((resolve) => finished(new PassThrough().destroy(), (error) => { print(error.code); resolve(); }));
  const controller = new AbortController();
  const aborted = addAbortSignal(controller.signal, new Readable({ read() {} }));
  const ended = finishedLater(aborted).catch((error) => print(error.name, error.code));
  controller.abort();
  await ended;
  const paused = new Readable({ read() {} });
  paused.push("one"); paused.push("two"); paused.push(null);
  paused.setEncoding("utf8");
  await new Promise((resolve) => paused.once("readable", resolve));
  print(paused.read(2), paused.read(), paused.readableFlowing);
  const events = [];
  const flow = Readable.from(["1", "2"]);
  for (const name of ["data", "end", "close", "pause", "resume"]) flow.on(name, (value) => events.push(value === undefined ? name : `${name} ${value}`));
  await new Promise((resolve) => flow.on("close", resolve));
  print(events);
  print(await Readable.from([1, 2, 3, 4]).filter((n) => n % 2 === 0).map((n) => n * 10).toArray(), await Readable.from([1, 2]).reduce((sum, n) => sum + n, 0), await Readable.from([5, 6]).take(1).toArray());
  const web = new WebReadable({ start(c) { c.enqueue("w1"); c.enqueue("w2"); c.close(); } });
  print(await text(Readable.fromWeb(web)));
  const reader = Readable.toWeb(Readable.from([Buffer.from("n1"), Buffer.from("n2")], { objectMode: false })).getReader();
  const pieces = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) pieces.push(Buffer.from(step.value).toString());
  print(pieces.join(""));
  const collected = [];
  const intoWeb = Writable.fromWeb(new WritableStream({ write(chunk) { collected.push(Buffer.from(chunk).toString()); } }));
  intoWeb.write("a"); intoWeb.end("b");
  await finishedLater(intoWeb);
  print(collected);
  const fromWebSide = [];
  const writer = Writable.toWeb(new Writable({ write(chunk, _e, callback) { fromWebSide.push(String(chunk)); callback(); } })).getWriter();
  await writer.write(Buffer.from("q")); await writer.write("r"); await writer.close();
  print(fromWebSide);
  const duplex = Duplex.from(async function* (source) { for await (const chunk of source) yield String(chunk) + "!"; });
  duplex.end("hey");
  print(await text(duplex));
  const both = compose(new PassThrough(), new Transform({ transform(c, _e, callback) { callback(null, `<${c}>`); } }));
  both.end("in");
  print(await text(both));
  class Counter extends Readable { constructor() { super({ objectMode: true, highWaterMark: 2 }); this.n = 0; } _read() { this.push(this.n < 5 ? { n: this.n++ } : null); } }
  const counted = [];
  for await (const { n } of new Counter()) counted.push(n);
  print(counted);
  const corked = []; const cork = new Writable({ writev(chunks, callback) { corked.push(chunks.map(({ chunk }) => String(chunk))); callback(); } });
  cork.cork(); cork.write("1"); cork.write("2"); cork.uncork(); cork.end();
  await finishedLater(cork);
  print(corked);
  try { new Writable({ objectMode: false, write() {} }).write(5); } catch (error) { print(error.name, error.code); }
  try { Readable.from(5); } catch (error) { print(error.name, error.code, error.message); }
  const piped = new PassThrough(); const end = new PassThrough();
  Readable.from(["p"]).pipe(piped).pipe(end);
  print(await text(end));
}
