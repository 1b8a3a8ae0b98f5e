// Buffers and string decoders.

import buffer, { Buffer, transcode, isUtf8, isAscii, constants } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

export default async function (print) {
  const attempt = (name, run) => {
    try { print(name, run()); } catch (error) { print(name, error.name, error.code ?? "", error.message); }
  };
  for (const encoding of ["utf8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "ucs2", "utf16le", "UTF-8"]) {
    print(encoding, [...Buffer.from("héllo wörld 日本 😀", encoding)].join(), Buffer.byteLength("héé日", encoding));
    print(encoding, Buffer.from([0, 1, 127, 128, 200, 255, 65, 66]).toString(encoding));
  }
  print(Buffer.from("zz", "hex").length, Buffer.from("abc", "hex").length, Buffer.from("a=b=", "base64").length, Buffer.from("YW Jj\nZA", "base64").toString());
  const b = Buffer.alloc(16);
  attempt("u8", () => b.writeUInt8(256));
  attempt("i8", () => b.writeInt8(-129));
  attempt("u16", () => b.writeUInt16LE(65536, 0));
  attempt("u32", () => b.writeUInt32BE(2 ** 32, 0));
  attempt("i32", () => b.writeInt32BE(2 ** 31, 0));
  attempt("big", () => b.writeBigUInt64LE(2n ** 64n, 0));
  attempt("bigint", () => b.writeBigInt64LE(-(2n ** 63n) - 1n, 0));
  attempt("uint6", () => b.writeUIntBE(2 ** 48, 0, 6));
  attempt("uint3", () => b.writeUIntBE(2 ** 24, 0, 3));
  attempt("uint7", () => b.writeUIntBE(1, 0, 7));
  attempt("offset", () => b.readUInt32LE(13));
  attempt("offset", () => b.readUInt32LE(-1));
  attempt("offset", () => b.readUInt32LE(1.5));
  attempt("offset", () => b.readUInt32LE("1"));
  attempt("small", () => Buffer.alloc(1).readUInt32LE(0));
  attempt("undefined", () => b.readUIntLE(0));
  print(b.writeIntLE(-123456789, 2, 6), b.readIntLE(2, 6), b.readUIntBE(1, 5), b.writeFloatBE(1.5, 0), b.readFloatBE(), b.writeDoubleLE(-0.1, 8), b.readDoubleLE(8));
  print(b.writeBigInt64BE(-5n, 0), String(b.readBigInt64BE(0)), String(b.readBigUInt64LE(0)), b.toString("hex"), b.readUint8(3), b.readInt16BE(6));
  print(Buffer.compare(Buffer.from("a"), Buffer.from("ab")), Buffer.from("abc").compare(Buffer.from("xabcx"), 1, 4), Buffer.from("abc").equals(Buffer.from("abc")));
  const text = Buffer.from("this is a buffer, is it");
  print(text.indexOf("is"), text.indexOf("is", 3), text.indexOf("is", -3), text.lastIndexOf("is"), text.lastIndexOf("is", 10), text.includes("buffer"), text.indexOf(""), text.indexOf(Buffer.from("a b")), text.indexOf(97), text.indexOf("zz"), text.lastIndexOf("this", 0));
  attempt("indexOf", () => text.indexOf({}));
  print(Buffer.alloc(5, "ab").toString(), Buffer.alloc(4, 1).toJSON(), Buffer.alloc(6).fill("é").toString(), Buffer.alloc(4).fill("zz", 1, 3).toString("latin1"), Buffer.alloc(3, "YQ==", "base64").toString());
  attempt("fill", () => Buffer.alloc(3).fill("z", "hex"));
  attempt("fill", () => Buffer.alloc(3).fill(1, 0, 9));
  print(Buffer.from([1, 2, 3, 4]).swap16().toJSON().data, Buffer.from([1, 2, 3, 4]).swap32().toJSON().data, Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]).swap64().toJSON().data);
  attempt("swap", () => Buffer.alloc(3).swap16());
  print(transcode(Buffer.from("€uro é"), "utf8", "latin1").toString("latin1"), transcode(Buffer.from("é"), "utf8", "utf16le").toString("hex"), isUtf8(Buffer.from([0xff])), isUtf8(Buffer.from("é")), isAscii(Buffer.from("é")));
  const part = text.subarray(5, 7); part[0] = 73;
  print(text.toString(), text.slice(-2).toString(), part.parent === text.buffer, text.slice(2, 1).length);
  const target = Buffer.alloc(4, ".");
  print(Buffer.from("abcdef").copy(target, 1, 2), target.toString(), Buffer.from("abc").copy(target, 3), target.toString());
  attempt("copy", () => Buffer.from("abc").copy(target, -1));
  print(Buffer.alloc(3).write("日本"), Buffer.alloc(5).write("abc", 3), Buffer.alloc(4).write("616263", "hex"));
  attempt("write", () => Buffer.alloc(3).write("a", 4));
  attempt("write", () => Buffer.alloc(3).write(1));
  attempt("concat", () => Buffer.concat([1]));
  attempt("concat", () => Buffer.concat("x"));
  print(Buffer.concat([Buffer.from("ab"), new Uint8Array([99, 100])], 3).toString(), Buffer.concat([]).length);
  for (const value of [5, null, undefined, {}, true, () => {}, Symbol("s"), 5n]) attempt("from", () => Buffer.from(value));
  attempt("alloc", () => Buffer.alloc("5"));
  attempt("alloc", () => Buffer.alloc(-1).length);
  attempt("byteLength", () => Buffer.byteLength(5));
  attempt("encoding", () => Buffer.from("a", "nope"));
  attempt("toString", () => Buffer.from("a").toString("nope"));
  attempt("compare", () => Buffer.compare("a", Buffer.alloc(0)));
  attempt("equals", () => Buffer.alloc(0).equals("x"));
  print(Buffer.from(new String("boxed")).toString(), Buffer.from({ type: "Buffer", data: [1, 2] }).length, Buffer.from({ length: 2, 0: 65, 1: 66 }).toString(), Buffer.from(new Uint16Array([1, 256])).toJSON().data);
  print(new Buffer("old").toString(), Buffer("old").length, new Buffer(3).length, Buffer.isBuffer(new Uint8Array(1)), Buffer.isEncoding("utf-8"), Buffer.isEncoding("nope"), Buffer.isEncoding(""));
  print(text instanceof Buffer, text instanceof Uint8Array, text.constructor === Buffer, Buffer.name, typeof text.map((x) => x).toString, text.map((x) => x) instanceof Buffer, text.filter((x) => x === 73).toString());
  print(typeof constants.MAX_LENGTH, typeof buffer.kMaxLength, typeof buffer.Blob, typeof buffer.File, buffer.INSPECT_MAX_BYTES, Object.keys(Buffer).length > 0, JSON.stringify({ b: Buffer.from("x") }));
  print([...Buffer.from("ab").entries()], [...Buffer.from("ab").keys()], [...Buffer.from("ab")], Buffer.from("abc").at(-1), Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1).toJSON().data);
  print(Buffer.from("aGk", "base64").latin1Slice(0, 1), Buffer.from("é").utf8Slice(), Buffer.from("ab").hexSlice(1));
  for (const encoding of ["utf8", "utf16le", "base64", "hex", "latin1"]) {
    const bytes = encoding === "utf16le" ? Buffer.from("aé日z", "utf16le") : Buffer.from("aé日😀z\u{10ffff}");
    const decoder = new StringDecoder(encoding);
    let out = "";
    const size = encoding === "utf16le" ? 3 : 1;
    for (let at = 0; at < bytes.length; at += size) out += `${decoder.write(bytes.subarray(at, at + size))}|`;
    print(encoding, out + decoder.end(), decoder.encoding);
    print(new StringDecoder(encoding).end(bytes.subarray(0, 5)), new StringDecoder(encoding).write(bytes.subarray(3)));
  }
  const broken = new StringDecoder();
  print([[0xe0], [0x41], [0xf0, 0x9f], [0x20], [0xff, 0xc3]].map((bytes) => broken.write(Buffer.from(bytes))), broken.end());
  attempt("decoder", () => new StringDecoder("nope"));
  attempt("decoder", () => new StringDecoder().write(5));
  const missing = [];
  for (const name of ["readBigInt64BE", "readBigUint64LE", "writeUintLE", "readInt8", "toLocaleString", "ucs2Write", "asciiSlice", "base64urlSlice", "readUintBE", "writeBigUint64BE", "swap16", "parent", "offset"]) if (!(name in Buffer.prototype)) missing.push(name);
  print(missing);
}
