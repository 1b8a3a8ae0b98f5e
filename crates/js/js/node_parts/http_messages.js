// The two halves of an exchange: what comes in is a Readable, what goes out a Writable that writes its head first.

import { checkString, coded, invalidArgType } from "toolsmith:node_parts/arguments";
import { Buffer } from "toolsmith:node/buffer";
import { Readable, Writable } from "toolsmith:node/stream";

export class IncomingMessage extends Readable {
  constructor(socket, head) {
    super({ highWaterMark: 64 * 1024 });
    this.socket = this.connection = this.client = socket;
    this.complete = false;
    this.aborted = false;
    this.url = head?.url ?? "";
    this.method = head?.method ?? null;
    this.statusCode = head?.status ?? null;
    this.statusMessage = head?.reason ?? null;
    this.httpVersionMajor = head?.major ?? 1;
    this.httpVersionMinor = head?.minor ?? 1;
    this.httpVersion = `${this.httpVersionMajor}.${this.httpVersionMinor}`;
    this.rawHeaders = head?.raw ?? [];
    this.headers = head?.headers ?? {};
    this.trailers = {};
    this.rawTrailers = [];
  }
  get headersDistinct() {
    const distinct = {};
    for (let index = 0; index < this.rawHeaders.length; index += 2)
      (distinct[this.rawHeaders[index].toLowerCase()] ??= []).push(this.rawHeaders[index + 1]);
    return distinct;
  }
  _read() {
    this.socket?.resume();
  }
  _destroy(error, callback) {
    if (!this.complete && !this.readableEnded) {
      this.aborted = true;
      this.emit("aborted");
      this.socket?.destroy(error);
    }
    callback(error);
  }
  setTimeout(time, callback) {
    if (callback) this.on("timeout", callback);
    this.socket?.setTimeout(time);
    return this;
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function validateHeaderName(name) {
  if (typeof name !== "string" || !NAME.test(name))
    throw coded(TypeError, "ERR_INVALID_HTTP_TOKEN", `Header name must be a valid HTTP token ["${name}"]`);
}
export function validateHeaderValue(name, value) {
  if (value === undefined)
    throw coded(TypeError, "ERR_HTTP_INVALID_HEADER_VALUE", `Invalid value "undefined" for header "${name}"`);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(String(value)))
    throw coded(TypeError, "ERR_INVALID_CHAR", `Invalid character in header content ["${name}"]`);
}

export class OutgoingMessage extends Writable {
  #headers = new Map();
  #chunked = false;

  constructor() {
    // What was sent is not the end: the answer is still to come.
    super({ highWaterMark: 64 * 1024, decodeStrings: true, autoDestroy: false });
    this.socket = this.connection = null;
    this.headersSent = false;
    this.sendDate = false;
    this.finished = false;
    this.shouldKeepAlive = true;
    this._hasBody = true;
  }
  setHeader(name, value) {
    if (this.headersSent)
      throw coded(Error, "ERR_HTTP_HEADERS_SENT", "Cannot set headers after they are sent to the client");
    validateHeaderName(name);
    for (const each of Array.isArray(value) ? value : [value]) validateHeaderValue(name, each);
    this.#headers.set(name.toLowerCase(), [name, Array.isArray(value) ? value.map(String) : value]);
    return this;
  }
  appendHeader(name, value) {
    const before = this.getHeader(name);
    return this.setHeader(name, before === undefined ? value : [before, value].flat());
  }
  setHeaders(headers) {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }
  getHeader(name) {
    checkString(name, "name");
    return this.#headers.get(name.toLowerCase())?.[1];
  }
  hasHeader(name) {
    return this.#headers.has(String(name).toLowerCase());
  }
  removeHeader(name) {
    if (this.headersSent)
      throw coded(Error, "ERR_HTTP_HEADERS_SENT", "Cannot remove headers after they are sent to the client");
    this.#headers.delete(String(name).toLowerCase());
  }
  getHeaders() {
    const all = Object.create(null);
    for (const [name, [, value]] of this.#headers) all[name] = value;
    return all;
  }
  getHeaderNames() {
    return [...this.#headers.keys()];
  }
  getRawHeaderNames() {
    return [...this.#headers.values()].map(([name]) => name);
  }
  addTrailers() {}
  /** Writes the head. Where nothing says how long the body is, it goes in chunks. */
  _sendHead(line) {
    if (this.headersSent) return;
    if (this._hasBody && !this.hasHeader("content-length") && !this.hasHeader("transfer-encoding"))
      this.setHeader("Transfer-Encoding", "chunked");
    if (this.sendDate && !this.hasHeader("date")) this.setHeader("Date", new Date().toUTCString());
    if (!this.hasHeader("connection")) this.setHeader("Connection", this.shouldKeepAlive ? "keep-alive" : "close");
    this.#chunked = this._hasBody && /chunked/i.test(String(this.getHeader("transfer-encoding") ?? ""));
    let head = `${line}\r\n`;
    for (const [name, value] of this.#headers.values())
      for (const each of [value].flat()) head += `${name}: ${each}\r\n`;
    this.headersSent = true;
    this._toSocket(Buffer.from(`${head}\r\n`, "latin1"), () => {});
  }
  _toSocket(bytes, callback) {
    if (this.socket === null || this.socket.destroyed) callback();
    else this.socket.write(bytes, () => callback());
  }
  flushHeaders() {
    this._sendHead(this._headLine());
  }
  _write(chunk, _encoding, callback) {
    this.flushHeaders();
    if (!this._hasBody || chunk.length === 0) callback();
    else if (this.#chunked)
      this._toSocket(
        Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
        callback,
      );
    else this._toSocket(chunk, callback);
  }
  write(chunk, encoding, callback) {
    if (chunk === null || (typeof chunk !== "string" && !(chunk instanceof Uint8Array)))
      throw invalidArgType("chunk", ["string", "Buffer", "Uint8Array"], chunk);
    return super.write(chunk, encoding, callback);
  }
  end(chunk, encoding, callback) {
    if (typeof chunk === "function") [chunk, callback] = [undefined, chunk];
    else if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
    if (this.finished) return this;
    this.finished = true;
    // The whole body is known: its length can be said.
    if (
      !this.headersSent &&
      this.writableLength === 0 &&
      !this.hasHeader("content-length") &&
      !this.hasHeader("transfer-encoding") &&
      this._saysLength(chunk)
    ) {
      this.setHeader("Content-Length", chunk === undefined || chunk === null ? 0 : Buffer.byteLength(chunk, encoding));
    }
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    return super.end(callback);
  }
  _saysLength() {
    return true;
  }
  _final(callback) {
    this.flushHeaders();
    if (this.#chunked) this._toSocket(Buffer.from("0\r\n\r\n"), callback);
    else callback();
  }
  setTimeout(time, callback) {
    if (callback) this.on("timeout", callback);
    if (this.socket) this.socket.setTimeout(time);
    else this.once("socket", (socket) => socket.setTimeout(time));
    return this;
  }
  cork() {}
  uncork() {}
}
