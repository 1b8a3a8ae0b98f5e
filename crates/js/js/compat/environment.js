// The utilities package of compatible agents.

import { host, logger } from "toolsmith:kernel";
import { formatSize } from "toolsmith:compat/truncation";

export { logger };
export { formatSize as formatBytes } from "toolsmith:compat/truncation";

const environment = () => JSON.parse(host.environment());
const home = () => environment().HOME ?? environment().USERPROFILE ?? "/";

/** The environment of the process, as it is now. */
export const $env = new Proxy(
  {},
  {
    get: (_, key) => (typeof key === "string" ? globalThis.process.env[key] : undefined),
    has: (_, key) => key in globalThis.process.env,
    ownKeys: () => Reflect.ownKeys(globalThis.process.env),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(globalThis.process.env, key),
  },
);

export const APP_NAME = "toolsmith";
export const VERSION = JSON.parse(host.systemInfo()).version;
export const CONFIG_DIR_NAME = ".toolsmith";
export const getConfigDirName = () => CONFIG_DIR_NAME;
export const getConfigRootDir = () => `${home()}/${CONFIG_DIR_NAME}`;
export const getAgentDir = () => `${getConfigRootDir()}/agent`;
export const getProjectDir = () => host.cwd();
export const getProjectAgentDir = (cwd = host.cwd()) => `${cwd}/${CONFIG_DIR_NAME}`;

const hasCode =
  (...codes) =>
  (error) =>
    codes.includes(error?.code);
export const isFsError = (error) => error instanceof Error && typeof error.code === "string";
export const isEnoent = hasCode("ENOENT");
export const isEexist = hasCode("EEXIST");
export const isEacces = hasCode("EACCES");
export const isEisdir = hasCode("EISDIR");
export const isEnotdir = hasCode("ENOTDIR");
export const isEnotempty = hasCode("ENOTEMPTY");
export const hasFsCode = (error, code) => error?.code === code;

export const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const toError = (value) => (value instanceof Error ? value : new Error(String(value)));
export const asString = (value) => (typeof value === "string" ? value : undefined);

export function tryParseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Runs something once, and gives its outcome ever after. */
export function once(make) {
  let made;
  return () => (made ??= { value: make() }).value;
}

/** Waits for work, unless a signal is tripped first. */
export async function untilAborted(signal, work) {
  const start = typeof work === "function" ? work : () => work;
  if (signal === undefined || signal === null) return start();
  signal.throwIfAborted();
  let stop;
  const aborted = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([start(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

export function abortableSleep(milliseconds, signal) {
  let timer;
  return untilAborted(signal, () => new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))).finally(() =>
    clearTimeout(timer),
  );
}

export const stripAnsi = (text) =>
  String(text).replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g, "");

/** Text without colours and control characters. */
export const sanitizeText = (text) =>
  stripAnsi(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");

export function formatDuration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${Math.floor(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h${minutes % 60}m` : `${Math.floor(hours / 24)}d${hours % 24}h`;
}

export function formatNumber(value) {
  if (value < 1000) return String(value);
  if (value < 1e6) return `${(value / 1e3).toFixed(1)}K`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)}M` : `${(value / 1e9).toFixed(1)}B`;
}

export const pluralize = (word, count) =>
  count === 1
    ? word
    : /(?:s|x|ch|sh)$/.test(word)
      ? `${word}es`
      : /[^aeiou]y$/.test(word)
        ? `${word.slice(0, -1)}ies`
        : `${word}s`;
export const formatCount = (word, count) => `${count} ${pluralize(word, count)}`;

export function truncate(text, max, mark = "…") {
  const value = String(text);
  return value.length <= max ? value : value.slice(0, Math.max(0, max - mark.length)) + mark;
}

export default {
  $env,
  logger,
  formatBytes: formatSize,
  formatCount,
  formatDuration,
  formatNumber,
  isEnoent,
  isRecord,
  once,
  pluralize,
  sanitizeText,
  stripAnsi,
  truncate,
  tryParseJson,
  untilAborted,
  abortableSleep,
};
