// Node's `readline/promises`.

import { abortError, coded } from "toolsmith:node_parts/arguments";
import * as lines from "toolsmith:node/readline";

export class Interface extends lines.Interface {
  question(query, options) {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      if (this.closed) return void reject(coded(Error, "ERR_USE_AFTER_CLOSE", "readline was closed"));
      if (signal?.aborted) return void reject(abortError(signal));
      signal?.addEventListener("abort", () => reject(abortError(signal)), { once: true });
      super.question(query, { signal }, resolve);
    });
  }
}

export const createInterface = (input, output, completer, terminal) =>
  new Interface(input, output, completer, terminal);

/** Movements of the cursor, collected and sent together. */
export class Readline {
  #stream;
  #steps = [];
  #auto;
  constructor(stream, options) {
    this.#stream = stream;
    this.#auto = options?.autoCommit === true;
  }
  #add(name, ...args) {
    this.#steps.push(() => lines[name](this.#stream, ...args));
    if (this.#auto) this.commit();
    return this;
  }
  clearLine(direction) {
    return this.#add("clearLine", direction);
  }
  clearScreenDown() {
    return this.#add("clearScreenDown");
  }
  cursorTo(x, y) {
    return this.#add("cursorTo", x, y);
  }
  moveCursor(dx, dy) {
    return this.#add("moveCursor", dx, dy);
  }
  rollback() {
    this.#steps = [];
    return this;
  }
  async commit() {
    for (const step of this.#steps.splice(0)) step();
  }
}

export default { Interface, Readline, createInterface };
