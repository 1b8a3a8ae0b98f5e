// The functions the kernel calls, by way of the channel or answered here where this runtime knows better.

import { inspect, format } from "node:util";
import { ask, tell } from "./channel.js";
import { load } from "./builtins.js";

const start = performance.now();
const toBase64 = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
const isPlain = (text) => /^[\x20-\x7e]*$/.test(text);
const told = [
  "finishCall",
  "sendUpdate",
  "log",
  "emitEvent",
  "hearEvents",
  "cancelOperation",
  "exec",
  "openDialog",
  "notify",
  "setStatus",
  "setTitle",
  "perform",
  "registered",
];
const asked = [
  "updatesHaveRoom",
  "askContext",
  "hasUi",
  "pushPending",
  "themePalette",
  "wrapText",
  "markdownRows",
  "highlightRows",
  "imageSize",
  "uiCall",
  "worktree",
  "systemInfo",
  "act",
  "addTool",
  "builtInSpecs",
];

const host = {
  ...Object.fromEntries(told.map((name) => [name, (...args) => tell(name, ...args)])),
  ...Object.fromEntries(asked.map((name) => [name, (...args) => ask(name, ...args) ?? ""])),
  // Most text is plain, and asking costs more than looking.
  visibleWidth: (text) => (isPlain(text) ? text.length : ask("visibleWidth", text)),
  cutToWidth: (text, width, mark) =>
    isPlain(text) && text.length <= width ? text : ask("cutToWidth", text, width, mark),
  putBlob: (call, bytes) => ask("putBlob", call, toBase64(bytes)),
  cwd: () => process.cwd(),
  now: () => performance.now() - start,
  memoryUse: () => process.memoryUsage.rss(),
  userIds: () => [process.getuid(), process.getgid()],
  environment: () => JSON.stringify(process.env),
  utf8Encode: (text) => new TextEncoder().encode(text),
  utf8Decode: (bytes, fatal) => new TextDecoder("utf-8", { fatal }).decode(bytes),
  loadBuiltin: (name) => (name === "toolsmith:web/inspect" ? { inspect, format } : load(name)),
};
host.hasUi = (call) => ask("hasUi", call) === true;

globalThis.__toolsmith = host;

// Whatever a tool prints goes to the log; the channel has a file descriptor of its own.
for (const [name, level] of Object.entries({
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
  debug: "debug",
  trace: "debug",
  dir: "info",
  table: "info",
})) {
  console[name] = (...values) => tell("log", level, format(...values), "console");
}
