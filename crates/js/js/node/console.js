// Node's `console`: the global one, and one that writes to streams of its own.

import { builtin } from "toolsmith:kernel";
import { coded } from "toolsmith:node_parts/arguments";

export class Console {
  #out;
  #error;
  #indent = "";
  #counts = new Map();
  #starts = new Map();
  constructor(out, error) {
    const options = typeof out?.write === "function" ? { stdout: out, stderr: error } : (out ?? {});
    if (typeof options.stdout?.write !== "function")
      throw coded(TypeError, "ERR_CONSOLE_WRITABLE_STREAM", "Console expects a writable stream instance for stdout");
    this.#out = options.stdout;
    this.#error = options.stderr ?? options.stdout;
    // They may be handed on without the object.
    for (const name of Object.getOwnPropertyNames(Console.prototype))
      if (name !== "constructor") this[name] = this[name].bind(this);
  }
  #write(stream, values) {
    const text = builtin("toolsmith:web/inspect").format(...values);
    stream.write(`${this.#indent}${text.replaceAll("\n", `\n${this.#indent}`)}\n`);
  }
  log(...values) {
    this.#write(this.#out, values);
  }
  info(...values) {
    this.#write(this.#out, values);
  }
  debug(...values) {
    this.#write(this.#out, values);
  }
  dirxml(...values) {
    this.#write(this.#out, values);
  }
  warn(...values) {
    this.#write(this.#error, values);
  }
  error(...values) {
    this.#write(this.#error, values);
  }
  trace(...values) {
    this.#write(this.#error, [
      `Trace${values.length > 0 ? `: ${builtin("toolsmith:web/inspect").format(...values)}` : ""}\n${new Error().stack}`,
    ]);
  }
  dir(value, options) {
    this.#write(this.#out, [builtin("toolsmith:web/inspect").inspect(value, { customInspect: false, ...options })]);
  }
  table(value, columns) {
    this.#write(this.#out, [builtin("toolsmith:web/inspect").table(value, columns)]);
  }
  assert(condition, ...values) {
    if (!condition)
      this.warn(
        ...(typeof values[0] === "string"
          ? [`Assertion failed: ${values[0]}`, ...values.slice(1)]
          : ["Assertion failed", ...values]),
      );
  }
  group(...values) {
    if (values.length > 0) this.log(...values);
    this.#indent += "  ";
  }
  groupCollapsed(...values) {
    this.group(...values);
  }
  groupEnd() {
    this.#indent = this.#indent.slice(2);
  }
  count(label = "default") {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
    this.log(`${label}: ${this.#counts.get(label)}`);
  }
  countReset(label = "default") {
    this.#counts.delete(label);
  }
  time(label = "default") {
    this.#starts.set(label, performance.now());
  }
  timeLog(label = "default", ...values) {
    if (this.#starts.has(label))
      this.log(`${label}: ${(performance.now() - this.#starts.get(label)).toFixed(3)}ms`, ...values);
  }
  timeEnd(label = "default") {
    this.timeLog(label);
    this.#starts.delete(label);
  }
  clear() {}
}

globalThis.console.Console ??= Console;
export const {
  log,
  info,
  debug,
  dirxml,
  warn,
  error,
  trace,
  dir,
  table,
  assert,
  group,
  groupCollapsed,
  groupEnd,
  count,
  countReset,
  time,
  timeLog,
  timeEnd,
  clear,
} = globalThis.console;
export default globalThis.console;
