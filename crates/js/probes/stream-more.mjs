// Probe of node:stream/promises, /web, /consumers.

import { probe } from "./probe.mjs";
import { pipeline } from "node:stream/promises";
import { text, json, buffer } from "node:stream/consumers";
import { ReadableStream as Web } from "node:stream/web";
import { Readable, PassThrough } from "node:stream";

export default probe("node:stream/promises, /web, /consumers", "pipeline, finished, text, json, buffer, Readable.toWeb, fromWeb", async (pi, signal) => {
  const pass = new PassThrough();
  const [read] = await Promise.all([text(pass), pipeline(Readable.from(["a", "b"]), pass)]);
  return [read, await json(Readable.from(['{"a":', "1}"])), (await buffer(Readable.from([Buffer.from("x")]))).length, Web === ReadableStream, await text(Readable.toWeb(Readable.from(["w"]))), await text(Readable.fromWeb(new Response("r").body))];
}, ["ab", { a: 1 }, 1, true, "w", "r"]);
