// What Bun takes as data: text, bytes, blobs, files, answers and streams.

import { Buffer } from "toolsmith:node/buffer";

function join(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const toBytes = (chunk) =>
  typeof chunk === "string"
    ? Buffer.from(chunk)
    : new Uint8Array(chunk.buffer ?? chunk, chunk.byteOffset ?? 0, chunk.byteLength);

/** Anything of it as pieces of bytes. */
export async function* readable(data) {
  if (data === undefined || data === null) return;
  if (typeof data === "string" || ArrayBuffer.isView(data) || data instanceof ArrayBuffer) {
    yield toBytes(data);
  } else if (typeof data.getReader === "function") {
    const reader = data.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield toBytes(value);
    }
  } else if (typeof data.arrayBuffer === "function") {
    yield new Uint8Array(await data.arrayBuffer());
  } else if (typeof data[Symbol.asyncIterator] === "function" || typeof data[Symbol.iterator] === "function") {
    for await (const chunk of data) yield toBytes(chunk);
  } else {
    yield toBytes(String(data));
  }
}

/** All of it. */
export async function bytesOf(data) {
  const pieces = [];
  for await (const piece of readable(data)) pieces.push(piece);
  return pieces.length === 1 ? pieces[0] : join(pieces);
}
