// What Node's functions for processes are told, put into the shape the Rust side takes.

import { fileURLToPath, isWindows } from "toolsmith:node_parts/file_url";
import {
  checkInteger,
  checkSignal,
  checkString,
  coded,
  invalidArgType,
  invalidArgValue,
  outOfRange,
} from "toolsmith:node_parts/arguments";
import { signalNumber } from "toolsmith:node_parts/processes";
import process from "toolsmith:node/process";

const hasNul = (text) => text.includes("\0");

function checkText(value, name) {
  if (hasNul(value)) throw invalidArgValue(name, value, "must be a string without null bytes");
}

export function checkKillSignal(signal, name = "signal") {
  const number = signalNumber(signal);
  if (number !== undefined) return number;
  throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${signal}`, { [name]: signal });
}

/** The folder a process works in. */
function folderOf(cwd) {
  const here = process.cwd();
  if (cwd === undefined || cwd === null) return here;
  const path = typeof cwd === "object" ? fileURLToPath(cwd) : cwd;
  checkString(path, "options.cwd");
  checkText(path, "options.cwd");
  return path.startsWith("/") ? path : `${here}/${path}`;
}

function environmentOf(env) {
  const pairs = {};
  for (const key in env ?? process.env) {
    const value = (env ?? process.env)[key];
    if (value !== undefined) {
      checkText(`${key}${value}`, `options.env['${key}']`);
      if (key !== "" && !key.includes("=")) pairs[key] = String(value);
    }
  }
  return pairs;
}

/**
 * How a stream is connected: "pipe", "ignore", "inherit" (the program's own stream: its output goes to the log), or another
 * stream.
 */
function connection(kind, index) {
  if (kind === undefined || kind === null) return index < 3 ? "pipe" : "ignore";
  if (kind === "overlapped") return "pipe";
  if (kind === "pipe" || kind === "ignore" || kind === "inherit") return kind;
  if (kind === 0 || kind === 1 || kind === 2) return "inherit";
  if (kind === "ipc")
    throw coded(
      Error,
      "ERR_IPC_UNAVAILABLE",
      "A channel for messages (stdio 'ipc') is not available in Toolsmith's embedded engine",
    );
  if (typeof kind === "number") return { fd: kind };
  if (typeof kind === "object" && (typeof kind.write === "function" || typeof kind.read === "function"))
    return { stream: kind };
  throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'stdio' is invalid. Received ${String(kind)}`);
}

function connections(stdio) {
  if (typeof stdio === "string" && !["pipe", "ignore", "inherit", "overlapped"].includes(stdio))
    throw invalidArgValue("stdio", stdio);
  const list = Array.isArray(stdio) ? [...stdio] : [stdio, stdio, stdio];
  while (list.length < 3) list.push(undefined);
  return list.map(connection);
}

/** Arguments of `spawn` and its relatives as `{file, args, options}`. */
export function normalize(file, args, options) {
  checkString(file, "file");
  if (file.length === 0) throw invalidArgValue("file", file, "cannot be empty");
  checkText(file, "file");
  if (args !== undefined && args !== null && !Array.isArray(args)) {
    if (typeof args !== "object") throw invalidArgType("args", "object", args);
    options = args;
    args = [];
  }
  const list = [...(args ?? [])].map(String);
  list.forEach((arg, index) => checkText(arg, `args[${index}]`));
  if (options !== undefined && (typeof options !== "object" || options === null))
    throw invalidArgType("options", "object", options);
  const { shell, timeout, signal, killSignal } = options ?? {};
  if (shell !== undefined && shell !== null && typeof shell !== "boolean" && typeof shell !== "string")
    throw invalidArgType("options.shell", ["boolean", "string"], shell);
  if (timeout !== undefined && timeout !== null) checkInteger(timeout, "timeout", 0);
  if (killSignal !== undefined && killSignal !== null) checkKillSignal(killSignal, "killSignal");
  checkSignal(signal, "options.signal");
  return { file, args: list, options: options ?? {} };
}

export function checkMaxBuffer(maxBuffer) {
  if (maxBuffer !== undefined && maxBuffer !== null && (typeof maxBuffer !== "number" || maxBuffer < 0))
    throw outOfRange("options.maxBuffer", "a positive number", maxBuffer);
}

/** Whether what a process prints is to be read here, for whomever. */
const isRead = (kind) => kind !== "ignore" && kind.fd === undefined;

const systemShell = () => (isWindows() ? (process.env.ComSpec ?? "cmd.exe") : "/bin/sh");

/** What the Rust side is asked for, how the streams are connected, and what the process is called. */
export function toRequest({ file, args, options }) {
  let program = file;
  let list = args;
  let verbatim = Boolean(options.windowsVerbatimArguments);
  if (options.shell) {
    const command = [file, ...args].join(" ");
    program = typeof options.shell === "string" ? options.shell : systemShell();
    verbatim = isWindows() && /^(?:.*\\)?cmd(?:\.exe)?$/i.test(program);
    list = verbatim ? ["/d", "/s", "/c", `"${command}"`] : ["-c", command];
  }
  const stdio = connections(options.stdio);
  return {
    stdio,
    spawnargs: [options.argv0 ?? program, ...list],
    request: {
      file: program,
      args: list,
      cwd: folderOf(options.cwd),
      env: environmentOf(options.env),
      argv0: options.argv0 ?? null,
      pipes: [stdio[0] === "pipe" || stdio[0].stream !== undefined, isRead(stdio[1]), isRead(stdio[2])],
      files: [null, stdio[1].fd ?? null, stdio[2].fd ?? null],
      detached: Boolean(options.detached),
      verbatim,
    },
  };
}
