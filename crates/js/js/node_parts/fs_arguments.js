// The arguments of `fs`: paths, flags, modes, encodings, times and data, as the Rust side takes them.

import { host } from "toolsmith:kernel";
import { checkInteger, coded, invalidArgType, invalidArgValue } from "toolsmith:node_parts/arguments";
import { fileURLToPath, isUrl } from "toolsmith:node_parts/file_url";
import { Buffer } from "toolsmith:node/buffer";

export const constants = Object.freeze(Object.assign(Object.create(null), JSON.parse(host.fsConstants())));
const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants;

/** A path: text, or its bytes as letters where they need not be text. */
export function toPath(value, name = "path") {
  const path = typeof value !== "string" && isUrl(value) ? fileURLToPath(value) : value;
  if (typeof path === "string") {
    if (path.includes("\0"))
      throw invalidArgValue(name, path, "must be a string, Uint8Array, or URL without null bytes");
    return path.toWellFormed();
  }
  if (path instanceof Uint8Array) {
    if (path.includes(0)) throw invalidArgValue(name, path, "must be a string, Uint8Array, or URL without null bytes");
    return { bytes: host.latin1Decode(path) };
  }
  throw invalidArgType(name, ["string", "Buffer", "URL"], value);
}

/** What names a file: a path, a descriptor, or an open handle. */
export function toTarget(value) {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 31) return { fd: value };
  if (
    typeof value === "object" &&
    value !== null &&
    typeof value.fd === "number" &&
    typeof value.readLines === "function"
  )
    return { fd: value.fd };
  return { path: toPath(value) };
}

export function toFd(fd) {
  if (typeof fd !== "number") throw invalidArgType("fd", "number", fd);
  checkInteger(fd, "fd", 0, 2147483647);
  return fd;
}

const FLAGS = {
  r: O_RDONLY,
  rs: O_RDONLY | O_SYNC,
  "r+": O_RDWR,
  "rs+": O_RDWR | O_SYNC,
  w: O_TRUNC | O_CREAT | O_WRONLY,
  wx: O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  "w+": O_TRUNC | O_CREAT | O_RDWR,
  "wx+": O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  a: O_APPEND | O_CREAT | O_WRONLY,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  as: O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  "a+": O_APPEND | O_CREAT | O_RDWR,
  "ax+": O_APPEND | O_CREAT | O_RDWR | O_EXCL,
  "as+": O_APPEND | O_CREAT | O_RDWR | O_SYNC,
};
Object.assign(FLAGS, {
  sr: FLAGS.rs,
  "sr+": FLAGS["rs+"],
  xw: FLAGS.wx,
  "xw+": FLAGS["wx+"],
  xa: FLAGS.ax,
  sa: FLAGS.as,
  "xa+": FLAGS["ax+"],
  "sa+": FLAGS["as+"],
});

export function toFlags(flags, fallback = "r") {
  if (flags === null || flags === undefined) return FLAGS[fallback];
  if (typeof flags === "number") {
    checkInteger(flags, "flags", -2147483648, 2147483647);
    return flags;
  }
  const known = FLAGS[flags];
  if (known === undefined) throw invalidArgValue("flags", flags);
  return known;
}

export function toMode(mode, name, fallback) {
  const given = mode ?? fallback;
  if (typeof given === "string") {
    if (!/^[0-7]+$/.test(given))
      throw invalidArgValue(name, given, "must be a 32-bit unsigned integer or an octal string");
    return Number.parseInt(given, 8);
  }
  checkInteger(given, name, 0, 4294967295);
  return given;
}

/** Options that may be an encoding alone. */
export function toOptions(options, defaults) {
  if (options === null || options === undefined || typeof options === "function") return { ...defaults };
  if (typeof options === "string") return { ...defaults, encoding: checkEncoding(options) };
  if (typeof options !== "object") throw invalidArgType("options", ["string", "Object"], options);
  if (options.encoding !== "buffer") checkEncoding(options.encoding);
  return { ...defaults, ...options };
}

export function checkEncoding(encoding) {
  if (encoding && encoding !== "buffer" && !Buffer.isEncoding(encoding))
    throw invalidArgValue("encoding", encoding, "is invalid encoding");
  return encoding;
}

export const isUtf8 = (encoding) =>
  encoding === "utf8" || encoding === "utf-8" || encoding === "UTF-8" || encoding === "UTF8";

/** What is to be written, as bytes. */
export function toBytes(data, encoding, name = "data") {
  if (typeof data === "string") return Buffer.from(data, encoding || "utf8");
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], data);
}

/** A time in seconds. */
export function toSeconds(time, name) {
  if (typeof time === "string" && time.trim() !== "" && +time == time) return +time;
  if (Number.isFinite(time)) return time < 0 ? Date.now() / 1000 : time;
  if (time instanceof Date) return time.getTime() / 1000;
  throw invalidArgType(name, ["Date", "Time in seconds"], time);
}

export function toPosition(position) {
  if (position === undefined || position === null || position === -1 || position === -1n) return null;
  if (typeof position === "bigint") return Number(position);
  if (typeof position !== "number") throw invalidArgType("position", ["integer", "bigint"], position);
  checkInteger(position, "position", -1);
  return position;
}

export function toLength(length, name = "len") {
  if (length === undefined || length === null) return 0;
  checkInteger(length, name);
  return Math.max(0, length);
}

export function toId(number, name) {
  checkInteger(number, name, -1, 4294967295);
  return number < 0 ? 4294967295 : number;
}

/** A name the Rust side gave: text, or a Buffer. */
export function fromName(name, encoding) {
  const bytes = typeof name === "string" ? undefined : Buffer.from(name.bytes, "latin1");
  if (bytes === undefined) return !encoding || isUtf8(encoding) ? name : Buffer.from(name).toString(encoding);
  return encoding === "buffer" ? bytes : bytes.toString(encoding);
}

/** An error of the system that Node itself words. */
export function systemError(code, message, { syscall, errno, words, path, dest, name }) {
  const target = `${path === undefined ? "" : ` ${path}`}${dest === undefined ? "" : ` => ${dest}`}`;
  const error = coded(Error, code, `${message}: ${syscall} returned ${name} (${words})${target}`);
  error.name = "SystemError";
  return Object.assign(error, {
    errno,
    syscall,
    path,
    ...(dest === undefined ? {} : { dest }),
    info: { code: name, message: words, errno, syscall, path, dest },
  });
}
