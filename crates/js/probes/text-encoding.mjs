// Probe of TextEncoder, TextDecoder, atob, btoa.

import { probe } from "./probe.mjs";

export default probe("TextEncoder, TextDecoder, atob, btoa", "encode, encodeInto, decode, stream, fatal, labels", async (pi, signal) => {
  const decoder = new TextDecoder();
  const split = decoder.decode(new Uint8Array([0xc3]), { stream: true }) + decoder.decode(new Uint8Array([0xa9]));
  let fatal;
  try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])); } catch (error) { fatal = error instanceof TypeError; }
  return [[...new TextEncoder().encode("é€")], new TextEncoder().encodeInto("ab", new Uint8Array(1)), split, fatal, new TextDecoder("utf-16le").decode(new Uint8Array([65, 0])), new TextDecoder("latin1").decode(new Uint8Array([233])), btoa("hi"), atob("aGk=")];
}, [[195, 169, 226, 130, 172], { read: 1, written: 1 }, "é", true, "A", "é", "aGk=", "hi"]);
