// CommonJS: `require`, and running files that use it. What is exported is known once a file has run.

import { builtin, host } from "toolsmith:kernel";

const cache = Object.create(null);

export class Module {
  constructor(id, parent) {
    this.id = id;
    this.filename = id;
    this.path = id.slice(0, id.lastIndexOf("/")) || "/";
    this.exports = {};
    this.parent = parent;
    this.children = [];
    this.loaded = false;
    this.paths = pathsFrom(this.path);
    parent?.children?.push(this);
  }
  require(specifier) {
    return requireFrom(this.filename)(specifier);
  }
}

/** The folders a package is looked for in. */
function pathsFrom(folder) {
  const parts = folder.split("/").filter(Boolean);
  const paths = [];
  for (let count = parts.length; count >= 0; count--) {
    if (parts[count - 1] !== "node_modules") paths.push(`/${[...parts.slice(0, count), "node_modules"].join("/")}`);
  }
  return paths;
}

function readJson(path) {
  const text = host.readText(path);
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    error.message = `${path}: ${error.message}`;
    throw error;
  }
}

const moduleViews = new Map();

/** What `require` gives for an ES module: its names, and the mark by which compiled code finds its default. */
function requireModule(path) {
  const exports = host.loadModule(path);
  if ("module.exports" in exports) return exports["module.exports"];
  if (!("default" in exports) || "__esModule" in exports) return exports;
  let view = moduleViews.get(path);
  if (view === undefined) {
    view = Object.create(null, { __esModule: { value: true }, [Symbol.toStringTag]: { value: "Module" } });
    for (const name of Object.keys(exports))
      Object.defineProperty(view, name, { enumerable: true, get: () => exports[name] });
    moduleViews.set(path, view);
  }
  return view;
}

function run(path, parent) {
  const known = cache[path];
  if (known !== undefined) return known.exports;
  const isJson = path.endsWith(".json");
  if (!isJson && host.isEsModule(path)) return requireModule(path);
  const module = new Module(path, parent);
  cache[path] = module;
  try {
    if (isJson) module.exports = readJson(path);
    else host.commonJsFunction(path).call(module.exports, module.exports, requireFrom(path), module, path, module.path);
    module.loaded = true;
  } catch (error) {
    delete cache[path];
    throw error;
  }
  return module.exports;
}

function builtinExports(name) {
  const exports = builtin(name);
  return exports.default ?? exports;
}

/** A `require` that resolves from a file. */
export function requireFrom(file) {
  // A file asks for the same few over and over.
  const found = new Map();
  const resolve = (specifier) => {
    if (typeof specifier !== "string")
      throw Object.assign(new TypeError(`The "id" argument must be of type string. Received ${typeof specifier}`), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    let target = found.get(specifier);
    if (target === undefined) {
      try {
        target = JSON.parse(host.resolveRequire(file, specifier));
      } catch (error) {
        if (error?.code === "ERR_MODULE_NOT_FOUND") error.code = "MODULE_NOT_FOUND";
        throw error;
      }
      found.set(specifier, target);
    }
    return target;
  };
  const require = (specifier) => {
    const { kind, name } = resolve(specifier);
    if (kind === "missing") return builtin("toolsmith:adapters/missing").missingModule(specifier);
    return kind === "builtin" ? builtinExports(name) : run(name, cache[file]);
  };
  require.resolve = (specifier, options) => {
    for (const folder of options?.paths ?? []) {
      try {
        return requireFrom(`${folder}/_`).resolve(specifier);
      } catch (error) {
        if (error?.code !== "MODULE_NOT_FOUND") throw error;
      }
    }
    const { kind, name } = resolve(specifier);
    return kind === "file" ? name : specifier;
  };
  require.resolve.paths = (specifier) =>
    /^\.{0,2}\//.test(specifier)
      ? [file.slice(0, file.lastIndexOf("/"))]
      : pathsFrom(file.slice(0, file.lastIndexOf("/")));
  require.cache = cache;
  require.main = undefined;
  require.extensions = Object.create(null);
  return require;
}

/** What a CommonJS file exports; it runs the first time. */
export const exportsOf = (path) => run(path, undefined);

/** The names a CommonJS file exports. */
export function exportNames(path) {
  const exports = exportsOf(path);
  if ((typeof exports !== "object" && typeof exports !== "function") || exports === null) return [];
  const names = new Set();
  for (
    let object = exports;
    object && object !== Object.prototype && object !== Function.prototype;
    object = Object.getPrototypeOf(object)
  ) {
    for (const name of Object.getOwnPropertyNames(object)) names.add(name);
    if (typeof exports === "function") break;
  }
  for (const name of ["constructor", "length", "name", "prototype", "arguments", "caller"]) {
    if (typeof exports === "function" || name === "constructor") names.delete(name);
  }
  return [...names].filter((name) => name.isWellFormed());
}
