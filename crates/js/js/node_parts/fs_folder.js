// An open folder, read entry by entry.

import { coded } from "toolsmith:node_parts/arguments";
import { withCallback } from "toolsmith:node_parts/fs_requests";

const closedError = () => coded(Error, "ERR_DIR_CLOSED", "Directory handle was closed");

export class Dir {
  #entries;
  #closed = false;

  constructor(path, entries) {
    this.#entries = entries;
    Object.defineProperty(this, "path", { value: path, enumerable: true });
  }
  readSync() {
    if (this.#closed) throw closedError();
    return this.#entries.shift() ?? null;
  }
  read(callback) {
    if (callback !== undefined) return withCallback(async () => this.readSync())(callback);
    return new Promise((resolve) => resolve(this.readSync()));
  }
  closeSync() {
    if (this.#closed) throw closedError();
    this.#closed = true;
  }
  close(callback) {
    if (callback !== undefined) return withCallback(async () => this.closeSync())(callback);
    return new Promise((resolve) => resolve(this.closeSync()));
  }
  async *entries() {
    try {
      for (let entry = this.readSync(); entry !== null; entry = this.readSync()) yield entry;
    } finally {
      this.closeSync();
    }
  }
  [Symbol.asyncIterator]() {
    return this.entries();
  }
  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    if (!this.#closed) this.closeSync();
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    if (!this.#closed) this.closeSync();
  }
}
