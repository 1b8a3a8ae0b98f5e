// A server: one exchange at a time on each connection, which is kept for the next.

import { HttpParser } from "toolsmith:node_parts/http_parser";
import { IncomingMessage, OutgoingMessage } from "toolsmith:node_parts/http_messages";
import { coded } from "toolsmith:node_parts/arguments";
import { STATUS_CODES } from "toolsmith:node_parts/http_status";
import { Server as NetServer } from "toolsmith:node/net";

export class ServerResponse extends OutgoingMessage {
  constructor(request) {
    super();
    this.req = request;
    this.statusCode = 200;
    this.statusMessage = undefined;
    this.sendDate = true;
    this._method = request?.method;
    if (request?.httpVersionMinor === 0) this.shouldKeepAlive = false;
    const asked = request?.headers?.connection?.toLowerCase() ?? "";
    if (asked.includes("close")) this.shouldKeepAlive = false;
    else if (asked.includes("keep-alive")) this.shouldKeepAlive = true;
    this.socket = this.connection = request?.socket ?? null;
  }
  writeHead(status, reason, headers) {
    if (this.headersSent)
      throw coded(Error, "ERR_HTTP_HEADERS_SENT", "Cannot write headers after they are sent to the client");
    if (!Number.isInteger(status) || status < 100 || status > 999)
      throw coded(RangeError, "ERR_HTTP_INVALID_STATUS_CODE", `Invalid status code: ${status}`);
    if (typeof reason === "string") this.statusMessage = reason;
    else headers = reason;
    this.statusCode = status;
    const pairs = Array.isArray(headers)
      ? Array.isArray(headers[0])
        ? headers
        : headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []))
      : Object.entries(headers ?? {});
    for (const [name, value] of pairs) if (value !== undefined) this.setHeader(name, value);
    return this;
  }
  writeContinue(callback) {
    this.socket?.write("HTTP/1.1 100 Continue\r\n\r\n", callback);
  }
  writeProcessing(callback) {
    this.socket?.write("HTTP/1.1 102 Processing\r\n\r\n", callback);
  }
  assignSocket(socket) {
    this.socket = this.connection = socket;
  }
  _headLine() {
    this.statusMessage ??= STATUS_CODES[this.statusCode] ?? "unknown";
    const none = this.statusCode === 204 || this.statusCode === 304 || this.statusCode < 200;
    this._hasBody = !none && this._method !== "HEAD";
    if (none) this.removeHeader("content-length");
    if (this.shouldKeepAlive && !this.hasHeader("connection") && !this.hasHeader("keep-alive")) {
      this.setHeader("Connection", "keep-alive");
      this.setHeader("Keep-Alive", "timeout=5");
    }
    return `HTTP/1.1 ${this.statusCode} ${this.statusMessage}`;
  }
  _destroy(error, callback) {
    if (!this.writableFinished) this.socket?.destroy(error);
    callback(error);
  }
}

export class Server extends NetServer {
  #idle = new Map();

  constructor(options, listener) {
    if (typeof options === "function") [options, listener] = [{}, options];
    // What the other side has ended for its part may still be answered.
    super({ allowHalfOpen: true });
    this.timeout = 0;
    this.keepAliveTimeout = 5000;
    this.headersTimeout = 60000;
    this.requestTimeout = 300000;
    this.maxHeadersCount = null;
    if (listener) this.on("request", listener);
    this.on("connection", (socket) => this.#serve(socket));
  }
  #serve(socket) {
    let request;
    let response;
    const parser = new HttpParser(true, {
      head: (head) => {
        request = new IncomingMessage(socket, head);
        this.#idle.set(socket, false);
        if (
          head.headers.upgrade !== undefined &&
          /upgrade/i.test(head.headers.connection ?? "") &&
          this.listenerCount("upgrade") > 0
        ) {
          request.complete = true;
          const upgraded = request;
          queueMicrotask(() => {
            socket.removeAllListeners("data");
            socket.removeAllListeners("end");
            this.emit("upgrade", upgraded, socket, parser.rest);
          });
          return "stop";
        }
        response = new ServerResponse(request);
        const [current, answer] = [request, response];
        answer.once("finish", () => this.#answered(socket, parser, current, answer));
        if (/100-continue/i.test(head.headers.expect ?? "")) {
          if (this.listenerCount("checkContinue") > 0) {
            queueMicrotask(() => this.emit("checkContinue", current, answer));
            return true;
          }
          answer.writeContinue();
        }
        queueMicrotask(() => this.emit("request", current, answer));
        return true;
      },
      body: (bytes) => {
        if (!request.push(bytes)) socket.pause();
      },
      end: () => {
        request.complete = true;
        request.push(null);
      },
    });
    this.#idle.set(socket, true);
    socket.on("data", (bytes) => {
      try {
        parser.push(bytes);
      } catch (error) {
        this.#refuse(socket, error);
      }
    });
    socket.on("error", (error) => {
      if (this.listenerCount("clientError") > 0) this.emit("clientError", error, socket);
      socket.destroy();
    });
    socket.on("end", () => {
      if (this.#idle.get(socket)) socket.end();
    });
    socket.on("timeout", () => {
      if (!this.emit("timeout", socket)) socket.destroy();
    });
    if (this.timeout > 0) socket.setTimeout(this.timeout);
    socket.on("close", () => {
      this.#idle.delete(socket);
      if (request !== undefined && !request.complete) {
        request.socket = null;
        request.aborted = true;
        request.emit("aborted");
        request.destroy(request.listenerCount("error") > 0 ? coded(Error, "ECONNRESET", "aborted") : undefined);
      }
      if (response !== undefined && !response.destroyed && !response.writableFinished) {
        response.socket = null;
        response.destroy();
      }
    });
  }
  #refuse(socket, error) {
    if (this.listenerCount("clientError") > 0) this.emit("clientError", error, socket);
    else if (socket.writable)
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", () => socket.destroy());
  }
  #answered(socket, parser, request, response) {
    response.destroy();
    if (
      !response.shouldKeepAlive ||
      /close/i.test(String(response.getHeader("connection") ?? "")) ||
      socket.readableEnded ||
      !this.listening
    ) {
      socket.destroySoon();
      return;
    }
    const next = () => {
      this.#idle.set(socket, true);
      try {
        parser.resume();
      } catch (error) {
        this.#refuse(socket, error);
      }
    };
    if (request.complete) next();
    else {
      // The rest of a body nobody wanted.
      request.resume();
      request.once("end", next);
    }
    socket.resume();
  }
  close(callback) {
    super.close(callback);
    this.closeIdleConnections();
    return this;
  }
  closeIdleConnections() {
    for (const [socket, idle] of this.#idle) if (idle) socket.destroy();
  }
  closeAllConnections() {
    for (const socket of this.#idle.keys()) socket.destroy();
  }
  setTimeout(time, callback) {
    this.timeout = time;
    if (callback) this.on("timeout", callback);
    return this;
  }
}
