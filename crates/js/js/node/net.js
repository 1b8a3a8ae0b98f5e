// Node's net: connections and listeners over TCP and sockets in the file system.

import { checkInteger, coded, invalidArgType } from "toolsmith:node_parts/arguments";
import { accept, connect, listen, unlisten } from "toolsmith:node_parts/connections";
import { closeStream, finishStream, readStream, writeStream } from "toolsmith:node_parts/processes";
import { Buffer } from "toolsmith:node/buffer";
import { EventEmitter } from "toolsmith:node/events";
import process from "toolsmith:node/process";
import { Duplex } from "toolsmith:node/stream";

const ends = Symbol("ends");
const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

export const isIPv4 = (text) => V4.test(String(text));
export function isIPv6(text) {
  let [address] = String(text).split("%");
  const tail = address.slice(address.lastIndexOf(":") + 1);
  if (tail.includes(".")) {
    if (!isIPv4(tail)) return false;
    address = `${address.slice(0, address.length - tail.length)}0:0`;
  }
  const halves = address.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  return (
    groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) &&
    (halves.length === 2 ? groups.length < 8 : groups.length === 8)
  );
}
export const isIP = (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);

function checkPort(port) {
  const number = typeof port === "string" && port.trim() !== "" ? Number(port) : port;
  if (!Number.isInteger(number) || number < 0 || number > 65535)
    throw coded(
      RangeError,
      "ERR_SOCKET_BAD_PORT",
      `Port should be >= 0 and < 65536. Received type ${typeof port} ` +
        `(${typeof port === "string" ? `'${port}'` : String(port)}).`,
    );
  return number;
}

/** `(port, host)`, `(path)` or `(options)`, each with a callback, as options and that. */
export function normalizeConnect(args) {
  const callback = typeof args.at(-1) === "function" ? args.at(-1) : undefined;
  const [first, second] = args;
  if (typeof first === "object" && first !== null) return [first, callback];
  if (typeof first === "string" && Number.isNaN(Number(first))) return [{ path: first }, callback];
  return [{ port: first, host: typeof second === "string" ? second : undefined }, callback];
}

export class Socket extends Duplex {
  #ends;
  #abort;
  #timer;

  constructor(options = {}) {
    super({
      allowHalfOpen: options?.allowHalfOpen ?? false,
      emitClose: false,
      autoDestroy: true,
      highWaterMark: options?.highWaterMark,
      signal: options?.signal,
    });
    this.connecting = false;
    this.bytesRead = 0;
    this.bytesWritten = 0;
    this.timeout = 0;
    this._secure = false;
    if (options?.[ends] !== undefined) this._opened(options[ends]);
  }

  connect(...args) {
    const [options, callback] = normalizeConnect(args);
    if (callback) this.once(this._secure ? "secureConnect" : "connect", callback);
    const address =
      options.path !== undefined && options.path !== null && !this._secure
        ? { path: String(options.path) }
        : { host: options.host ?? "localhost", port: checkPort(options.port) };
    if (this._secure)
      Object.assign(address, { serverName: options.servername, protocols: options.ALPNProtocols ?? [] });
    if (options.timeout > 0) this.setTimeout(options.timeout);
    this.connecting = true;
    this.#abort = new AbortController();
    connect(address, this._secure, this.#abort.signal).then(
      (opened) => {
        if (opened === undefined || this.destroyed) return;
        this._opened(opened);
        this.emit("connect");
        if (this._secure) this.emit("secureConnect");
        this.emit("ready");
      },
      (error) => {
        this.connecting = false;
        this.destroy(error);
      },
    );
    return this;
  }

  _opened(opened) {
    this.connecting = false;
    this.#ends = opened;
    this._opening = opened;
    for (const [where, prefix] of [
      [opened.local, "local"],
      [opened.remote, "remote"],
    ]) {
      this[`${prefix}Address`] = where?.address;
      this[`${prefix}Port`] = where?.port;
      this[`${prefix}Family`] = where?.family;
    }
    this.#active();
  }

  /** Calls back once there is a connection. */
  #whenOpen(callback) {
    if (this.#ends !== undefined) callback();
    else this.once("connect", callback);
  }
  #active() {
    if (this.timeout > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.emit("timeout"), this.timeout);
    }
  }

  _read() {
    this.#whenOpen(() => {
      readStream(this.#ends.reader).then(
        (bytes) => {
          this.#active();
          if (bytes === undefined) {
            this.push(null);
            return;
          }
          this.bytesRead += bytes.length;
          this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        },
        (error) => this.destroy(error),
      );
    });
  }
  _write(chunk, _encoding, callback) {
    this.#whenOpen(() => {
      this.#active();
      this.bytesWritten += chunk.length;
      writeStream(this.#ends.writer, chunk).then(() => callback(), callback);
    });
  }
  _writev(chunks, callback) {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), undefined, callback);
  }
  _final(callback) {
    this.#whenOpen(() => finishStream(this.#ends.writer).then(() => callback(), callback));
  }
  _destroy(error, callback) {
    this.connecting = false;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    if (this.#ends !== undefined) {
      closeStream(this.#ends.reader);
      closeStream(this.#ends.writer);
    }
    callback(error);
    // After the error, which is told in its own turn.
    process.nextTick(() => this.emit("close", Boolean(error)));
  }

  setTimeout(time, callback) {
    checkInteger(time, "msecs", 0);
    this.timeout = time;
    clearTimeout(this.#timer);
    if (callback && time === 0) this.removeListener("timeout", callback);
    else if (callback) this.once("timeout", callback);
    this.#active();
    return this;
  }
  address() {
    return this.#ends?.local ? { address: this.localAddress, family: this.localFamily, port: this.localPort } : {};
  }
  destroySoon() {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }
  resetAndDestroy() {
    return this.destroy();
  }
  get pending() {
    return this.#ends === undefined;
  }
  get readyState() {
    if (this.connecting) return "opening";
    if (this.readable && this.writable) return "open";
    if (this.readable) return "readOnly";
    return this.writable ? "writeOnly" : "closed";
  }
  setNoDelay() {
    return this;
  }
  setKeepAlive() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}
export class Server extends EventEmitter {
  #listener;
  #sockets = new Set();
  #options;

  constructor(options, listener) {
    super();
    if (typeof options === "function") [options, listener] = [{}, options];
    this.#options = options ?? {};
    if (listener) this.on("connection", listener);
    this.listening = false;
  }
  listen(...args) {
    const callback = typeof args.at(-1) === "function" ? args.pop() : undefined;
    const [first, second] = args;
    let options = first;
    if (typeof first !== "object" || first === null) {
      options =
        typeof first === "string" && Number.isNaN(Number(first))
          ? { path: first }
          : { port: first ?? 0, host: typeof second === "string" ? second : undefined };
    }
    if (this.#listener !== undefined)
      throw coded(Error, "ERR_SERVER_ALREADY_LISTEN", "Listen method has been called more than once without closing.");
    if (callback) this.once("listening", callback);
    const host = options.host === "localhost" ? "127.0.0.1" : options.host;
    const address = options.path !== undefined ? { path: options.path } : { port: checkPort(options.port ?? 0), host };
    try {
      this.#listener = listen(address);
    } catch (error) {
      if (typeof error.errno !== "number") throw error;
      queueMicrotask(() => this.emit("error", error));
      return this;
    }
    this.listening = true;
    this.#accept(this.#listener.id);
    queueMicrotask(() => this.emit("listening"));
    return this;
  }
  async #accept(id) {
    for (;;) {
      let opened;
      try {
        opened = await accept(id);
      } catch (error) {
        this.emit("error", error);
        return;
      }
      if (opened === undefined) return;
      const socket = new Socket({ allowHalfOpen: this.#options.allowHalfOpen, [ends]: opened });
      socket.server = this;
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#maybeClosed();
      });
      this.emit("connection", socket);
    }
  }
  #maybeClosed() {
    if (this.#listener === undefined && this.#sockets.size === 0 && this.#closing) {
      this.#closing = false;
      this.emit("close");
    }
  }
  #closing = false;
  address() {
    return this.#listener?.address ?? null;
  }
  close(callback) {
    if (callback)
      this.once(
        "close",
        this.#listener === undefined
          ? () => callback(coded(Error, "ERR_SERVER_NOT_RUNNING", "Server is not running."))
          : callback,
      );
    if (this.#listener !== undefined) unlisten(this.#listener.id);
    this.#listener = undefined;
    this.listening = false;
    this.#closing = true;
    queueMicrotask(() => this.#maybeClosed());
    return this;
  }
  getConnections(callback) {
    queueMicrotask(() => callback(null, this.#sockets.size));
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await new Promise((resolve) => this.close(resolve));
  }
}

export const createServer = (options, listener) => new Server(options, listener);
export function createConnection(...args) {
  const [options] = normalizeConnect(args);
  if (options.port === undefined && options.path === undefined)
    throw invalidArgType("options", ["port", "path"], options);
  return new Socket(options).connect(...args);
}
export { createConnection as connect, Socket as Stream };
export const getDefaultAutoSelectFamily = () => true;
export const setDefaultAutoSelectFamily = () => {};
export const getDefaultAutoSelectFamilyAttemptTimeout = () => 250;
export const setDefaultAutoSelectFamilyAttemptTimeout = () => {};

export default {
  Server,
  Socket,
  Stream: Socket,
  connect: createConnection,
  createConnection,
  createServer,
  getDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  isIP,
  isIPv4,
  isIPv6,
  setDefaultAutoSelectFamily,
  setDefaultAutoSelectFamilyAttemptTimeout,
};
