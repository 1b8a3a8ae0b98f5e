// The functions the Rust side offers, taken off the global object before anything else can see them.

export const host = globalThis.__toolsmith;
delete globalThis.__toolsmith;

const loaded = new Map();

/** Loads a built-in module at once and gives its exports. */
export function builtin(name) {
  let exports = loaded.get(name);
  if (exports === undefined) {
    exports = host.loadBuiltin(name);
    loaded.set(name, exports);
  }
  return exports;
}

/** Whether a built-in module was loaded; what it would say is not worth loading it for. */
export const isLoaded = (name) => loaded.has(name);
