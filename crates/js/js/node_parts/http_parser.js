// Reading HTTP/1: heads, and bodies by length, in chunks, or up to the end of the connection.

import { coded } from "toolsmith:node_parts/arguments";
import { Buffer } from "toolsmith:node/buffer";

/** As much as Node lets a head have, with room to spare. */
const MAX_HEAD = 64 * 1024;

const wrong = (reason, code = "HPE_INVALID_CONSTANT") => coded(Error, code, `Parse Error: ${reason}`, { reason });

/** Which headers are said once; further ones are dropped, as Node does. */
const ONCE = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

export function headersOf(raw) {
  const headers = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index].toLowerCase();
    const value = raw[index + 1];
    if (name === "set-cookie") (headers[name] ??= []).push(value);
    else if (headers[name] === undefined) headers[name] = value;
    else if (!ONCE.has(name)) headers[name] += name === "cookie" ? `; ${value}` : `, ${value}`;
  }
  return headers;
}

function parseHead(text, isRequest) {
  const lines = text.split("\r\n");
  const first = lines.shift();
  const match = isRequest
    ? /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/(\d)\.(\d)$/.exec(first)
    : /^HTTP\/(\d)\.(\d) (\d{3})(?: (.*))?$/.exec(first);
  if (match === null)
    throw wrong(
      isRequest ? "Invalid method encountered" : "Expected HTTP/",
      isRequest ? "HPE_INVALID_METHOD" : "HPE_INVALID_CONSTANT",
    );
  const raw = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(line.slice(0, colon)))
      throw wrong("Invalid header token", "HPE_INVALID_HEADER_TOKEN");
    raw.push(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return isRequest
    ? { method: match[1], url: match[2], major: Number(match[3]), minor: Number(match[4]), raw }
    : { major: Number(match[1]), minor: Number(match[2]), status: Number(match[3]), reason: match[4] ?? "", raw };
}

/**
 * Takes bytes as they come. `on.head(head)` gives whether there is a body to expect; then `on.body(bytes)` and `on.end()`. After the end
 * it waits for `resume`, so that a message is answered before the next is looked at.
 */
export class HttpParser {
  #isRequest;
  #on;
  #waiting = Buffer.alloc(0);
  #state = "head";
  #left = 0;

  constructor(isRequest, on) {
    this.#isRequest = isRequest;
    this.#on = on;
  }
  /** What was not read: another protocol's first bytes after an upgrade. */
  get rest() {
    return this.#waiting;
  }
  /** Nothing of a message has come yet. */
  get isIdle() {
    return this.#state === "head" && this.#waiting.length === 0;
  }
  push(bytes) {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#run();
  }
  resume() {
    if (this.#state === "done") this.#state = "head";
    this.#run();
  }
  /** The connection has ended; gives whether that was in order. */
  finish() {
    if (this.#state === "close") {
      this.#end();
      return true;
    }
    return this.#state === "done" || this.#state === "stopped" || this.isIdle;
  }
  #end() {
    this.#state = "done";
    this.#on.end();
  }
  #take(count) {
    const taken = this.#waiting.subarray(0, count);
    this.#waiting = this.#waiting.subarray(count);
    return taken;
  }
  #line() {
    const end = this.#waiting.indexOf("\r\n");
    if (end < 0) {
      if (this.#waiting.length > MAX_HEAD) throw wrong("Header overflow", "HPE_HEADER_OVERFLOW");
      return undefined;
    }
    const line = this.#take(end + 2)
      .subarray(0, end)
      .toString("latin1");
    return line;
  }
  #run() {
    for (;;) {
      const before = this.#state;
      const left = this.#waiting.length;
      this.#step();
      if (this.#state === before && this.#waiting.length === left) return;
    }
  }
  #step() {
    switch (this.#state) {
      case "head": {
        // Empty lines before a request are nobody's.
        while (this.#isRequest && this.#waiting.length >= 2 && this.#waiting[0] === 13 && this.#waiting[1] === 10)
          this.#take(2);
        const end = this.#waiting.indexOf("\r\n\r\n");
        if (end < 0) {
          if (this.#waiting.length > MAX_HEAD) throw wrong("Header overflow", "HPE_HEADER_OVERFLOW");
          return;
        }
        if (end > MAX_HEAD) throw wrong("Header overflow", "HPE_HEADER_OVERFLOW");
        this.#begin(
          parseHead(
            this.#take(end + 4)
              .subarray(0, end)
              .toString("latin1"),
            this.#isRequest,
          ),
        );
        return;
      }
      case "length": {
        if (this.#waiting.length === 0) return;
        const bytes = this.#take(Math.min(this.#left, this.#waiting.length));
        this.#left -= bytes.length;
        this.#on.body(bytes);
        if (this.#left === 0) this.#end();
        return;
      }
      case "close":
        if (this.#waiting.length > 0) this.#on.body(this.#take(this.#waiting.length));
        return;
      case "size": {
        const line = this.#line();
        if (line === undefined) return;
        const size = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(line);
        if (size === null) throw wrong("Invalid character in chunk size", "HPE_INVALID_CHUNK_SIZE");
        this.#left = Number.parseInt(size[1], 16);
        this.#state = this.#left === 0 ? "trailers" : "chunk";
        return;
      }
      case "chunk": {
        if (this.#waiting.length === 0) return;
        const bytes = this.#take(Math.min(this.#left, this.#waiting.length));
        this.#left -= bytes.length;
        this.#on.body(bytes);
        if (this.#left === 0) this.#state = "chunk end";
        return;
      }
      case "chunk end": {
        if (this.#waiting.length < 2) return;
        if (this.#line() !== "") throw wrong("Expected LF after chunk data", "HPE_STRICT");
        this.#state = "size";
        return;
      }
      case "trailers": {
        const line = this.#line();
        if (line === "") this.#end();
        return;
      }
      default:
    }
  }
  #begin(head) {
    head.headers = headersOf(head.raw);
    const coding = head.headers["transfer-encoding"]?.toLowerCase();
    const length = head.headers["content-length"];
    if (length !== undefined && !/^\d+$/.test(length))
      throw wrong("Invalid character in Content-Length", "HPE_INVALID_CONTENT_LENGTH");
    // Two ways to say where a message ends are a way to smuggle one.
    if (this.#isRequest && coding !== undefined && length !== undefined)
      throw wrong("Content-Length can't be present with Transfer-Encoding", "HPE_UNEXPECTED_CONTENT_LENGTH");
    const answer = this.#on.head(head);
    if (answer === "again") return;
    if (answer === "stop") {
      this.#state = "stopped";
      return;
    }
    if (answer === false) this.#end();
    else if (coding !== undefined && /(^|,)\s*chunked\s*$/.test(coding)) this.#state = "size";
    else if (length !== undefined) {
      this.#left = Number(length);
      if (this.#left === 0) this.#end();
      else this.#state = "length";
    } else if (this.#isRequest) this.#end();
    else this.#state = "close";
  }
}
