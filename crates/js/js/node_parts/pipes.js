// Pipes of processes as Node's streams.

import { Buffer } from "toolsmith:node/buffer";
import { Readable, Writable } from "toolsmith:node/stream";
import { closeStream, finishStream, readStream, writeStream } from "toolsmith:node_parts/processes";

/** What a process prints. Nothing is read ahead of what is asked for, so that a process waits for its reader. */
export class OutputPipe extends Readable {
  #stream;

  constructor(stream) {
    super({ highWaterMark: 64 * 1024 });
    this.#stream = stream;
  }
  _read() {
    readStream(this.#stream).then(
      (bytes) => this.push(bytes === undefined ? null : Buffer.from(bytes.buffer)),
      (error) => this.destroy(error),
    );
  }
  _destroy(error, callback) {
    closeStream(this.#stream);
    callback(error);
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

/** What a process reads. */
export class InputPipe extends Writable {
  #stream;

  constructor(stream) {
    super({ highWaterMark: 16 * 1024 });
    this.#stream = stream;
  }
  _write(chunk, _encoding, callback) {
    writeStream(this.#stream, chunk).then(() => callback(), callback);
  }
  _writev(chunks, callback) {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), undefined, callback);
  }
  _final(callback) {
    finishStream(this.#stream).then(() => callback(), callback);
  }
  _destroy(error, callback) {
    closeStream(this.#stream);
    callback(error);
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}
