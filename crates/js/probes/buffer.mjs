// Probe of node:buffer.

import { probe } from "./probe.mjs";
import { Buffer as B, Blob as NodeBlob } from "node:buffer";

export default probe("node:buffer", "from, alloc, concat, byteLength, toString encodings, slice, compare, read and write, indexOf", async (pi, signal) => {
  const b = Buffer.from("héllo");
  const n = Buffer.alloc(8);
  n.writeUInt32BE(0xdeadbeef, 0);
  n.writeInt16LE(-2, 4);
  return [B === Buffer, b.length, b.toString("hex"), b.toString("base64url"), Buffer.byteLength("€"), Buffer.concat([Buffer.from("a"), Buffer.from([98])]).toString(), Buffer.from("aGk", "base64").toString(), n.readUInt32BE(0), n.readInt16LE(4), b.subarray(0, 1).toString(), Buffer.compare(Buffer.from("a"), Buffer.from("b")), b.indexOf("l"), b.equals(Buffer.from("héllo")), Buffer.isBuffer(b), b.toJSON().type, Buffer.from("ff", "hex")[0], Buffer.from("é", "latin1").length, b instanceof Uint8Array, NodeBlob === Blob];
}, [true, 6, "68c3a96c6c6f", "aMOpbGxv", 3, "ab", "hi", 3735928559, -2, "h", -1, 3, true, true, "Buffer", 255, 1, true, true]);
