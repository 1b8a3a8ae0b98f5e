// fetch, Headers, Request and Response. The connection is the Rust side's; bodies are read as they come.

import { host, operation } from "toolsmith:kernel";
import { Blob, FormData, encodeForm } from "toolsmith:web/blob";

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function checkName(name) {
  const text = String(name);
  if (!NAME.test(text)) throw new TypeError(`Headers: "${text}" is an invalid header name.`);
  return text.toLowerCase();
}

function checkValue(value) {
  const text = String(value).trim();
  if (/[\0\r\n]/.test(text)) throw new TypeError(`Headers: "${text}" is an invalid header value.`);
  return text;
}

export class Headers {
  #map = new Map();

  constructor(init) {
    if (init === undefined || init === null) return;
    const entries = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
    for (const [name, value] of entries) this.append(name, value);
  }
  append(name, value) {
    const key = checkName(name);
    const list = this.#map.get(key) ?? [];
    list.push(checkValue(value));
    this.#map.set(key, list);
  }
  set(name, value) {
    this.#map.set(checkName(name), [checkValue(value)]);
  }
  get(name) {
    return this.#map.get(checkName(name))?.join(", ") ?? null;
  }
  getSetCookie() {
    return [...(this.#map.get("set-cookie") ?? [])];
  }
  has(name) {
    return this.#map.has(checkName(name));
  }
  delete(name) {
    this.#map.delete(checkName(name));
  }
  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  *entries() {
    for (const name of [...this.#map.keys()].sort()) {
      if (name === "set-cookie") for (const value of this.#map.get(name)) yield [name, value];
      else yield [name, this.#map.get(name).join(", ")];
    }
  }
  *keys() {
    for (const [name] of this) yield name;
  }
  *values() {
    for (const [, value] of this) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toJSON() {
    return Object.fromEntries(this);
  }
  get [Symbol.toStringTag]() {
    return "Headers";
  }
}

const copyOf = (bytes) => new Uint8Array(bytes);

/** A body of any kind as `{bytes}` or `{stream}`, with the type it implies. */
function readInit(body) {
  if (body === undefined || body === null) return { bytes: undefined, type: undefined };
  if (typeof body === "string") return { bytes: host.utf8Encode(body), type: "text/plain;charset=UTF-8" };
  if (body instanceof URLSearchParams)
    return { bytes: host.utf8Encode(body.toString()), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  if (body instanceof FormData) return encodeForm(body);
  if (body instanceof Blob) return { bytes: Blob.bytes(body), type: body.type || undefined };
  if (body instanceof ArrayBuffer) return { bytes: copyOf(body) };
  if (ArrayBuffer.isView(body)) return { bytes: copyOf(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)) };
  if (typeof body.getReader === "function") return { stream: body };
  if (typeof body[Symbol.asyncIterator] === "function") return { stream: iterableStream(body) };
  return { bytes: host.utf8Encode(String(body)), type: "text/plain;charset=UTF-8" };
}

function iterableStream(iterable) {
  const iterator = iterable[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? host.utf8Encode(value) : value);
    },
  });
}

function join(pieces) {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** What Request and Response share: a body that is read once. */
class Body {
  #bytes;
  #stream;
  #source;
  #used = false;

  constructor(init, source) {
    this.#bytes = init.bytes;
    this.#stream = init.stream;
    this.#source = source;
  }

  get body() {
    if (this.#stream === undefined && (this.#bytes !== undefined || this.#source !== undefined)) {
      const bytes = this.#bytes;
      const source = this.#source;
      this.#stream = new ReadableStream({
        async pull(controller) {
          const chunk = source === undefined ? undefined : await source.read();
          if (chunk === undefined) {
            if (bytes !== undefined && bytes.length > 0) controller.enqueue(copyOf(bytes));
            controller.close();
          } else {
            controller.enqueue(chunk);
          }
        },
        cancel: () => source?.close(),
      });
    }
    return this.#stream ?? null;
  }
  get bodyUsed() {
    return this.#used || Boolean(this.#stream?.locked);
  }

  async bytes() {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#bytes !== undefined || this.#stream !== undefined || this.#source !== undefined;
    if (this.#stream !== undefined) {
      const pieces = [];
      const reader = this.#stream.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        pieces.push(typeof value === "string" ? host.utf8Encode(value) : value);
      }
      return join(pieces.length === 0 ? [new Uint8Array(0)] : pieces);
    }
    if (this.#source !== undefined) {
      const pieces = [];
      for (let chunk = await this.#source.read(); chunk !== undefined; chunk = await this.#source.read())
        pieces.push(chunk);
      return join(pieces.length === 0 ? [new Uint8Array(0)] : pieces);
    }
    return copyOf(this.#bytes ?? new Uint8Array(0));
  }
  async text() {
    return new TextDecoder().decode(await this.bytes());
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async arrayBuffer() {
    return (await this.bytes()).slice().buffer;
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }
  async formData() {
    const type = this.headers.get("content-type") ?? "";
    const form = new FormData();
    if (type.startsWith("application/x-www-form-urlencoded")) {
      for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
      return form;
    }
    throw new TypeError(`Cannot read a form from ${type || "a body without a type"}`);
  }

  /** For `clone`: both copies read the same bytes. */
  split() {
    if (this.bodyUsed) throw new TypeError("Body has already been read and cannot be cloned");
    if (this.#bytes !== undefined) return { bytes: this.#bytes };
    if (this.body === null) return {};
    const [one, other] = this.#stream.tee();
    this.#stream = one;
    this.#source = undefined;
    return { stream: other };
  }
}

const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"];

export class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const given = readInit(init?.body);
    const method = String(init?.method ?? from?.method ?? "GET");
    const upper = METHODS.includes(method.toUpperCase()) ? method.toUpperCase() : method;
    if (init?.body != null && (upper === "GET" || upper === "HEAD"))
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    super(init?.body == null && from ? from.split() : given);
    this.url = from ? from.url : new URL(String(input)).href;
    this.method = upper;
    this.headers = new Headers(init?.headers ?? from?.headers);
    if (given.type && !this.headers.has("content-type")) this.headers.set("content-type", given.type);
    this.signal = init?.signal ?? from?.signal ?? new AbortController().signal;
    this.redirect = init?.redirect ?? from?.redirect ?? "follow";
    this.mode = "cors";
    this.credentials = "same-origin";
    this.cache = "default";
    this.referrer = "about:client";
    this.keepalive = Boolean(init?.keepalive);
    this.duplex = "half";
  }
  clone() {
    return new Request(this);
  }
  get [Symbol.toStringTag]() {
    return "Request";
  }
}

const NULL_BODY = [101, 103, 204, 205, 304];
const internal = Symbol("internal");

export class Response extends Body {
  constructor(body, init = {}) {
    const own = init?.[internal];
    const status = own?.status ?? init?.status ?? 200;
    if (own === undefined && (!Number.isInteger(status) || status < 200 || status > 599))
      throw new RangeError(`init["status"] must be in the range of 200 to 599, inclusive.`);
    if (body != null && NULL_BODY.includes(status)) throw new TypeError(`Invalid response status code ${status}`);
    const given = readInit(body);
    super(given, own?.source);
    this.status = status;
    this.statusText = String(own?.statusText ?? init?.statusText ?? "");
    this.ok = status >= 200 && status <= 299;
    this.headers = new Headers(own?.headers ?? init?.headers);
    if (given.type && !this.headers.has("content-type")) this.headers.set("content-type", given.type);
    this.url = own?.url ?? "";
    this.redirected = own?.redirected ?? false;
    this.type = own?.type ?? "default";
  }
  clone() {
    const { status, statusText, headers, url, redirected, type } = this;
    const { bytes, stream } = this.split();
    return new Response(bytes ?? stream, { [internal]: { status, statusText, headers, url, redirected, type } });
  }
  static json(value, init = {}) {
    const headers = new Headers(init?.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(JSON.stringify(value), { ...init, headers });
  }
  static redirect(url, status = 302) {
    return new Response(null, { status, headers: { location: new URL(String(url)).href } });
  }
  static error() {
    return new Response(null, { [internal]: { status: 0, type: "error" } });
  }
  get [Symbol.toStringTag]() {
    return "Response";
  }
}

/** `data:` addresses have their answer in them. */
function fetchData(url) {
  const match = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(url);
  if (match === null) throw new TypeError("fetch failed");
  const [, type, base64, data] = match;
  const bytes = base64 ? host.base64Decode(decodeURIComponent(data)) : host.utf8Encode(decodeURIComponent(data));
  return new Response(bytes, { headers: { "content-type": type || "text/plain;charset=US-ASCII" } });
}

export async function fetch(input, init) {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  if (request.url.startsWith("data:")) return fetchData(request.url);
  if (!/^https?:/.test(request.url)) throw new TypeError(`fetch failed: unknown scheme in ${request.url}`);
  const body = request.body === null ? undefined : await request.bytes();
  const asked = { method: request.method, url: request.url, headers: [...request.headers], redirect: request.redirect };
  const start = (number) => host.fetchStart(number, JSON.stringify(asked), body ?? null);
  let head;
  try {
    head = JSON.parse(await operation(start, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (error.cause) error.cause = Object.assign(new Error(error.cause.message), error.cause);
    throw error;
  }
  const source = {
    async read() {
      try {
        return await operation((number) => host.fetchRead(number, head.id), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    close: () => host.fetchClose(head.id),
  };
  const hasBody = request.method !== "HEAD" && !NULL_BODY.includes(head.status);
  if (!hasBody) host.fetchClose(head.id);
  return new Response(undefined, { [internal]: { ...head, source: hasBody ? source : undefined, type: "basic" } });
}
