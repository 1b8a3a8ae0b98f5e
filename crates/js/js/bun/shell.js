// Bun's `$`: a command line as a template, run by `sh`. What is put into it is quoted.

import { Buffer } from "toolsmith:node/buffer";
import { toRequest } from "toolsmith:node_parts/process_options";
import { finishStream, readStream, startProcess, writeStream, SIGNALS } from "toolsmith:node_parts/processes";
import { BunFile } from "toolsmith:bun/file";
import { readable } from "toolsmith:bun/bytes";

export const escape = (text) =>
  /^[A-Za-z0-9_\/:=.,@%+-]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`;

function quoted(value) {
  if (Array.isArray(value)) return value.map(quoted).join(" ");
  if (value instanceof BunFile) return escape(value.path);
  if (typeof value === "object" && value !== null && typeof value.raw === "string") return value.raw;
  if (typeof value === "object" && value !== null && typeof value.toString !== "function")
    throw new TypeError("Invalid JS object used in shell");
  return escape(String(value));
}

class ShellOutput {
  constructor(stdout, stderr, exitCode) {
    Object.assign(this, { stdout, stderr, exitCode });
  }
  text(encoding) {
    return this.stdout.toString(encoding);
  }
  json() {
    return JSON.parse(this.text());
  }
  bytes() {
    return new Uint8Array(this.stdout);
  }
  arrayBuffer() {
    return this.bytes().buffer;
  }
  blob() {
    return new Blob([this.stdout]);
  }
}

export class ShellError extends Error {
  constructor({ stdout, stderr, exitCode }) {
    super(`Failed with exit code ${exitCode}`);
    this.name = "ShellError";
    Object.assign(this, { stdout, stderr, exitCode });
  }
  text(encoding) {
    return this.stdout.toString(encoding);
  }
  json() {
    return JSON.parse(this.text());
  }
}
for (const name of ["bytes", "arrayBuffer", "blob"]) ShellError.prototype[name] = ShellOutput.prototype[name];

async function collect(stream) {
  const pieces = [];
  for (let bytes = await readStream(stream); bytes !== undefined; bytes = await readStream(stream)) pieces.push(bytes);
  return Buffer.concat(pieces);
}

async function feed(stream, input) {
  try {
    for await (const bytes of readable(input)) await writeStream(stream, bytes);
  } finally {
    await finishStream(stream);
  }
}

/** Runs when it is waited for. */
class ShellPromise {
  #command;
  #input;
  #settings;
  #running;

  constructor(command, input, settings) {
    this.#command = command;
    this.#input = input;
    this.#settings = { ...settings };
  }
  async #run() {
    const { cwd, env, throws } = this.#settings;
    const { request } = toRequest({
      file: this.#command,
      args: [],
      options: { shell: "sh", cwd, env, stdio: [this.#input === undefined ? "ignore" : "pipe", "pipe", "pipe"] },
    });
    const process = startProcess(request);
    if (this.#input !== undefined) feed(process.stdin, this.#input).catch(() => {});
    const [stdout, stderr, { code, signal }] = await Promise.all([
      collect(process.stdout),
      collect(process.stderr),
      process.ended,
    ]);
    const output = new ShellOutput(stdout, stderr, code ?? 128 + SIGNALS[signal]);
    if (throws && output.exitCode !== 0) throw new ShellError(output);
    return output;
  }
  run() {
    this.#running ??= this.#run();
    return this;
  }
  then(resolve, reject) {
    return this.run().#running.then(resolve, reject);
  }
  catch(reject) {
    return this.then(undefined, reject);
  }
  finally(callback) {
    return this.run().#running.finally(callback);
  }
  cwd(folder) {
    this.#settings.cwd = folder;
    return this;
  }
  env(variables) {
    this.#settings.env = variables;
    return this;
  }
  quiet() {
    return this;
  }
  nothrow() {
    return this.throws(false);
  }
  throws(on) {
    this.#settings.throws = on;
    return this;
  }
  async text(encoding) {
    return (await this).text(encoding);
  }
  async json() {
    return (await this).json();
  }
  async bytes() {
    return (await this).bytes();
  }
  async arrayBuffer() {
    return (await this).arrayBuffer();
  }
  async blob() {
    return (await this).blob();
  }
  async *lines() {
    const text = await this.text();
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    yield* lines;
  }
  get [Symbol.toStringTag]() {
    return "ShellPromise";
  }
}

function makeShell() {
  const settings = { cwd: undefined, env: undefined, throws: true };
  const shell = (texts, ...values) => {
    let command = "";
    let input;
    texts.raw.forEach((text, index) => {
      command += text;
      if (index >= values.length) return;
      const value = values[index];
      // Bytes and answers can only be what is read: `cat < ${response}`.
      if (/<\s*$/.test(text) && typeof value === "object" && value !== null && !(value instanceof BunFile)) {
        input = value;
        command = command.replace(/<\s*$/, "");
      } else {
        command += quoted(value);
      }
    });
    return new ShellPromise(command, input, settings);
  };
  shell.cwd = (folder) => ((settings.cwd = folder), shell);
  shell.env = (variables) => ((settings.env = variables), shell);
  shell.throws = (on) => ((settings.throws = on), shell);
  shell.nothrow = () => shell.throws(false);
  shell.escape = (text) => escape(String(text));
  shell.ShellError = ShellError;
  shell.ShellPromise = ShellPromise;
  return shell;
}

export const $ = makeShell();
$.Shell = function Shell() {
  return makeShell();
};
