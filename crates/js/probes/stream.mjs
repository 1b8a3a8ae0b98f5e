// Probe of node:stream.

import { probe } from "./probe.mjs";
import { PassThrough, Readable, Transform, Writable, pipeline, finished, Duplex } from "node:stream";

export default probe("node:stream", "Readable, Writable, Transform, PassThrough, pipeline, finished, Readable.from, async iteration, object mode", async (pi, signal) => {
  const seen = [];
  const sink = () => new Writable({ objectMode: true, write(chunk, _, done) { seen.push(String(chunk)); done(); } });
  const upper = new Transform({ transform(chunk, _, done) { done(null, String(chunk).toUpperCase()); } });
  await new Promise((resolve, reject) => pipeline(Readable.from(["a", "b"]), upper, sink(), (error) => (error ? reject(error) : resolve())));
  const pass = new PassThrough();
  pass.write("x");
  pass.end("y");
  let text = "";
  for await (const chunk of pass) text += chunk;
  const pushed = new Readable({ read() { this.push("z"); this.push(null); } });
  const ended = new Promise((resolve) => finished(pushed, resolve));
  pushed.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  const failed = await new Promise((resolve) => pipeline(new Readable({ read() { this.destroy(new Error("boom")); } }), new PassThrough(), (error) => resolve(error.message)));
  return [seen, text, (await ended) ?? null, failed, new Duplex({ read() {}, write() {} }) instanceof Readable];
}, [["A", "B"], "xyz", null, "boom", true]);
