// Between Node's streams and the web's, in both directions.

import { invalidArgType } from "toolsmith:node_parts/arguments";
import { Buffer } from "toolsmith:node/buffer";
import { Duplex, Readable, Writable, finished } from "toolsmith:node/stream";

const isBytes = (chunk) => chunk instanceof Uint8Array;
// The web's side gets plain arrays of bytes, as Node gives it.
const plain = (chunk) =>
  Buffer.isBuffer(chunk) ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk;

export function readableFromWeb(source, options = {}) {
  if (typeof source?.getReader !== "function") throw invalidArgType("readableStream", "ReadableStream", source);
  const reader = source.getReader();
  let ended = false;
  const readable = new Readable({
    objectMode: options.objectMode ?? false,
    highWaterMark: options.highWaterMark,
    encoding: options.encoding,
    signal: options.signal,
    read() {
      reader.read().then(
        ({ value, done }) => {
          ended ||= done;
          readable.push(done ? null : value);
        },
        (error) => {
          ended = true;
          readable.destroy(error);
        },
      );
    },
    destroy(error, callback) {
      if (ended) callback(error);
      else {
        ended = true;
        reader.cancel(error).then(
          () => callback(error),
          (failed) => callback(error ?? failed),
        );
      }
    },
  });
  return readable;
}

export function readableToWeb(readable, options = {}) {
  if (typeof readable?.read !== "function" && typeof readable?.on !== "function")
    throw invalidArgType("streamReadable", "stream.Readable", readable);
  if (readable.destroyed) {
    const closed = new ReadableStream();
    closed.cancel();
    return closed;
  }
  const objects = readable.readableObjectMode;
  const strategy =
    options.strategy ??
    (objects
      ? new CountQueuingStrategy({ highWaterMark: readable.readableHighWaterMark })
      : { highWaterMark: readable.readableHighWaterMark, size: (chunk) => chunk.byteLength ?? chunk.length });
  let cancelled = false;
  return new ReadableStream(
    {
      start(controller) {
        readable.pause();
        const release = finished(readable, (error) => {
          release();
          // What comes after the end is nobody's business any more.
          readable.on("error", () => {});
          if (error?.code === "ERR_STREAM_PREMATURE_CLOSE" && cancelled) return;
          if (cancelled) return;
          if (error) controller.error(error);
          else controller.close();
        });
        readable.on("data", (chunk) => {
          controller.enqueue(objects ? chunk : plain(chunk));
          if (controller.desiredSize <= 0) readable.pause();
        });
        readable.pause();
      },
      pull() {
        readable.resume();
      },
      cancel(reason) {
        cancelled = true;
        readable.destroy(reason instanceof Error ? reason : undefined);
      },
    },
    strategy,
  );
}

export function writableFromWeb(target, options = {}) {
  if (typeof target?.getWriter !== "function") throw invalidArgType("writableStream", "WritableStream", target);
  const writer = target.getWriter();
  let closed = false;
  writer.closed.then(
    () => {
      closed = true;
      if (!writable.writableEnded) writable.destroy();
    },
    (error) => {
      closed = true;
      writable.destroy(error);
    },
  );
  const writable = new Writable({
    objectMode: options.objectMode ?? false,
    highWaterMark: options.highWaterMark,
    decodeStrings: options.decodeStrings ?? true,
    signal: options.signal,
    write(chunk, _encoding, callback) {
      writer.ready.then(() => writer.write(plain(chunk))).then(() => callback(), callback);
    },
    final(callback) {
      if (closed) callback();
      else writer.close().then(() => callback(), callback);
    },
    destroy(error, callback) {
      if (closed || writable.writableFinished) callback(error);
      else {
        closed = true;
        writer.abort(error ?? undefined).then(
          () => callback(error),
          () => callback(error),
        );
      }
    },
  });
  return writable;
}

export function writableToWeb(writable) {
  if (typeof writable?.write !== "function") throw invalidArgType("streamWritable", "stream.Writable", writable);
  let failure;
  writable.on("error", (error) => {
    failure = error;
  });
  const gone = () => failure ?? new Error("The stream was closed before it was written to the end");
  const settled = (start) =>
    new Promise((resolve, reject) => {
      if (writable.destroyed) return void reject(gone());
      const onClose = () => (writable.writableFinished ? resolve() : reject(gone()));
      writable.once("close", onClose);
      start((error) => {
        writable.removeListener("close", onClose);
        if (error) reject(error);
        else resolve();
      });
    });
  const objects = writable.writableObjectMode;
  return new WritableStream(
    {
      start(controller) {
        finished(writable, (error) => {
          if (error) controller.error(error);
        });
      },
      write: (chunk) =>
        settled((done) => {
          const fits = writable.write(
            objects || !isBytes(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
            (error) => error && done(error),
          );
          if (fits) done();
          else writable.once("drain", () => done());
        }),
      close: () => settled((done) => writable.end(done)),
      abort(reason) {
        writable.destroy(reason instanceof Error ? reason : new Error(String(reason ?? "aborted")));
      },
    },
    objects
      ? new CountQueuingStrategy({ highWaterMark: writable.writableHighWaterMark })
      : { highWaterMark: writable.writableHighWaterMark, size: (chunk) => chunk?.byteLength ?? chunk?.length ?? 1 },
  );
}

export function duplexFromWeb(pair, options = {}) {
  if (typeof pair?.readable?.getReader !== "function")
    throw invalidArgType("pair.readable", "ReadableStream", pair?.readable);
  if (typeof pair.writable?.getWriter !== "function")
    throw invalidArgType("pair.writable", "WritableStream", pair.writable);
  return Duplex.from({
    readable: readableFromWeb(pair.readable, options),
    writable: writableFromWeb(pair.writable, options),
  });
}

export const duplexToWeb = (duplex) => ({ readable: readableToWeb(duplex), writable: writableToWeb(duplex) });
