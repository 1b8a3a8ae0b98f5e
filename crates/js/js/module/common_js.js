// CommonJS: `require`, and running files that use it. What is exported is known once a file has run.

import { builtin, host } from "toolsmith:kernel";

const cache = Object.create(null);

class Module {
  constructor(id, parent) {
    this.id = id;
    this.filename = id;
    this.path = id.slice(0, id.lastIndexOf("/")) || "/";
    this.exports = {};
    this.parent = parent;
    this.children = [];
    this.loaded = false;
    this.paths = [];
  }
  require(specifier) {
    return requireFrom(this.filename)(specifier);
  }
}

function run(path, parent) {
  const known = cache[path];
  if (known !== undefined) return known;
  const module = new Module(path, parent);
  cache[path] = module;
  try {
    if (path.endsWith(".json")) module.exports = JSON.parse(host.readText(path));
    else host.commonJsFunction(path).call(module.exports, module.exports, requireFrom(path), module, path, module.path);
    module.loaded = true;
  } catch (error) {
    delete cache[path];
    throw error;
  }
  return module;
}

function builtinExports(name) {
  const exports = builtin(name);
  return exports.default ?? exports;
}

/** A `require` that resolves from a file. */
export function requireFrom(file) {
  const require = (specifier) => {
    const { kind, name } = JSON.parse(host.resolveRequire(file, String(specifier)));
    if (kind === "builtin") return builtinExports(name);
    if (kind === "module") return host.loadModule(name);
    return run(name, cache[file]).exports;
  };
  require.resolve = (specifier) => {
    const { kind, name } = JSON.parse(host.resolveRequire(file, String(specifier)));
    return kind === "builtin" ? String(specifier) : name;
  };
  require.resolve.paths = () => [];
  require.cache = cache;
  require.main = undefined;
  require.extensions = Object.create(null);
  return require;
}

/** What a CommonJS file exports; it runs the first time. */
export const exportsOf = (path) => run(path, undefined).exports;

/** The names a CommonJS file exports. */
export function exportNames(path) {
  const exports = exportsOf(path);
  if ((typeof exports !== "object" && typeof exports !== "function") || exports === null) return [];
  const names = new Set();
  for (let object = exports; object && object !== Object.prototype && object !== Function.prototype; object = Object.getPrototypeOf(object)) {
    for (const name of Object.getOwnPropertyNames(object)) names.add(name);
    if (typeof exports === "function") break;
  }
  for (const name of ["constructor", "length", "name", "prototype", "arguments", "caller"]) {
    if (typeof exports === "function" || name === "constructor") names.delete(name);
  }
  return [...names].filter((name) => name.isWellFormed());
}
