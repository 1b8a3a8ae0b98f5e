// Probe of node:string_decoder.

import { probe } from "./probe.mjs";
import { StringDecoder } from "node:string_decoder";

export default probe("node:string_decoder", "StringDecoder", async (pi, signal) => {
  const decoder = new StringDecoder("utf8");
  return [decoder.write(Buffer.from([0xe2, 0x82])), decoder.write(Buffer.from([0xac])), decoder.end(Buffer.from([0xc3])), new StringDecoder("base64").write(Buffer.from("hello"))];
}, ["", "€", "\ufffd", "aGVs"]);
