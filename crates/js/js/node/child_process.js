// Node's child_process: processes with live streams, and those that are waited for.

import { logger } from "toolsmith:kernel";
import { abortError, checkFunction, coded } from "toolsmith:node_parts/arguments";
import { InputPipe, OutputPipe } from "toolsmith:node_parts/pipes";
import { checkKillSignal, checkMaxBuffer, normalize, toRequest } from "toolsmith:node_parts/process_options";
import { readStream, startProcess } from "toolsmith:node_parts/processes";
import { execFileSync, execSync, spawnSync } from "toolsmith:node_parts/process_sync";
import { Buffer } from "toolsmith:node/buffer";
import { EventEmitter } from "toolsmith:node/events";
import { Readable, Writable } from "toolsmith:node/stream";

export { execFileSync, execSync, spawnSync };

const MAX_BUFFER = 1024 * 1024;
const promisifyCustom = Symbol.for("nodejs.util.promisify.custom");

/** What a process prints that shares our output goes to the log. */
async function toLog(stream, level) {
  const decoder = new TextDecoder();
  for (let bytes = await readStream(stream); bytes !== undefined; bytes = await readStream(stream)) {
    const text = decoder.decode(bytes, { stream: true }).trimEnd();
    if (text !== "") logger[level](text);
  }
}

function ended() {
  return new Readable({
    read() {
      this.push(null);
    },
  });
}

export class ChildProcess extends EventEmitter {
  #process;
  #open = 1;

  constructor() {
    super();
    this.pid = undefined;
    this.exitCode = null;
    this.signalCode = null;
    this.killed = false;
    this.connected = false;
    this.spawnfile = null;
    this.spawnargs = [];
    this.stdin = this.stdout = this.stderr = null;
    this.stdio = [];
  }

  /** Starts it. What cannot be started is an event, as the caller has had no time to listen yet. */
  _start(normal) {
    const { request, stdio, spawnargs } = toRequest(normal);
    this.spawnfile = request.file;
    this.spawnargs = spawnargs;
    let failure;
    try {
      this.#process = startProcess(request);
    } catch (error) {
      if (typeof error.errno !== "number") throw error;
      failure = error;
    }
    this.pid = this.#process?.pid;
    stdio.forEach((kind, index) => this.#connect(kind, index));
    if (failure !== undefined) {
      this.exitCode = failure.errno;
      queueMicrotask(() => this.#exited(failure));
      return;
    }
    queueMicrotask(() => this.emit("spawn"));
    this.#process.ended.then(({ code, signal }) => {
      this.exitCode = code;
      this.signalCode = signal;
      this.#exited();
    });
  }

  #connect(kind, index) {
    const name = ["stdin", "stdout", "stderr"][index];
    const stream = this.#process?.[name];
    let made = null;
    if (index < 3 && kind === "pipe") {
      if (stream === undefined)
        made =
          index === 0
            ? new Writable({
                write(_chunk, _encoding, callback) {
                  callback();
                },
              })
            : ended();
      else made = index === 0 ? new InputPipe(stream) : new OutputPipe(stream);
      if (index > 0) {
        this.#open += 1;
        made.once("close", () => this.#closed());
      }
    } else if (stream !== undefined && stream !== null) {
      if (kind === "inherit") toLog(stream, index === 2 ? "error" : "info").catch(() => {});
      else if (kind.stream !== undefined && index === 0) kind.stream.pipe(new InputPipe(stream).on("error", () => {}));
      else if (kind.stream !== undefined) new OutputPipe(stream).pipe(kind.stream, { end: false });
    }
    if (name !== undefined) this[name] = made;
    this.stdio[index] = made;
  }

  #exited(failure) {
    this.stdin?.destroy();
    if (failure !== undefined) this.emit("error", failure);
    else this.emit("exit", this.exitCode, this.signalCode);
    // What nobody reads would keep the streams open for ever.
    queueMicrotask(() => {
      for (const stream of [this.stdout, this.stderr]) {
        if (stream !== null && stream.readableFlowing === null && stream.listenerCount("readable") === 0)
          stream.resume();
      }
    });
    this.#closed();
  }

  #closed() {
    this.#open -= 1;
    if (this.#open === 0) this.emit("close", this.exitCode, this.signalCode);
  }

  kill(signal) {
    const number = checkKillSignal(signal);
    if (this.#process === undefined || this.exitCode !== null || this.signalCode !== null) return false;
    const sent = this.#process.kill(number);
    if (sent && number !== 0) this.killed = true;
    return sent;
  }
  ref() {}
  unref() {}
  send() {
    throw coded(Error, "ERR_IPC_CHANNEL_CLOSED", "Channel closed");
  }
  disconnect() {}
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    if (!this.killed) this.kill();
  }
}

function killOnAbort(child, signal, killSignal) {
  const abort = () => {
    try {
      if (child.kill(killSignal)) child.emit("error", abortError(signal));
    } catch (error) {
      child.emit("error", error);
    }
  };
  if (signal.aborted) {
    queueMicrotask(abort);
  } else {
    signal.addEventListener("abort", abort, { once: true });
    child.once("exit", () => signal.removeEventListener("abort", abort));
  }
}

export function spawn(file, args, options) {
  const normal = normalize(file, args, options);
  const child = new ChildProcess();
  const { timeout, signal, killSignal } = normal.options;
  child._start(normal);
  if (timeout > 0) {
    const timer = setTimeout(() => child.kill(killSignal ?? "SIGTERM"), timeout);
    child.once("exit", () => clearTimeout(timer));
  }
  if (signal !== undefined) killOnAbort(child, signal, killSignal ?? "SIGTERM");
  return child;
}

/** Keeps what a stream gives, up to a limit; `overflow` is called once when there is more. */
function collect(stream, limit, encoding, overflow) {
  const pieces = [];
  let length = 0;
  if (encoding !== undefined) stream.setEncoding(encoding);
  stream.on("data", (chunk) => {
    const size = typeof chunk === "string" ? Buffer.byteLength(chunk, encoding) : chunk.length;
    const room = limit - length;
    length += size;
    if (size <= room) pieces.push(chunk);
    else {
      pieces.push(chunk.slice(0, Math.max(room, 0)));
      overflow();
    }
  });
  return () => (encoding === undefined ? Buffer.concat(pieces) : pieces.join(""));
}

export function execFile(file, args, options, callback) {
  if (typeof args === "function") [args, options, callback] = [[], undefined, args];
  else if (args !== undefined && args !== null && !Array.isArray(args)) [args, options, callback] = [[], args, options];
  if (typeof options === "function") [options, callback] = [undefined, options];
  if (callback !== undefined && callback !== null) checkFunction(callback, "callback");
  const settings = {
    encoding: "utf8",
    timeout: 0,
    maxBuffer: MAX_BUFFER,
    killSignal: "SIGTERM",
    cwd: null,
    env: null,
    shell: false,
    ...options,
  };
  checkMaxBuffer(settings.maxBuffer);
  const { timeout, maxBuffer, killSignal } = settings;
  const child = spawn(file, args, {
    cwd: settings.cwd,
    env: settings.env ?? undefined,
    shell: settings.shell,
    signal: settings.signal,
    uid: settings.uid,
    gid: settings.gid,
    windowsHide: settings.windowsHide,
    killSignal,
    argv0: settings.argv0,
  });
  const encoding =
    settings.encoding !== "buffer" && Buffer.isEncoding(settings.encoding) ? settings.encoding : undefined;
  let failure = null;
  let killed = false;
  let done = false;
  const kill = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    killed = true;
    try {
      child.kill(killSignal);
    } catch (error) {
      failure ??= error;
      finish();
    }
  };
  const overflow = (name) => () => {
    failure = coded(RangeError, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`);
    kill();
  };
  const limit = maxBuffer ?? MAX_BUFFER;
  const stdout = collect(child.stdout, limit, encoding, overflow("stdout"));
  const stderr = collect(child.stderr, limit, encoding, overflow("stderr"));
  const timer = timeout > 0 ? setTimeout(kill, timeout) : undefined;
  function finish(code = null, signal = null) {
    if (done) return;
    done = true;
    clearTimeout(timer);
    if (!callback) return;
    const [out, err] = [stdout(), stderr()];
    if (failure === null && code === 0 && signal === null) {
      callback(null, out, err);
      return;
    }
    const command = [file, ...(args ?? [])].join(" ");
    failure ??= Object.assign(new Error(`Command failed: ${command}\n${err}`), {
      code,
      killed: child.killed || killed,
      signal,
    });
    failure.cmd = command;
    callback(failure, out, err);
  }
  child.on("close", finish);
  child.on("error", (error) => {
    failure = error;
    child.stdout?.destroy();
    child.stderr?.destroy();
    finish();
  });
  return child;
}

export function exec(command, options, callback) {
  if (typeof options === "function") [options, callback] = [undefined, options];
  return execFile(command, { ...options, shell: typeof options?.shell === "string" ? options.shell : true }, callback);
}

/** For `util.promisify`: a promise of `{stdout, stderr}`, with the process beside it. */
function promised(run) {
  return (...args) => {
    let child;
    const promise = new Promise((resolve, reject) => {
      child = run(...args, (error, stdout, stderr) => {
        if (error !== null) reject(Object.assign(error, { stdout, stderr }));
        else resolve({ stdout, stderr });
      });
    });
    promise.child = child;
    return promise;
  };
}
for (const run of [exec, execFile])
  Object.defineProperty(run, promisifyCustom, { value: promised(run), enumerable: false });

export function fork(module) {
  throw coded(
    Error,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    `child_process.fork(${JSON.stringify(String(module))}) is not available in Toolsmith's embedded engine: ` +
      'it has no Node to run it in. spawn("node", […]) does, or engine = "node" for the whole tool',
  );
}

export default { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
