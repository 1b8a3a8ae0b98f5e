// Bun's processes: `spawn` with web streams, and `spawnSync`.

import { logger } from "toolsmith:kernel";
import { Buffer } from "toolsmith:node/buffer";
import { checkKillSignal, toRequest } from "toolsmith:node_parts/process_options";
import {
  SIGNALS,
  closeStream,
  finishStream,
  readStream,
  runProcess,
  signalName,
  startProcess,
  writeStream,
} from "toolsmith:node_parts/processes";
import { bytesOf, readable } from "toolsmith:bun/bytes";

/** `(cmd, options)` or `({cmd, …options})`. */
function given(first, second) {
  const options = Array.isArray(first) ? (second ?? {}) : (first ?? {});
  const command = Array.isArray(first) ? first : options.cmd;
  if (!Array.isArray(command) || command.length === 0)
    throw new TypeError("cmd must be an array of strings with a program in it");
  return { command: command.map(String), options };
}

/** Each stream as Node would say it; what is not such a word is data for the input or a file for the output. */
function connections({ stdio, stdin, stdout, stderr }, defaults) {
  const list = [stdin ?? stdio?.[0], stdout ?? stdio?.[1], stderr ?? stdio?.[2]];
  return list.map((kind, index) => (kind === undefined ? defaults[index] : kind === null ? "ignore" : kind));
}

const isWord = (kind) => kind === "pipe" || kind === "ignore" || kind === "inherit";

function requestFor(command, options, kinds) {
  const stdio = kinds.map((kind, index) =>
    isWord(kind) || typeof kind === "number" ? kind : index === 0 ? "pipe" : "pipe",
  );
  const [file, ...args] = command;
  return toRequest({
    file,
    args,
    options: { cwd: options.cwd, env: options.env, argv0: options.argv0, detached: options.detached, stdio },
  });
}

/** Bun throws at once, in its own words. */
function start(run) {
  try {
    return run();
  } catch (error) {
    if (error.hint !== undefined) error.message = error.hint;
    throw error;
  }
}

/** What a process reads, to be written to. */
class FileSink {
  #stream;
  #last = Promise.resolve();
  #written = 0;
  constructor(stream) {
    this.#stream = stream;
  }
  write(data) {
    const bytes =
      typeof data === "string"
        ? Buffer.from(data)
        : new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    this.#written += bytes.length;
    this.#last = this.#last.then(() => writeStream(this.#stream, bytes));
    // Whoever flushes hears of a failure; whoever does not, does not mind.
    this.#last.catch(() => {});
    return bytes.length;
  }
  async flush() {
    await this.#last;
    return this.#written;
  }
  async end(error) {
    await this.#last.catch(() => {});
    if (error) closeStream(this.#stream);
    else await finishStream(this.#stream);
    return this.#written;
  }
  ref() {}
  unref() {}
}

async function toLog(stream, level) {
  const decoder = new TextDecoder();
  for (let bytes = await readStream(stream); bytes !== undefined; bytes = await readStream(stream)) {
    const text = decoder.decode(bytes, { stream: true }).trimEnd();
    if (text !== "") logger[level](text);
  }
}

async function toFile(stream, file) {
  const writer = file.writer();
  for (let bytes = await readStream(stream); bytes !== undefined; bytes = await readStream(stream)) writer.write(bytes);
  await writer.end();
}

export class Subprocess {
  #process;
  #streams = {};
  #kinds;

  constructor(command, options) {
    this.#kinds = connections(options, ["ignore", "pipe", "inherit"]);
    const { request } = requestFor(command, options, this.#kinds);
    this.#process = start(() => startProcess(request));
    this.pid = this.#process.pid;
    this.exitCode = null;
    this.signalCode = null;
    this.killed = false;
    const [input] = this.#kinds;
    const { stdin } = this.#process;
    this.stdin = input === "pipe" ? new FileSink(stdin) : undefined;
    if (!isWord(input) && stdin != null) this.#feed(stdin, input);
    const done = [this.#connect(1), this.#connect(2)];
    this.exited = this.#process.ended.then(async ({ code, signal }) => {
      this.exitCode = code;
      this.signalCode = signal;
      await Promise.allSettled(done);
      options.onExit?.(this, code, signal, undefined);
      return code ?? 128 + SIGNALS[signal];
    });
    const timer = options.timeout > 0 ? setTimeout(() => this.kill(options.killSignal), options.timeout) : undefined;
    const abort = () => this.kill(options.killSignal);
    if (options.signal?.aborted) abort();
    else options.signal?.addEventListener("abort", abort);
    this.exited.finally(() => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", abort);
    });
  }
  async #feed(stream, input) {
    try {
      for await (const bytes of readable(input)) await writeStream(stream, bytes);
      await finishStream(stream);
    } catch {
      closeStream(stream);
    }
  }
  /** Output that is not read here goes where it was sent; gives a promise where the end has to wait for it. */
  #connect(index) {
    const kind = this.#kinds[index];
    const stream = this.#process[index === 1 ? "stdout" : "stderr"];
    if (stream == null || kind === "pipe") return undefined;
    if (kind === "inherit") return toLog(stream, index === 1 ? "info" : "error");
    return typeof kind.writer === "function" ? toFile(stream, kind) : undefined;
  }
  #output(index) {
    if (this.#kinds[index] !== "pipe") return this.#kinds[index] === "ignore" ? null : undefined;
    const stream = this.#process[index === 1 ? "stdout" : "stderr"];
    this.#streams[index] ??= withReaders(
      new ReadableStream({
        async pull(controller) {
          const bytes = await readStream(stream);
          if (bytes === undefined) controller.close();
          else controller.enqueue(bytes);
        },
        cancel: () => closeStream(stream),
      }),
    );
    return this.#streams[index];
  }
  get stdout() {
    return this.#output(1);
  }
  get stderr() {
    return this.#output(2);
  }
  get readable() {
    return this.stdout;
  }
  get stdio() {
    return [null, null, null];
  }
  kill(signal) {
    const number = checkKillSignal(signal ?? "SIGTERM");
    if (this.#process.kill(number) && number !== 0) this.killed = true;
  }
  ref() {}
  unref() {}
  resourceUsage() {
    return undefined;
  }
  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    this.kill();
    await this.exited;
  }
}

/** Bun's streams can be read to the end by methods of their own. */
export function withReaders(stream) {
  const define = (name, read) =>
    Object.defineProperty(stream, name, {
      value: async () => read(await bytesOf(stream)),
      configurable: true,
      writable: true,
    });
  define("text", (bytes) => new TextDecoder().decode(bytes));
  define("json", (bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  define("bytes", (bytes) => bytes);
  define("arrayBuffer", (bytes) => bytes.slice().buffer);
  define("blob", (bytes) => new Blob([bytes]));
  return stream;
}

export function spawn(first, second) {
  const { command, options } = given(first, second);
  return new Subprocess(command, options);
}

export function spawnSync(first, second) {
  const { command, options } = given(first, second);
  const kinds = connections(options, ["ignore", "pipe", "pipe"]);
  const { request } = requestFor(command, options, kinds);
  const input =
    isWord(kinds[0]) || typeof kinds[0] === "number"
      ? undefined
      : new Uint8Array(kinds[0].buffer ?? kinds[0], kinds[0].byteOffset ?? 0, kinds[0].byteLength);
  Object.assign(request, {
    timeout: options.timeout > 0 ? options.timeout : null,
    maxBuffer: options.maxBuffer ?? null,
    killSignal: checkKillSignal(options.killSignal ?? "SIGTERM"),
    detached: false,
  });
  const ran = start(() => runProcess(request, input));
  const kept = (bytes, index) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (kinds[index] === "inherit" && buffer.length > 0)
      logger[index === 2 ? "error" : "info"](buffer.toString().trimEnd());
    return kinds[index] === "pipe" ? buffer : undefined;
  };
  const signal = signalName(ran.signal);
  const result = {
    pid: ran.pid,
    stdout: kept(ran.stdout, 1),
    stderr: kept(ran.stderr, 2),
    exitCode: ran.status ?? 128 + ran.signal,
    success: ran.status === 0,
    resourceUsage: undefined,
  };
  if (signal !== null) result.signalCode = signal;
  if (ran.failure === "ETIMEDOUT") result.exitedDueToTimeout = true;
  if (ran.failure === "ENOBUFS") result.exitedDueToMaxBuffer = true;
  return result;
}
