// Blob, File and FormData, all in memory.

import { host } from "toolsmith:kernel";

function bytesOf(part) {
  if (part instanceof Blob) return Blob.bytes(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part);
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return host.utf8Encode(String(part));
}

export class Blob {
  #bytes;
  #type;

  constructor(parts = [], options = {}) {
    const pieces = [...parts].map(bytesOf);
    this.#bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      this.#bytes.set(piece, at);
      at += piece.length;
    }
    this.#type = String(options?.type ?? "").toLowerCase();
  }
  static bytes(blob) {
    return blob.#bytes;
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  slice(start, end, type = "") {
    return new Blob([this.#bytes.slice(start, end)], { type });
  }
  async text() {
    return host.utf8Decode(this.#bytes, false);
  }
  async bytes() {
    return this.#bytes.slice();
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async json() {
    return JSON.parse(await this.text());
  }
  stream() {
    const bytes = this.#bytes;
    return new ReadableStream({
      start(controller) {
        if (bytes.length > 0) controller.enqueue(bytes.slice());
        controller.close();
      },
    });
  }
  get [Symbol.toStringTag]() {
    return "Blob";
  }
}

export class File extends Blob {
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.name = String(name);
    this.lastModified = options?.lastModified ?? Date.now();
    this.webkitRelativePath = "";
  }
  get [Symbol.toStringTag]() {
    return "File";
  }
}

export class FormData {
  #list = [];

  #entry(name, value, filename) {
    if (value instanceof Blob) {
      const file =
        value instanceof File && filename === undefined
          ? value
          : new File([value], filename ?? value.name ?? "blob", { type: value.type });
      return [String(name), file];
    }
    return [String(name), String(value)];
  }
  append(name, value, filename) {
    this.#list.push(this.#entry(name, value, filename));
  }
  set(name, value, filename) {
    this.delete(name);
    this.append(name, value, filename);
  }
  delete(name) {
    this.#list = this.#list.filter(([n]) => n !== String(name));
  }
  get(name) {
    return this.#list.find(([n]) => n === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#list.filter(([n]) => n === String(name)).map(([, value]) => value);
  }
  has(name) {
    return this.#list.some(([n]) => n === String(name));
  }
  forEach(callback, self) {
    for (const [name, value] of this.#list) callback.call(self, value, name, this);
  }
  *entries() {
    yield* this.#list.map(([name, value]) => [name, value]);
  }
  *keys() {
    for (const [name] of this.#list) yield name;
  }
  *values() {
    for (const [, value] of this.#list) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "FormData";
  }
}

/** A form as the body of a request: `{bytes, type}`. */
export function encodeForm(form) {
  const boundary = `----toolsmith-${[...host.randomBytes(12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const escape = (text) => text.replace(/["\r\n]/g, (c) => ({ '"': "%22", "\r": "%0D", "\n": "%0A" })[c]);
  const parts = [];
  for (const [name, value] of form) {
    const file =
      value instanceof File
        ? `; filename="${escape(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}`
        : "";
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"${file}\r\n\r\n`, value, "\r\n");
  }
  parts.push(`--${boundary}--\r\n`);
  return { bytes: Blob.bytes(new Blob(parts)), type: `multipart/form-data; boundary=${boundary}` };
}
