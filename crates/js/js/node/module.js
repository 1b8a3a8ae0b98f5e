// Node's `module`: `require` for ES modules, and what is built in.

import { host } from "toolsmith:kernel";
import { absentAll } from "toolsmith:node_parts/absent";
import { invalidArgValue } from "toolsmith:node_parts/arguments";
import { fileURLToPath, isUrl } from "toolsmith:node_parts/file_url";
import { requireFrom } from "toolsmith:module/common_js";

export const builtinModules = [
  "assert",
  "assert/strict",
  "async_hooks",
  "buffer",
  "child_process",
  "cluster",
  "console",
  "constants",
  "crypto",
  "dgram",
  "diagnostics_channel",
  "dns",
  "dns/promises",
  "domain",
  "events",
  "fs",
  "fs/promises",
  "http",
  "http2",
  "https",
  "inspector",
  "inspector/promises",
  "module",
  "net",
  "os",
  "path",
  "path/posix",
  "path/win32",
  "perf_hooks",
  "process",
  "punycode",
  "querystring",
  "readline",
  "readline/promises",
  "repl",
  "stream",
  "stream/consumers",
  "stream/promises",
  "stream/web",
  "string_decoder",
  "sys",
  "timers",
  "timers/promises",
  "tls",
  "trace_events",
  "tty",
  "url",
  "util",
  "util/types",
  "v8",
  "vm",
  "wasi",
  "worker_threads",
  "zlib",
];
/** These are known by their prefix only. */
const PREFIXED = ["sea", "sqlite", "test", "test/reporters"];

export function isBuiltin(name) {
  if (typeof name !== "string") return false;
  return name.startsWith("node:")
    ? builtinModules.includes(name.slice(5)) || PREFIXED.includes(name.slice(5))
    : builtinModules.includes(name);
}

export function createRequire(from) {
  const path = isUrl(from) || (typeof from === "string" && from.startsWith("file:")) ? fileURLToPath(from) : from;
  if (typeof path !== "string" || !path.startsWith("/")) {
    throw invalidArgValue("filename", from, "must be a file URL object, file URL string, or absolute path string");
  }
  // A folder stands for whatever may be in it.
  return requireFrom(path.endsWith("/") ? `${path}noop.js` : path);
}

export class Module {
  static builtinModules = builtinModules;
  static createRequire = createRequire;
  static isBuiltin = isBuiltin;
  static _cache = requireFrom("/").cache;
  static _extensions = Object.create(null);
  static _pathCache = Object.create(null);
  static globalPaths = [];
  static wrapper = ["(function (exports, require, module, __filename, __dirname) { ", "\n});"];
  static wrap = (code) => Module.wrapper[0] + code + Module.wrapper[1];
  static _load = (name, parent) => requireFrom(parent?.filename ?? `${host.cwd()}/noop.js`)(name);
  static _resolveFilename = (name, parent) => requireFrom(parent?.filename ?? `${host.cwd()}/noop.js`).resolve(name);
  static _nodeModulePaths(from) {
    const parts = from.split("/").filter(Boolean);
    return [...parts.keys(), parts.length]
      .reverse()
      .map((count) => `/${[...parts.slice(0, count), "node_modules"].join("/")}`);
  }
  static syncBuiltinESMExports() {}

  constructor(id = "", parent) {
    this.id = id;
    this.path = id.slice(0, id.lastIndexOf("/")) || ".";
    this.exports = {};
    this.filename = null;
    this.loaded = false;
    this.children = [];
    this.paths = [];
    if (parent !== undefined) this.parent = parent;
  }
  require(name) {
    return requireFrom(this.filename ?? `${host.cwd()}/noop.js`)(name);
  }
  _compile(code, filename) {
    const run = new Function("exports", "require", "module", "__filename", "__dirname", code);
    run.call(
      this.exports,
      this.exports,
      requireFrom(filename),
      this,
      filename,
      filename.slice(0, filename.lastIndexOf("/")) || "/",
    );
  }
}
Module.Module = Module;
const absent = absentAll("module", [
  "register",
  "registerHooks",
  "findSourceMap",
  "SourceMap",
  "stripTypeScriptTypes",
  "enableCompileCache",
  "findPackageJSON",
]);
Object.assign(Module, absent, { getCompileCacheDir: () => undefined, constants: { compileCacheStatus: {} } });

export const {
  register,
  registerHooks,
  findSourceMap,
  SourceMap,
  stripTypeScriptTypes,
  enableCompileCache,
  findPackageJSON,
} = absent;
export const {
  syncBuiltinESMExports,
  getCompileCacheDir,
  constants,
  wrap,
  globalPaths,
  _cache,
  _load,
  _resolveFilename,
  _nodeModulePaths,
  _extensions,
  _pathCache,
} = Module;
export default Module;
