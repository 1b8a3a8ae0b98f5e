// Node's `readline` over any stream: lines as they come. There is no terminal, so nothing is edited.

import { builtin } from "toolsmith:kernel";
import { abortError, checkFunction, checkSignal, coded, invalidArgValue } from "toolsmith:node_parts/arguments";
import { EventEmitter } from "toolsmith:node/events";
import { StringDecoder } from "toolsmith:node/string_decoder";

const tick = (run) => builtin("toolsmith:node/process").default.nextTick(run);

export class Interface extends EventEmitter {
  #decoder = new StringDecoder("utf8");
  #rest = "";
  #sawReturn = false;
  #question;
  #prompt = "> ";
  #hear;
  #end;

  constructor(input, output, completer, terminal) {
    super();
    const options =
      input !== null && typeof input === "object" && input.input !== undefined
        ? input
        : { input, output, completer, terminal };
    checkSignal(options.signal);
    if (options.input === undefined || options.input === null)
      throw new TypeError("Cannot read properties of undefined (reading 'on')");
    this.input = options.input;
    this.output = options.output;
    this.terminal = false;
    this.line = "";
    this.cursor = 0;
    this.closed = false;
    this.paused = false;
    this.crlfDelay = options.crlfDelay ? Math.max(100, options.crlfDelay) : 100;
    if (options.prompt !== undefined) this.#prompt = String(options.prompt);
    this.#hear = (chunk) => this.#take(typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
    this.#end = () => {
      const last = this.#rest + this.#decoder.end();
      this.#rest = "";
      if (last !== "") this.#emitLine(last);
      this.close();
    };
    this.input.on("error", (error) => this.emit("error", error));
    this.input.on("data", this.#hear);
    this.input.on("end", this.#end);
    if (options.signal?.aborted) tick(() => this.close());
    else options.signal?.addEventListener("abort", () => this.close(), { once: true });
    this.input.resume?.();
  }

  #take(text) {
    if (text === "") return;
    let given = text;
    // A line end that came in two pieces is one.
    if (this.#sawReturn && given.startsWith("\n")) given = given.slice(1);
    this.#sawReturn = given.endsWith("\r") || (given === "" && this.#sawReturn);
    const lines = (this.#rest + given).split(/\r\n|\n|\r|\u2028|\u2029/);
    this.#rest = lines.pop();
    for (const line of lines) this.#emitLine(line);
  }
  #emitLine(line) {
    if (this.closed) return;
    if (this.#question !== undefined) {
      const answer = this.#question;
      this.#question = undefined;
      answer(line);
    } else this.emit("line", line);
  }

  get [Symbol.toStringTag]() {
    return "Interface";
  }
  getPrompt() {
    return this.#prompt;
  }
  setPrompt(prompt) {
    this.#prompt = String(prompt);
  }
  prompt() {
    if (this.paused) this.resume();
    this.output?.write?.(this.#prompt);
  }
  question(query, options, callback) {
    const answer = typeof options === "function" ? options : callback;
    const signal = typeof options === "object" ? options?.signal : undefined;
    checkSignal(signal);
    if (this.closed) throw coded(Error, "ERR_USE_AFTER_CLOSE", "readline was closed");
    if (typeof answer !== "function" || signal?.aborted) return;
    this.output?.write?.(String(query));
    this.#question = answer;
    signal?.addEventListener(
      "abort",
      () => {
        if (this.#question === answer) this.#question = undefined;
      },
      { once: true },
    );
  }
  write(data) {
    if (this.closed) throw coded(Error, "ERR_USE_AFTER_CLOSE", "readline was closed");
    if (this.paused) this.resume();
    if (data !== undefined && data !== null) this.#take(typeof data === "string" ? data : this.#decoder.write(data));
  }
  pause() {
    if (this.paused) return this;
    this.input.pause?.();
    this.paused = true;
    this.emit("pause");
    return this;
  }
  resume() {
    if (!this.paused) return this;
    this.input.resume?.();
    this.paused = false;
    this.emit("resume");
    return this;
  }
  close() {
    if (this.closed) return;
    this.pause();
    this.closed = true;
    this.input.removeListener?.("data", this.#hear);
    this.input.removeListener?.("end", this.#end);
    this.emit("close");
  }
  getCursorPos() {
    return { rows: 0, cols: this.cursor };
  }
  [Symbol.asyncIterator]() {
    const ready = [];
    const waiting = [];
    let failure;
    let ended = this.closed;
    const finish = () => {
      ended = true;
      for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
    };
    this.on("line", (line) => {
      if (waiting.length > 0) waiting.shift().resolve({ value: line, done: false });
      else {
        ready.push(line);
        if (ready.length > 1024) this.pause();
      }
    });
    this.on("close", finish);
    this.on("error", (error) => {
      if (waiting.length > 0) waiting.shift().reject(error);
      else failure = error;
      finish();
    });
    return {
      next: () => {
        if (ready.length > 0) {
          const value = ready.shift();
          if (ready.length === 0 && this.paused && !this.closed) this.resume();
          return Promise.resolve({ value, done: false });
        }
        if (failure !== undefined) {
          const error = failure;
          failure = undefined;
          return Promise.reject(error);
        }
        if (ended) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }
}

/** For `util.promisify(rl.question)`. */
Interface.prototype.question[Symbol.for("nodejs.util.promisify.custom")] = function (query, options) {
  return new Promise((resolve, reject) => {
    const signal = options?.signal;
    if (signal?.aborted) return void reject(abortError(signal));
    signal?.addEventListener("abort", () => reject(abortError(signal)), { once: true });
    this.question(query, { signal }, resolve);
  });
};

export const createInterface = (input, output, completer, terminal) =>
  new Interface(input, output, completer, terminal);

function send(stream, codes, callback) {
  if (callback !== undefined) checkFunction(callback, "callback");
  if (stream === null || stream === undefined || codes === "") {
    if (callback !== undefined) tick(() => callback(null));
    return true;
  }
  return stream.write(codes, callback);
}

export const clearLine = (stream, direction, callback) =>
  send(stream, direction < 0 ? "\x1b[1K" : direction > 0 ? "\x1b[0K" : "\x1b[2K", callback);
export const clearScreenDown = (stream, callback) => send(stream, "\x1b[0J", callback);
export function cursorTo(stream, x, y, callback) {
  const [row, done] = typeof y === "function" ? [undefined, y] : [y, callback];
  if (Number.isNaN(x)) throw invalidArgValue("x", x);
  if (typeof x !== "number" && typeof row === "number")
    throw coded(TypeError, "ERR_INVALID_CURSOR_POS", "Cannot set cursor row without setting its column");
  return send(
    stream,
    typeof x !== "number" ? "" : typeof row !== "number" ? `\x1b[${x + 1}G` : `\x1b[${row + 1};${x + 1}H`,
    done,
  );
}
export function moveCursor(stream, dx, dy, callback) {
  const across = dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : "";
  return send(stream, across + (dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : ""), callback);
}
export function emitKeypressEvents() {}

const readline = { Interface, createInterface, clearLine, clearScreenDown, cursorTo, moveCursor, emitKeypressEvents };
Object.defineProperty(readline, "promises", {
  enumerable: true,
  configurable: true,
  get: () => builtin("toolsmith:node/readline_promises").default,
});

export const promises = {
  createInterface: (...args) => builtin("toolsmith:node/readline_promises").createInterface(...args),
};
export default readline;
