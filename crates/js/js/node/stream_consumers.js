// Whole streams as one value.

import { Buffer } from "toolsmith:node/buffer";

const bytesOf = (chunk) =>
  typeof chunk === "string" ? Buffer.from(chunk) : chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk;

export async function buffer(stream) {
  const parts = [];
  for await (const chunk of stream) parts.push(bytesOf(chunk));
  return Buffer.concat(parts);
}

export async function arrayBuffer(stream) {
  const { buffer: memory, byteOffset, byteLength } = await buffer(stream);
  return memory.slice(byteOffset, byteOffset + byteLength);
}

export async function text(stream) {
  const decoder = new TextDecoder();
  let whole = "";
  for await (const chunk of stream)
    whole += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  return whole + decoder.decode();
}

export const json = async (stream) => JSON.parse(await text(stream));
export const blob = async (stream) => new Blob([await buffer(stream)]);

export default { arrayBuffer, blob, buffer, json, text };
