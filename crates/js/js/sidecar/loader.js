// How a tool's files and what the host serves are loaded here: by a plugin in Bun and by loader hooks in
// Node, both of which are handed JavaScript.

import Module from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel } from "node:worker_threads";
import { ask } from "./channel.js";
import { builtin } from "../kernel/host.js";
import { missing } from "../adapters/missing.js";

const failures = [];

/** Shared with the modules that are made here. */
const shared = { builtin, missing, failures };
globalThis[Symbol.for("toolsmith.modules")] = shared;

const SHARED = 'globalThis[Symbol.for("toolsmith.modules")]';

/** The source of a module that hands on what the host serves, with stubs for names it does not have. */
function standIn(name, specifier, names) {
  const exports = builtin(name);
  const own = Object.keys(exports).filter(
    (key) => key !== "default" && key !== "module.exports" && key !== "__esModule",
  );
  const lines = [`const all = ${SHARED}.builtin(${JSON.stringify(name)});`, "export default all.default ?? all;"];
  const add = (key, value) =>
    lines.push(`const e${lines.length} = ${value}; export { e${lines.length} as ${JSON.stringify(key)} };`);
  for (const key of own) add(key, `all[${JSON.stringify(key)}]`);
  for (const key of names)
    if (!own.includes(key) && key !== "default")
      add(key, `${SHARED}.missing(${JSON.stringify(specifier)}, ${JSON.stringify(key)})`);
  return lines.join("\n");
}

const addressOf = ({ builtin: name, names }, specifier) =>
  `toolsmith:served?${new URLSearchParams({ name, specifier, names: JSON.stringify(names) })}`;

function servedSource(address) {
  const query = new URLSearchParams(address.slice(address.indexOf("?") + 1));
  return standIn(query.get("name"), query.get("specifier"), JSON.parse(query.get("names")));
}

/** A module that fails with all that is known about the failure. */
function failing(error) {
  failures.push(error);
  return { source: `throw ${SHARED}.failures[${failures.length - 1}];`, format: "module" };
}

// What only Bun has, for Node.
const HEAD =
  globalThis.Bun === undefined ? "import.meta.dir=import.meta.dirname;import.meta.path=import.meta.filename;" : "";

/** What hooks in another thread ask this one. */
const answers = {
  resolve: (parent, specifier) => {
    const target = ask("resolveImport", parent, specifier);
    return target.file === undefined ? addressOf(target, specifier) : pathToFileURL(target.file).href;
  },
  served: (address) => ({ source: servedSource(address), format: "module" }),
  source(path) {
    try {
      const { code, isModule, served } = ask("transform", path);
      // On the first line, so that the others stay where they are.
      const head = isModule && code.includes("import.meta.") ? HEAD : "";
      return { source: head + code, format: isModule ? "module" : "commonjs", served };
    } catch (error) {
      return failing(error);
    }
  },
};

// Runs in Node's thread for hooks, as text; it sees nothing of this file.
const HOOKS = `
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
let port;
let last = 0;
const waiting = new Map();
export function initialize(data) {
  port = data.port;
  port.on("message", ({ number, value, error }) => {
    const { resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) resolve(value); else reject(Object.assign(new Error(error.message), error));
  });
  port.unref();
}
const ask = (what, ...args) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  port.ref();
  port.postMessage({ number: last, what, args });
});
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!context.parentURL?.startsWith("file:") || specifier.startsWith("node:")) throw error;
    try {
      return { url: await ask("resolve", fileURLToPath(context.parentURL), specifier), shortCircuit: true };
    } catch {
      throw error;
    }
  }
}
export async function load(url, context, next) {
  const type = (context.importAttributes ?? context.importAssertions)?.type;
  if (url.startsWith("toolsmith:")) return { ...(await ask("served", url)), shortCircuit: true };
  if (url.startsWith("file:")) {
    const path = fileURLToPath(url);
    const asModule = (value) => ({ source: "export default " + JSON.stringify(value), format: "module", shortCircuit: true });
    if (type === "text") return asModule(await readFile(path, "utf8"));
    if (/\\.json$/.test(path) && type === undefined) return asModule(JSON.parse(await readFile(path, "utf8")));
    if (/\\.[mc]?tsx?$/.test(path) || (/\\.[mc]?js$/.test(path) && !path.includes("/node_modules/"))) {
      const found = await ask("source", path);
      if (found.format === "module") return { source: found.source, format: "module", shortCircuit: true };
      return next(url, { ...context, format: "commonjs" });
    }
  }
  return next(url, context);
}
`;

function installNodeHooks() {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", ({ number, what, args }) => {
    try {
      port1.postMessage({ number, value: answers[what](...args) });
    } catch (error) {
      port1.postMessage({ number, error: { ...error, message: String(error?.message ?? error) } });
    }
  });
  port1.unref();
  Module.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, {
    data: { port: port2 },
    transferList: [port2],
  });
  // For `require`.
  for (const extension of [".ts", ".cts", ".mts"]) {
    Module._extensions[extension] = (module, path) => module._compile(ask("transform", path, true).code, path);
  }
  const original = Module._resolveFilename;
  Module._resolveFilename = function (specifier, parent, ...rest) {
    try {
      return original.call(this, specifier, parent, ...rest);
    } catch (error) {
      const target = parent?.filename === undefined ? undefined : tryResolve(parent.filename, specifier);
      if (target === undefined) throw error;
      return target.file ?? `toolsmith:${target.builtin}`;
    }
  };
  const load = Module._load;
  Module._load = function (specifier, parent, ...rest) {
    const path =
      parent?.filename !== undefined && !Module.isBuiltin(specifier) ? Module._resolveFilename(specifier, parent) : "";
    return path.startsWith("toolsmith:")
      ? builtin(path.slice("toolsmith:".length))
      : load.call(this, specifier, parent, ...rest);
  };
}

function tryResolve(parent, specifier) {
  try {
    return ask("resolveImport", parent, specifier);
  } catch {
    return undefined;
  }
}

/** A CommonJS file as a module; Bun takes what a plugin gives for nothing else. */
const wrapped = (path, code) => {
  const names = `${JSON.stringify(path)}, ${JSON.stringify(dirname(path))}`;
  return (
    // On one line with the first of the file, so that the lines of errors are the author's.
    'import { createRequire } from "node:module"; const module = { exports: {} }; ' +
    `(function (exports, require, module, __filename, __dirname) { ${code}\n})` +
    `.call(module.exports, module.exports, createRequire(${JSON.stringify(path)}), module, ${names}); ` +
    "export default module.exports;"
  );
};

function installBunPlugin() {
  const registered = new Set();
  Bun.plugin({
    name: "toolsmith",
    setup(build) {
      // Files are read by the same compiler everywhere, so that a mistake is reported in the same words and places. It
      // also says what a file wants of the host; Bun asks nobody about packages it does not find.
      build.onLoad({ filter: /^(?!.*\/node_modules\/).*\.(?:m?js|[mc]?ts|[jt]sx)$/ }, ({ path }) => {
        const { source, format, served = {} } = answers.source(path);
        for (const [specifier, { builtin: name, names }] of Object.entries(served)) {
          if (registered.has(specifier)) continue;
          registered.add(specifier);
          build.module(specifier, () => ({ contents: standIn(name, specifier, names), loader: "js" }));
        }
        return { contents: format === "module" ? source : wrapped(path, source), loader: "js" };
      });
    },
  });
}

export function installLoader() {
  if (globalThis.Bun === undefined) installNodeHooks();
  else installBunPlugin();
}

/** What `import` is given for a path. */
export const importName = (path) => pathToFileURL(path).href;
