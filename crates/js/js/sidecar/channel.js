// The lines to and from the program: file descriptor 3 is written, 4 is read. A thread of its own reads, so that a question
// can be waited for at once, as the kernel's functions are called at once in the embedded engine. Where a program cannot be
// given other descriptors, as on Windows, the lines are on standard output and input, and what a tool prints goes to standard
// error.

import { writeSync } from "node:fs";
import { Readable } from "node:stream";
import { MessageChannel, Worker, receiveMessageOnPort } from "node:worker_threads";
import { currentFrame } from "../kernel/frames.js";

const onStandardStreams = process.env.TOOLSMITH_STANDARD_STREAMS === "1";
const OUT = onStandardStreams ? 1 : 3;
const IN = onStandardStreams ? 0 : 4;
if (onStandardStreams) {
  delete process.env.TOOLSMITH_STANDARD_STREAMS;
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([]) });
}

function reader({ port, flag, descriptor }) {
  const { readSync } = require("node:fs");
  const arrived = new Int32Array(flag);
  const buffer = Buffer.alloc(1 << 16);
  let parts = [];
  for (;;) {
    let count;
    try {
      count = readSync(descriptor, buffer, 0, buffer.length, null);
    } catch (error) {
      if (error.code === "EAGAIN" || error.code === "EINTR") continue;
      count = 0;
    }
    // The program at the other end is gone.
    if (count === 0) process.kill(process.pid, "SIGKILL");
    let start = 0;
    for (let end = buffer.indexOf(10, start); end >= 0 && end < count; end = buffer.indexOf(10, start)) {
      parts.push(Buffer.from(buffer.subarray(start, end)));
      port.postMessage(Buffer.concat(parts).toString("utf8"));
      parts = [];
      start = end + 1;
      Atomics.add(arrived, 0, 1);
      Atomics.notify(arrived, 0);
    }
    if (start < count) parts.push(Buffer.from(buffer.subarray(start, count)));
  }
}

const flag = new SharedArrayBuffer(4);
const arrived = new Int32Array(flag);
const { port1: port, port2 } = new MessageChannel();
const backlog = [];
let dispatch;
let questions = 0;

function drain() {
  while (backlog.length > 0) dispatch(backlog.shift());
}

/** Starts to listen; `handler` gets each message that is no answer. */
export function listen(handler) {
  dispatch = handler;
  const code = `const { workerData } = require("node:worker_threads"); (${reader})(workerData);`;
  new Worker(code, { eval: true, workerData: { port: port2, flag, descriptor: IN }, transferList: [port2] }).on(
    "error",
    (error) => {
      throw error;
    },
  );
  port.on("message", (line) => {
    backlog.push(JSON.parse(line));
    drain();
  });
}

export function send(message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(OUT, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Calls a function of the program; nothing comes back. */
export const tell = (host, ...args) => send({ host, args, call: currentFrame().call });

/** Calls a function of the program and waits for what it gives. What else arrives meanwhile is kept for later. */
export function ask(host, ...args) {
  const number = ++questions;
  send({ host, args, ask: number, call: currentFrame().call });
  for (;;) {
    const seen = Atomics.load(arrived, 0);
    const received = receiveMessageOnPort(port);
    if (received === undefined) {
      Atomics.wait(arrived, 0, seen);
      continue;
    }
    const message = JSON.parse(received.message);
    if (message.answer !== number) {
      backlog.push(message);
      setImmediate(drain);
    } else if (message.error !== undefined) throw Object.assign(new Error(message.error.message), message.error);
    else return message.value ?? undefined;
  }
}
