// Requests: each has a connection of its own, which ends with it.

import { abortError, checkSignal, coded, invalidArgType } from "toolsmith:node_parts/arguments";
import { isUrl } from "toolsmith:node_parts/file_url";
import { HttpParser } from "toolsmith:node_parts/http_parser";
import { IncomingMessage, OutgoingMessage } from "toolsmith:node_parts/http_messages";
import { EventEmitter } from "toolsmith:node/events";
import net from "toolsmith:node/net";

const BODILESS = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/** Accepted wherever one is; connections are not kept, so there is nothing for it to keep. */
export class Agent extends EventEmitter {
  constructor(options = {}) {
    super();
    this.options = { ...options };
    this.keepAlive = options.keepAlive ?? false;
    this.maxSockets = options.maxSockets ?? Infinity;
    this.maxFreeSockets = options.maxFreeSockets ?? 256;
    this.sockets = {};
    this.freeSockets = {};
    this.requests = {};
    this.protocol = "http:";
    this.defaultPort = 80;
  }
  createConnection(options, callback) {
    return net.createConnection(options, callback);
  }
  getName(options = {}) {
    return `${options.host ?? "localhost"}:${options.port ?? ""}:${options.localAddress ?? ""}`;
  }
  destroy() {}
}

function optionsOf(input, options) {
  // Options can have an address among them and are still options.
  if (typeof input === "string" || isUrl(input)) {
    const url = typeof input === "string" ? new URL(input) : input;
    const from = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      path: `${url.pathname}${url.search}`,
      port: url.port === "" ? undefined : Number(url.port),
    };
    if (url.username || url.password)
      from.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return { ...from, ...options };
  }
  return { ...input, ...options };
}

export class ClientRequest extends OutgoingMessage {
  #response;
  #parser;
  #timeout;

  constructor(input, options, callback, secure = { protocol: "http:", port: 80 }) {
    super();
    if (typeof options === "function") [options, callback] = [undefined, options];
    const settings = optionsOf(input, options);
    const protocol = settings.protocol ?? settings.agent?.protocol ?? secure.protocol;
    if (protocol !== secure.protocol)
      throw coded(
        TypeError,
        "ERR_INVALID_PROTOCOL",
        `Protocol "${protocol}" not supported. Expected "${secure.protocol}"`,
      );
    if (settings.method !== undefined && settings.method !== null && typeof settings.method !== "string")
      throw invalidArgType("options.method", "string", settings.method);
    if (settings.path !== undefined && /[^\x21-\xff]/.test(settings.path))
      throw coded(TypeError, "ERR_UNESCAPED_CHARACTERS", "Request path contains unescaped characters");
    checkSignal(settings.signal);
    this.method = (settings.method ?? "GET").toUpperCase();
    this.path = settings.path || "/";
    this.protocol = protocol;
    this.host = settings.hostname ?? settings.host ?? "localhost";
    this.agent = settings.agent;
    this.aborted = false;
    this.reusedSocket = false;
    this.maxHeadersCount = null;
    this.shouldKeepAlive = false;
    this.#timeout = settings.timeout;
    const port = settings.port ?? settings.defaultPort ?? secure.port;
    const given = settings.headers ?? {};
    const pairs = Array.isArray(given)
      ? Array.isArray(given[0])
        ? given
        : given.flatMap((name, index) => (index % 2 === 0 ? [[name, given[index + 1]]] : []))
      : typeof given[Symbol.iterator] === "function"
        ? [...given]
        : Object.entries(given);
    for (const [name, value] of pairs) if (value !== undefined) this.setHeader(name, value);
    if (!this.hasHeader("host") && settings.setHost !== false) {
      const host = net.isIPv6(this.host) ? `[${this.host}]` : this.host;
      this.setHeader("Host", Number(port) === secure.port ? host : `${host}:${port}`);
    }
    if (settings.auth && !this.hasHeader("authorization"))
      this.setHeader("Authorization", `Basic ${btoa(settings.auth)}`);
    this._hasBody =
      !BODILESS.includes(this.method) || this.hasHeader("content-length") || this.hasHeader("transfer-encoding");
    if (callback) this.once("response", callback);
    if (settings.signal !== undefined) this.#heed(settings.signal);
    const address = settings.socketPath
      ? { path: settings.socketPath }
      : {
          host: this.host,
          port: Number(port),
          servername: settings.servername ?? (net.isIP(this.host) ? undefined : this.host),
          rejectUnauthorized: settings.rejectUnauthorized,
          ca: settings.ca,
        };
    queueMicrotask(() => this.#connect(settings, address, secure));
  }
  #heed(signal) {
    const abort = () => this.destroy(abortError(signal));
    if (signal.aborted) queueMicrotask(abort);
    else {
      signal.addEventListener("abort", abort, { once: true });
      this.once("close", () => signal.removeEventListener("abort", abort));
    }
  }
  #connect(settings, address, secure) {
    if (this.destroyed) return;
    try {
      const socket = settings.createConnection
        ? settings.createConnection({ ...settings, ...address })
        : secure.connect
          ? secure.connect(address)
          : net.connect(address);
      if (socket) this.onSocket(socket);
    } catch (error) {
      this.destroy(error);
    }
  }
  onSocket(socket) {
    this.socket = this.connection = socket;
    this.#parser = new HttpParser(false, {
      head: (head) => this.#head(head),
      body: (bytes) => this.#body(bytes),
      end: () => this.#ended(),
    });
    socket.on("data", (bytes) => {
      try {
        this.#parser.push(bytes);
      } catch (error) {
        this.#fail(error);
      }
    });
    socket.on("error", (error) => this.#fail(error));
    socket.on("end", () => {
      if (!this.#parser.finish()) this.#fail(this.#hangUp());
    });
    socket.on("close", () => {
      if (this.#response === undefined || !this.#response.complete) {
        if (!this.#parser.finish()) this.#fail(this.#hangUp());
        else if (this.#response === undefined) this.#fail(this.#hangUp());
      }
      if (!this.destroyed) this.destroy();
    });
    socket.on("timeout", () => this.emit("timeout"));
    if (this.#timeout > 0) socket.setTimeout(this.#timeout);
    this.emit("socket", socket);
    this._open?.();
  }
  #hangUp() {
    return coded(Error, "ECONNRESET", this.#response === undefined ? "socket hang up" : "aborted");
  }
  #fail(error) {
    if (this.#response !== undefined && !this.#response.complete) {
      const response = this.#response;
      response.aborted = true;
      response.emit("aborted");
      response.socket = null;
      response.destroy(error);
      this.destroy();
    } else if (this.#response === undefined) this.destroy(error);
  }
  #head(head) {
    if (head.status === 101 || (this.method === "CONNECT" && head.status === 200)) {
      const response = new IncomingMessage(this.socket, head);
      const name = this.method === "CONNECT" ? "connect" : "upgrade";
      this.#response = response;
      response.complete = true;
      const { socket } = this;
      queueMicrotask(() => {
        socket.removeAllListeners("data");
        socket.removeAllListeners("end");
        socket.removeAllListeners("close");
        if (!this.emit(name, response, socket, this.#parser.rest)) socket.destroy();
      });
      return "stop";
    }
    if (head.status < 200) {
      this.emit(head.status === 100 ? "continue" : "information", {
        statusCode: head.status,
        statusMessage: head.reason,
        headers: head.headers,
        rawHeaders: head.raw,
      });
      return "again";
    }
    const response = new IncomingMessage(this.socket, head);
    response.req = this;
    this.#response = this.res = response;
    // Nobody takes it, so nobody will read it.
    if (!this.emit("response", response)) response.resume();
    return this.method !== "HEAD" && head.status !== 204 && head.status !== 304;
  }
  #body(bytes) {
    if (!this.#response.push(bytes)) this.socket.pause();
  }
  #ended() {
    this.#response.complete = true;
    this.#response.push(null);
    const { socket } = this;
    const close = () => socket.destroySoon();
    if (this.writableFinished) close();
    else this.once("finish", close);
  }
  _headLine() {
    return `${this.method} ${this.path} HTTP/1.1`;
  }
  _saysLength(chunk) {
    if (chunk !== undefined && chunk !== null) this._hasBody = true;
    return this._hasBody;
  }
  write(chunk, encoding, callback) {
    this._hasBody = true;
    return super.write(chunk, encoding, callback);
  }
  /** What is written before there is a connection waits for it. */
  _whenOpen(callback) {
    if (this.socket !== null) callback();
    else this._open = callback;
  }
  _write(chunk, encoding, callback) {
    this._whenOpen(() => super._write(chunk, encoding, callback));
  }
  _final(callback) {
    this._whenOpen(() => super._final(callback));
  }
  flushHeaders() {
    if (this.socket !== null) super.flushHeaders();
    else this.once("socket", () => super.flushHeaders());
  }
  _destroy(error, callback) {
    const early = error ?? (this.#response === undefined && !this.aborted ? this.#hangUp() : null);
    this.socket?.destroy();
    if (this.#response !== undefined && !this.#response.complete && !this.#response.destroyed) {
      this.#response.socket = null;
      this.#response.destroy(error ?? this.#hangUp());
    }
    callback(this.#response === undefined ? early : error);
  }
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    queueMicrotask(() => this.emit("abort"));
    this.destroy(this.#response === undefined ? this.#hangUp() : undefined);
  }
  setNoDelay() {}
  setSocketKeepAlive() {}
}
