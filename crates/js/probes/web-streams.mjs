// Probe of ReadableStream, WritableStream, TransformStream.

import { probe } from "./probe.mjs";

export default probe("ReadableStream, WritableStream, TransformStream", "readers, pipeThrough, tee, from async iteration", async (pi, signal) => {
  const source = () => new ReadableStream({ start(controller) { controller.enqueue("a"); controller.enqueue("b"); controller.close(); } });
  const upper = new TransformStream({ transform: (chunk, controller) => controller.enqueue(chunk.toUpperCase()) });
  let text = "";
  for await (const chunk of source().pipeThrough(upper)) text += chunk;
  const seen = [];
  await source().pipeTo(new WritableStream({ write: (chunk) => void seen.push(chunk) }));
  const [one, two] = source().tee();
  const reader = one.getReader();
  const first = await reader.read();
  let bytes = "";
  for await (const chunk of source().pipeThrough(new TextEncoderStream())) bytes += chunk.length;
  return [text, seen, first, (await new Response(two.pipeThrough(new TextEncoderStream())).text()), bytes];
}, ["AB", ["a", "b"], { value: "a", done: false }, "ab", "11"]);
