// Files as streams.

import { builtin } from "toolsmith:kernel";
import { checkFunction, checkInteger, outOfRange } from "toolsmith:node_parts/arguments";
import { checkEncoding, toPath } from "toolsmith:node_parts/fs_arguments";
import { later, requests } from "toolsmith:node_parts/fs_requests";
import { Readable, Writable, finished } from "toolsmith:node/stream";
import { Buffer } from "toolsmith:node/buffer";

function readOptions(options) {
  if (options === null || options === undefined) return {};
  return typeof options === "string" ? { encoding: checkEncoding(options) } : options;
}

/** What both directions share: opening, and closing what was opened. */
function prepare(stream, path, options, flags) {
  const { fd, mode = 0o666, autoClose = true, start, end } = options;
  stream.path = path === undefined ? undefined : (toPath(path), path);
  stream.flags = options.flags ?? flags;
  stream.mode = mode;
  stream.start = start;
  if (stream instanceof ReadStream) stream.end = end ?? Infinity;
  stream.autoClose = autoClose;
  const isHandle = typeof fd === "object" && fd !== null;
  Object.defineProperty(stream, "handle", { value: isHandle ? fd : undefined });
  stream.fd = isHandle ? fd.fd : (fd ?? null);
  stream.pos = start;
  if (isHandle) fd.once("close", () => stream.close());
}

function construct(callback) {
  if (typeof this.fd === "number") {
    callback();
    return;
  }
  let request;
  try {
    request = requests.open(this.path, this.flags, this.mode);
  } catch (error) {
    callback(error);
    return;
  }
  later(request).then((fd) => {
    this.fd = fd;
    callback();
    this.emit("open", fd);
    this.emit("ready");
  }, callback);
}

function close(stream, error, callback) {
  const { fd, handle } = stream;
  if (typeof fd !== "number" || !stream.autoClose) {
    callback(error);
    return;
  }
  stream.fd = null;
  const closing = handle === undefined ? later(requests.close(fd)) : handle.close();
  closing.then(
    () => callback(error),
    (failed) => callback(error ?? failed),
  );
}

export function ReadStream(path, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(path, options);
  const given = readOptions(options);
  const { start, end } = given;
  if (start !== undefined) checkInteger(start, "start", 0);
  if (end !== undefined && end !== Infinity) {
    checkInteger(end, "end", 0);
    if (start !== undefined && start > end) throw outOfRange("start", `<= "end" (here: ${end})`, start);
  }
  this.bytesRead = 0;
  // Before the stream itself is made: that opens the file.
  prepare(this, path, given, "r");
  Readable.call(this, {
    highWaterMark: given.highWaterMark ?? 64 * 1024,
    encoding: given.encoding,
    emitClose: given.emitClose,
    signal: given.signal,
    autoDestroy: given.autoClose ?? true,
    objectMode: given.objectMode,
  });
}
Object.setPrototypeOf(ReadStream.prototype, Readable.prototype);
Object.setPrototypeOf(ReadStream, Readable);

ReadStream.prototype._construct = construct;

ReadStream.prototype._read = function (size) {
  const left = this.end === Infinity ? size : Math.min(size, this.end - (this.pos ?? this.bytesRead) + 1);
  if (left <= 0) {
    this.push(null);
    return;
  }
  const buffer = Buffer.allocUnsafe(left);
  this.busy = later(requests.read(this.fd, buffer, 0, left, this.pos ?? null)).then(
    ({ bytesRead }) => {
      this.busy = undefined;
      if (bytesRead > 0) {
        this.bytesRead += bytesRead;
        if (this.pos !== undefined) this.pos += bytesRead;
        this.push(bytesRead === left ? buffer : buffer.subarray(0, bytesRead));
      } else this.push(null);
    },
    (error) => {
      this.busy = undefined;
      this.destroy(error);
    },
  );
  Object.defineProperty(this, "busy", { enumerable: false });
};

ReadStream.prototype._destroy = function (error, callback) {
  // What is being read is read to its end before the file is closed.
  if (this.busy === undefined) close(this, error, callback);
  else this.busy.then(() => close(this, error, callback));
};

ReadStream.prototype.close = function (callback) {
  if (callback !== undefined) finished(this, callback);
  this.destroy();
};

export function WriteStream(path, options) {
  if (!(this instanceof WriteStream)) return new WriteStream(path, options);
  const given = readOptions(options);
  if (given.start !== undefined) checkInteger(given.start, "start", 0);
  this.bytesWritten = 0;
  prepare(this, path, given, "w");
  this.flush = given.flush ?? false;
  Writable.call(this, {
    highWaterMark: given.highWaterMark,
    decodeStrings: true,
    defaultEncoding: given.encoding ?? undefined,
    emitClose: given.emitClose,
    signal: given.signal,
    autoDestroy: given.autoClose ?? true,
  });
  if (given.encoding) this.setDefaultEncoding(given.encoding);
}
Object.setPrototypeOf(WriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(WriteStream, Writable);

WriteStream.prototype._construct = construct;

async function writeAll(stream, data) {
  let rest = data;
  while (rest.length > 0) {
    const { bytesWritten } = await later(requests.write(stream.fd, rest, 0, rest.length, stream.pos ?? null));
    stream.bytesWritten += bytesWritten;
    if (stream.pos !== undefined) stream.pos += bytesWritten;
    rest = rest.subarray(bytesWritten);
  }
}

function settle(stream, work, callback) {
  Object.defineProperty(stream, "busy", {
    value: work.then(
      () => {},
      () => {},
    ),
    configurable: true,
    writable: true,
  });
  work.then(() => callback(), callback);
}

WriteStream.prototype._write = function (chunk, _encoding, callback) {
  settle(this, writeAll(this, chunk), callback);
};

WriteStream.prototype._writev = function (chunks, callback) {
  settle(this, writeAll(this, Buffer.concat(chunks.map(({ chunk }) => chunk))), callback);
};

WriteStream.prototype._final = function (callback) {
  if (!this.flush) callback();
  else later(requests.fsync(this.fd)).then(() => callback(), callback);
};

WriteStream.prototype._destroy = function (error, callback) {
  if (this.busy === undefined) close(this, error, callback);
  else this.busy.then(() => close(this, error, callback));
};

WriteStream.prototype.close = function (callback) {
  if (callback !== undefined) {
    checkFunction(callback, "cb");
    if (this.closed) {
      builtin("toolsmith:node/process").default.nextTick(callback);
      return;
    }
    this.on("close", callback);
  }
  if (!this.autoClose) this.on("finish", this.destroy);
  this.end();
};
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

for (const Class of [ReadStream, WriteStream]) {
  Object.defineProperties(Class.prototype, {
    autoClose: {
      configurable: true,
      get() {
        return this.closes ?? true;
      },
      set(value) {
        Object.defineProperty(this, "closes", { value, configurable: true, writable: true });
      },
    },
    pending: {
      configurable: true,
      get() {
        return this.fd === null;
      },
    },
  });
}
