// Bun's files: a file that is looked at when something is asked of it.

import { logger } from "toolsmith:kernel";
import { Buffer } from "toolsmith:node/buffer";
import fs from "toolsmith:node/fs";
import { fileURLToPath } from "toolsmith:node_parts/file_url";
import process from "toolsmith:node/process";
import { bytesOf } from "toolsmith:bun/bytes";

const TYPES = {
  txt: "text/plain;charset=utf-8",
  html: "text/html;charset=utf-8",
  htm: "text/html;charset=utf-8",
  css: "text/css;charset=utf-8",
  js: "text/javascript;charset=utf-8",
  mjs: "text/javascript;charset=utf-8",
  cjs: "text/javascript;charset=utf-8",
  ts: "text/javascript;charset=utf-8",
  tsx: "text/javascript;charset=utf-8",
  json: "application/json;charset=utf-8",
  md: "text/markdown",
  csv: "text/csv",
  xml: "text/xml",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  ico: "image/x-icon",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  tar: "application/x-tar",
  wasm: "application/wasm",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  toml: "application/toml",
  yaml: "text/yaml",
  yml: "text/yaml",
};

const resolve = (path) => (path.startsWith("/") ? path : `${process.cwd()}/${path}`);

/** Where a file is, however it is given. */
export function pathOf(place) {
  if (typeof place === "string") return place.startsWith("file://") ? fileURLToPath(place) : resolve(place);
  if (place instanceof BunFile) return place.path;
  if (typeof place?.href === "string") return fileURLToPath(place);
  if (ArrayBuffer.isView(place)) return resolve(new TextDecoder().decode(place));
  throw new TypeError("Expected a path, an address or a file");
}

class FileWriter {
  #path;
  #pieces = [];
  #first;
  #size = 0;
  constructor(path) {
    this.#path = path;
    this.#first = true;
  }
  write(data) {
    const bytes =
      typeof data === "string"
        ? Buffer.from(data)
        : Buffer.from(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength));
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    return bytes.length;
  }
  flush() {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (this.#first) fs.writeFileSync(this.#path, bytes);
    else if (bytes.length > 0) fs.appendFileSync(this.#path, bytes);
    this.#first = false;
    return bytes.length;
  }
  end() {
    this.flush();
    return this.#size;
  }
  ref() {}
  unref() {}
}

export class BunFile {
  #type;
  #start;
  #end;

  constructor(path, options, start = 0, end = Infinity) {
    this.path = path;
    this.#type = options?.type;
    this.#start = start;
    this.#end = end;
  }
  get name() {
    return this.path;
  }
  get type() {
    return this.#type ?? TYPES[/\.([^./]+)$/.exec(this.path)?.[1].toLowerCase()] ?? "application/octet-stream";
  }
  get size() {
    try {
      return Math.max(0, Math.min(fs.statSync(this.path).size, this.#end) - this.#start);
    } catch {
      return 0;
    }
  }
  get lastModified() {
    try {
      return fs.statSync(this.path).mtimeMs;
    } catch {
      return 0;
    }
  }
  async bytes() {
    const all = await fs.promises.readFile(this.path);
    const part = this.#start === 0 && this.#end === Infinity ? all : all.subarray(this.#start, this.#end);
    return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  }
  async arrayBuffer() {
    return (await this.bytes()).slice().buffer;
  }
  async text() {
    return new TextDecoder().decode(await this.bytes());
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.type });
  }
  async formData() {
    return new Response(await this.bytes(), { headers: { "content-type": this.type } }).formData();
  }
  async exists() {
    try {
      return (await fs.promises.stat(this.path)).isFile();
    } catch {
      return false;
    }
  }
  stream() {
    const source = fs.createReadStream(this.path, {
      start: this.#start,
      end: this.#end === Infinity ? undefined : this.#end - 1,
    });
    const iterator = source[Symbol.asyncIterator]();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      },
      cancel: () => void source.destroy(),
    });
  }
  async *[Symbol.asyncIterator]() {
    yield* this.stream();
  }
  slice(start = 0, end = Infinity, type) {
    const at = (position) => (position < 0 ? Math.max(0, this.size + position) : position);
    if (typeof start === "string") [start, type] = [0, start];
    return new BunFile(
      this.path,
      { type: type ?? this.#type },
      this.#start + at(start),
      Math.min(this.#end, this.#start + at(end)),
    );
  }
  writer() {
    return new FileWriter(this.path);
  }
  write(data) {
    return write(this, data);
  }
  async delete() {
    await fs.promises.unlink(this.path);
  }
  unlink() {
    return this.delete();
  }
  stat() {
    return fs.promises.stat(this.path);
  }
  toString() {
    return "[object Blob]";
  }
}

/** The program's own streams: nothing comes in, and what goes out goes to the log. */
class StandardFile extends BunFile {
  #level;
  constructor(level) {
    super("/dev/null");
    this.#level = level;
  }
  async bytes() {
    return new Uint8Array(0);
  }
  async exists() {
    return true;
  }
  write(data) {
    return write(this, data);
  }
  writer() {
    const { log } = this;
    return { write: (data) => log(typeof data === "string" ? Buffer.from(data) : data), flush() {}, end() {} };
  }
  get log() {
    return (bytes) => {
      const text = new TextDecoder().decode(bytes).trimEnd();
      if (text !== "") logger[this.#level](text);
      return bytes.length;
    };
  }
}
export const stdin = new StandardFile("debug");
export const stdout = new StandardFile("info");
export const stderr = new StandardFile("error");

export function file(place, options) {
  if (typeof place === "number") {
    const standard = [stdin, stdout, stderr][place];
    if (standard === undefined)
      throw new TypeError("Bun.file of a descriptor is not available in Toolsmith's embedded engine");
    return standard;
  }
  return new BunFile(pathOf(place), options);
}

export async function write(place, data, options) {
  const bytes = await bytesOf(Array.isArray(data) ? new Blob(data) : data);
  const target = typeof place === "number" ? file(place) : place;
  if (target instanceof StandardFile) return target.log(bytes);
  const path = pathOf(target);
  if (options?.createPath !== false)
    await fs.promises.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
  await fs.promises.writeFile(path, bytes, options?.mode === undefined ? undefined : { mode: options.mode });
  return bytes.length;
}
