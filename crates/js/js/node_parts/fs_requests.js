// What each function of `fs` asks of the Rust side. A request is made once and run at once or later, so that the three
// forms of a function cannot differ.

import {
  abortError,
  checkBoolean,
  checkFunction,
  checkInteger,
  checkObject,
  checkSignal,
  invalidArgType,
  invalidArgValue,
  outOfRange,
} from "toolsmith:node_parts/arguments";
import {
  checkEncoding,
  constants,
  fromName,
  isUtf8,
  toBytes,
  toFd,
  toFlags,
  toId,
  toLength,
  toMode,
  toOptions,
  toPath,
  toPosition,
  toSeconds,
  toTarget,
} from "toolsmith:node_parts/fs_arguments";
import { Dirent, readStatFs, readStats } from "toolsmith:node_parts/fs_stats";
import { builtin, host, operation } from "toolsmith:kernel";
import { Buffer } from "toolsmith:node/buffer";

const nothing = () => undefined;

function request(op, args, { finish = nothing, data, signal } = {}) {
  return { op, args, finish, data, signal };
}

/** Standard input is empty, and what goes to the other two goes to the log. */
function standard({ op, args, data, finish }) {
  const process = builtin("toolsmith:node/process").default;
  switch (op) {
    case "write":
    case "writeFile":
      if (args.fd === 0) return undefined;
      process[args.fd === 1 ? "stdout" : "stderr"].write(data);
      return { value: finish(String(data.length)) };
    case "read":
      return args.fd === 0 ? { value: finish(new Uint8Array(0)) } : undefined;
    case "readFile":
      return args.fd === 0 ? { value: finish(args.text ? "" : new Uint8Array(0)) } : undefined;
    case "fstat":
      return { value: finish(host.fsNow("stat", JSON.stringify({ path: "/dev/null", big: args.big }), undefined)) };
    case "close":
    case "fsync":
    case "fdatasync":
      return { value: undefined };
    default:
      return undefined;
  }
}

const isStandard = (args) => args.fd !== undefined && args.fd >= 0 && args.fd <= 2;

/** Does it now. */
export function now(made) {
  if (isStandard(made.args)) {
    const outcome = standard(made);
    if (outcome !== undefined) return outcome.value;
  }
  return made.finish(host.fsNow(made.op, JSON.stringify(made.args), made.data));
}

/** Does it while the tool goes on. */
export async function later(made) {
  const { op, args, finish, data, signal } = made;
  if (signal?.aborted) throw abortError(signal);
  if (isStandard(args)) {
    const outcome = standard(made);
    if (outcome !== undefined) return outcome.value;
  }
  try {
    return finish(await operation((number) => host.fsLater(number, op, JSON.stringify(args), data), signal));
  } catch (error) {
    if (signal?.aborted && error?.name === "AbortError") throw abortError(signal);
    // What was made on another thread has no place in the tool's code; say where it was asked for.
    throw error;
  }
}

const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function readFile(target, options, signal) {
  const { encoding, flag } = toOptions(options, { flag: "r" });
  const text = isUtf8(encoding);
  const args = { ...toTarget(target), flags: toFlags(flag), mode: 0o666, text };
  const finish = (content) =>
    text ? content : encoding && encoding !== "buffer" ? asBuffer(content).toString(encoding) : asBuffer(content);
  return request("readFile", args, { finish, signal });
}

function writeFile(target, data, options, fallback) {
  const { encoding, mode, flag, flush, signal } = toOptions(options, {
    encoding: "utf8",
    mode: 0o666,
    flag: fallback,
    flush: false,
  });
  checkSignal(signal);
  if (flush !== undefined && flush !== null) checkBoolean(flush, "options.flush");
  const bytes = toBytes(data, encoding);
  return request(
    "writeFile",
    { ...toTarget(target), flags: toFlags(flag, fallback), mode: toMode(mode, "mode", 0o666), flush: flush ?? false },
    { data: bytes, signal },
  );
}

const stat = (op) => (path, options) =>
  request(
    op,
    { path: toPath(path), big: options?.bigint === true },
    { finish: (json) => readStats(json, options?.bigint === true) },
  );

function readdir(path, options) {
  const { encoding, withFileTypes = false, recursive = false } = toOptions(options, {});
  if (recursive != null) checkBoolean(recursive, "options.recursive");
  const raw = encoding === "buffer";
  const given = toPath(path);
  const shown = typeof path === "string" ? path : fromName(given, raw ? "buffer" : undefined);
  const finish = (json) =>
    JSON.parse(json).map((entry) => {
      if (!withFileTypes) return fromName(entry, encoding);
      const [name, kind, below] = entry;
      const folder = fromName(below);
      const inside = folder === "" ? shown : `${String(shown).replace(/\/+$/, "") || ""}/${folder}`;
      return new Dirent(fromName(name, encoding), kind, inside);
    });
  return request(
    "readdir",
    { path: given, recursive: recursive === true, types: Boolean(withFileTypes), raw },
    { finish },
  );
}

/** `(buffer, offset, length, position)`, given one by one or as an object. */
function readArguments(fd, buffer, offset, length, position) {
  let target = buffer;
  let options = offset;
  if (buffer === undefined || (typeof buffer === "object" && buffer !== null && !ArrayBuffer.isView(buffer))) {
    options = buffer ?? {};
    target = options.buffer ?? Buffer.alloc(16384);
  } else if (arguments.length <= 3) {
    options = offset ?? {};
    if (ArrayBuffer.isView(buffer)) checkObject(options, "options");
  }
  if (typeof options === "object" && options !== null) ({ offset = 0, length = undefined, position = null } = options);
  if (!ArrayBuffer.isView(target)) throw invalidArgType("buffer", ["Buffer", "TypedArray", "DataView"], target);
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  const from = offset ?? 0;
  checkInteger(from, "offset", 0);
  const wanted = length ?? bytes.length - from;
  checkInteger(wanted, "length", 0);
  if (bytes.length === 0 && wanted > 0) throw invalidArgValue("buffer", target, "is empty and cannot be written");
  if (from > bytes.length) throw outOfRange("offset", `<= ${bytes.length}`, from);
  if (wanted > bytes.length - from) throw outOfRange("length", `<= ${bytes.length - from}`, wanted);
  return { args: { fd: toFd(fd), length: wanted, position: toPosition(position) }, target, bytes, from };
}

function read(...given) {
  const { args, target, bytes, from } = readArguments(...given);
  const finish = (content) => {
    bytes.set(content, from);
    return { bytesRead: content.length, buffer: target };
  };
  return request("read", args, { finish });
}

function write(fd, data, offset, length, position) {
  const finish = (count) => ({ bytesWritten: Number(count), buffer: data });
  if (typeof data === "string") {
    // Here the third is the position and the fourth the encoding.
    if (typeof length === "string") checkEncoding(length);
    return request("write", { fd: toFd(fd), position: toPosition(offset) }, { data: toBytes(data, length), finish });
  }
  const bytes = toBytes(data, undefined, "buffer");
  if (typeof offset === "object" && offset !== null) ({ offset = 0, length = undefined, position = null } = offset);
  const from = offset ?? 0;
  checkInteger(from, "offset", 0);
  if (from > bytes.length) throw outOfRange("offset", `<= ${bytes.length}`, from);
  const wanted = length ?? bytes.length - from;
  checkInteger(wanted, "length", 0);
  if (wanted > bytes.length - from) throw outOfRange("length", `<= ${bytes.length - from}`, wanted);
  return request(
    "write",
    { fd: toFd(fd), position: toPosition(position) },
    { data: bytes.subarray(from, from + wanted), finish },
  );
}

function checkViews(views) {
  if (!Array.isArray(views) || !views.every((view) => ArrayBuffer.isView(view)))
    throw invalidArgType("buffers", "ArrayBufferView[]", views);
  return views.map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
}

function readv(fd, buffers, position) {
  const views = checkViews(buffers);
  const finish = (content) => {
    let at = 0;
    for (const view of views) {
      view.set(content.subarray(at, at + view.length));
      at += view.length;
    }
    return { bytesRead: content.length, buffers };
  };
  return request(
    "read",
    { fd: toFd(fd), length: views.reduce((sum, view) => sum + view.length, 0), position: toPosition(position) },
    { finish },
  );
}

function writev(fd, buffers, position) {
  const finish = (count) => ({ bytesWritten: Number(count), buffers });
  return request(
    "write",
    { fd: toFd(fd), position: toPosition(position) },
    { data: Buffer.concat(checkViews(buffers)), finish },
  );
}

function rm(path, options) {
  if (options !== undefined) checkObject(options, "options");
  const { recursive = false, force = false, maxRetries = 0, retryDelay = 100 } = options ?? {};
  checkBoolean(recursive, "options.recursive");
  checkBoolean(force, "options.force");
  checkInteger(maxRetries, "options.maxRetries", 0, 4294967295);
  checkInteger(retryDelay, "options.retryDelay", 0, 2147483647);
  return request("rm", { path: toPath(path), recursive, force, retries: maxRetries, retryDelay });
}

function rmdir(path, options) {
  const recursive = options?.recursive === true;
  return request(recursive ? "rm" : "rmdir", { path: toPath(path), recursive });
}

const named = (encoding) => ({ finish: (json) => fromName(JSON.parse(json), encoding) });
const both = (op, oldName, newName) => (from, to) =>
  request(op, { path: toPath(from, oldName), dest: toPath(to, newName) });
const times = (op) => (path, accessed, modified) =>
  request(op, { path: toPath(path), accessed: toSeconds(accessed, "time"), modified: toSeconds(modified, "time") });
const owner = (op) => (path, uid, gid) =>
  request(op, { path: toPath(path), uid: toId(uid, "uid"), gid: toId(gid, "gid") });

/** By name: what Node's arguments ask for. */
export const requests = {
  access: (path, mode) => request("access", { path: toPath(path), mode: toMode(mode, "mode", constants.F_OK) }),
  appendFile: (path, data, options) => writeFile(path, data, options, "a"),
  chmod: (path, mode) => request("chmod", { path: toPath(path), mode: toMode(mode, "mode") }),
  chown: owner("chown"),
  close: (fd) => request("close", { fd: toFd(fd) }),
  copyFile: (from, to, mode = 0) =>
    request("copyFile", { path: toPath(from, "src"), dest: toPath(to, "dest"), mode: toMode(mode, "mode") }),
  exists: (path) => request("exists", { path: toPath(path) }, { finish: (answer) => answer === "true" }),
  fchmod: (fd, mode) => request("fchmod", { fd: toFd(fd), mode: toMode(mode, "mode") }),
  fchown: (fd, uid, gid) => request("fchown", { fd: toFd(fd), uid: toId(uid, "uid"), gid: toId(gid, "gid") }),
  fdatasync: (fd) => request("fdatasync", { fd: toFd(fd) }),
  fstat: (fd, options) =>
    request(
      "fstat",
      { fd: toFd(fd), big: options?.bigint === true },
      { finish: (json) => readStats(json, options?.bigint === true) },
    ),
  fsync: (fd) => request("fsync", { fd: toFd(fd) }),
  ftruncate: (fd, length) => request("ftruncate", { fd: toFd(fd), length: toLength(length) }),
  futimes: (fd, accessed, modified) =>
    request("futime", { fd: toFd(fd), accessed: toSeconds(accessed, "time"), modified: toSeconds(modified, "time") }),
  lchown: owner("lchown"),
  link: both("link", "existingPath", "newPath"),
  lstat: stat("lstat"),
  lutimes: times("lutime"),
  mkdir(path, options) {
    const { mode = 0o777, recursive = false } =
      typeof options === "object" && options !== null ? options : { mode: options ?? 0o777 };
    checkBoolean(recursive, "options.recursive");
    return request(
      "mkdir",
      { path: toPath(path), mode: toMode(mode, "mode"), recursive },
      { finish: (first) => first },
    );
  },
  mkdtemp(prefix, options) {
    const { encoding } = toOptions(options, {});
    return request("mkdtemp", { path: toPath(prefix, "prefix"), raw: encoding === "buffer" }, named(encoding));
  },
  open: (path, flags, mode) =>
    request(
      "open",
      { path: toPath(path), flags: toFlags(flags), mode: toMode(mode, "mode", 0o666) },
      { finish: Number },
    ),
  opendir(path, options) {
    const made = readdir(path, { encoding: options?.encoding, recursive: options?.recursive, withFileTypes: true });
    return { ...made, args: { ...made.args, syscall: "opendir" } };
  },
  read,
  readFile(path, options) {
    const signal = options?.signal;
    checkSignal(signal);
    return readFile(path, options, signal);
  },
  readdir,
  readlink(path, options) {
    const { encoding } = toOptions(options, {});
    return request("readlink", { path: toPath(path), raw: encoding === "buffer" }, named(encoding));
  },
  readv,
  realpath(path, options) {
    const { encoding } = toOptions(options, {});
    return request("realpath", { path: toPath(path), raw: encoding === "buffer" }, named(encoding));
  },
  realpathNative(path, options) {
    const { encoding } = toOptions(options, {});
    return request("realpath", { path: toPath(path), raw: encoding === "buffer", native: true }, named(encoding));
  },
  rename: both("rename", "oldPath", "newPath"),
  rm,
  rmdir,
  stat: stat("stat"),
  statfs: (path, options) =>
    request("statfs", { path: toPath(path) }, { finish: (json) => readStatFs(json, options?.bigint === true) }),
  symlink: both("symlink", "target", "path"),
  truncate(path, length) {
    if (typeof path === "number") return requests.ftruncate(path, length);
    return request("truncate", { path: toPath(path), length: toLength(length) });
  },
  unlink: (path) => request("unlink", { path: toPath(path) }),
  utimes: times("utime"),
  write,
  writeFile: (path, data, options) => writeFile(path, data, options, "w"),
  writev,
};

/** Runs a plan, a generator that yields requests and promises, at once. */
export function runNow(plan) {
  let step = plan.next();
  while (!step.done) {
    let outcome;
    try {
      outcome = step.value?.op === undefined ? step.value : now(step.value);
    } catch (error) {
      step = plan.throw(error);
      continue;
    }
    step = plan.next(outcome);
  }
  return step.value;
}

/** Runs a plan while the tool goes on. */
export async function runLater(plan) {
  let step = plan.next();
  while (!step.done) {
    let outcome;
    try {
      outcome = step.value?.op === undefined ? await step.value : await later(step.value);
    } catch (error) {
      step = plan.throw(error);
      continue;
    }
    step = plan.next(outcome);
  }
  return step.value;
}

/** The form that calls back: the arguments are looked at now, and what comes of it is told later. */
export function withCallback(start, spread) {
  return (...args) => {
    const callback = args.length > 1 || typeof args[0] === "function" ? args.pop() : undefined;
    checkFunction(callback, "cb");
    start(...args).then(
      (value) =>
        queueMicrotask(() =>
          callback(null, ...(spread !== undefined ? spread(value) : value === undefined ? [] : [value])),
        ),
      (error) => queueMicrotask(() => callback(error)),
    );
  };
}
