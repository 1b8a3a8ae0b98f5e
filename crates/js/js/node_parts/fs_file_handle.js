// An open file of `fs/promises`.

import { builtin } from "toolsmith:kernel";
import { invalidArgType } from "toolsmith:node_parts/arguments";
import { later, requests } from "toolsmith:node_parts/fs_requests";
import { EventEmitter } from "toolsmith:node/events";

const streams = () => builtin("toolsmith:node_parts/fs_streams");

export class FileHandle extends EventEmitter {
  #fd;
  #closing;

  constructor(fd) {
    super();
    this.#fd = fd;
  }
  get fd() {
    return this.#fd;
  }

  #run(name, ...args) {
    if (this.#fd < 0) return Promise.reject(Object.assign(new Error("file closed"), { code: "EBADF", syscall: name }));
    return later(requests[name](this.#fd, ...args));
  }

  async appendFile(data, options) {
    return this.writeFile(data, options);
  }
  async chmod(mode) {
    await this.#run("fchmod", mode);
  }
  async chown(uid, gid) {
    await this.#run("fchown", uid, gid);
  }
  async datasync() {
    await this.#run("fdatasync");
  }
  async sync() {
    await this.#run("fsync");
  }
  async read(...args) {
    return this.#run("read", ...args);
  }
  async readv(buffers, position) {
    return this.#run("readv", buffers, position);
  }
  async readFile(options) {
    return this.#run("readFile", options);
  }
  async stat(options) {
    return this.#run("fstat", options);
  }
  async truncate(length = 0) {
    await this.#run("ftruncate", length);
  }
  async utimes(accessed, modified) {
    await this.#run("futimes", accessed, modified);
  }
  async write(...args) {
    return this.#run("write", ...args);
  }
  async writev(buffers, position) {
    return this.#run("writev", buffers, position);
  }
  async writeFile(data, options) {
    if (typeof data === "string" || ArrayBuffer.isView(data)) return void (await this.#run("writeFile", data, options));
    if (typeof data?.[Symbol.asyncIterator] !== "function" && typeof data?.[Symbol.iterator] !== "function") {
      throw invalidArgType("data", ["string", "Buffer", "TypedArray", "DataView"], data);
    }
    for await (const chunk of data) await this.#run("writeFile", chunk, options);
  }
  readLines(options) {
    return builtin("toolsmith:node/readline").createInterface({
      input: this.createReadStream(options),
      crlfDelay: Infinity,
    });
  }
  readableWebStream(options) {
    return builtin("toolsmith:node/stream").Readable.toWeb(this.createReadStream({ ...options, autoClose: false }));
  }
  createReadStream(options) {
    return new (streams().ReadStream)(undefined, { highWaterMark: 64 * 1024, ...options, fd: this });
  }
  createWriteStream(options) {
    return new (streams().WriteStream)(undefined, { ...options, fd: this });
  }
  close() {
    if (this.#closing !== undefined) return this.#closing;
    if (this.#fd < 0) return Promise.resolve();
    const fd = this.#fd;
    this.#fd = -1;
    this.#closing = later(requests.close(fd)).then(() => {
      this.#closing = undefined;
      this.emit("close");
    });
    return this.#closing;
  }
  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }
}
