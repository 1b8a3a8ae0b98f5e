// Watching files: what the system reports, and looking from time to time.

import { builtin, host, operation } from "toolsmith:kernel";
import { abortError, checkFunction, checkSignal } from "toolsmith:node_parts/arguments";
import { fromName, toOptions, toPath } from "toolsmith:node_parts/fs_arguments";
import { later, requests } from "toolsmith:node_parts/fs_requests";
import { noStats } from "toolsmith:node_parts/fs_stats";
import { EventEmitter } from "toolsmith:node/events";

/** Changes of a path, handed to `hear` until it is stopped; gives what stops it. */
function follow(path, { encoding, recursive }, hear) {
  const id = host.watchStart(JSON.stringify(path), recursive === true, encoding === "buffer");
  const controller = new AbortController();
  let running = true;
  const stop = () => {
    if (!running) return;
    running = false;
    controller.abort();
    host.watchStop(id);
  };
  const listen = async () => {
    while (running) {
      const batch = await operation((number) => host.watchNext(number, id), controller.signal);
      if (!running || batch === undefined) return;
      for (const [kind, name] of JSON.parse(batch)) if (running) hear(kind, fromName(name, encoding));
    }
  };
  listen();
  return stop;
}

export class FSWatcher extends EventEmitter {
  #stop;

  start(path, options) {
    this.#stop = follow(path, options, (kind, name) => this.emit("change", kind, name));
    return this;
  }
  close() {
    if (this.#stop === undefined) return;
    this.#stop();
    this.#stop = undefined;
    builtin("toolsmith:node/process").default.nextTick(() => this.emit("close"));
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

export function watch(path, options, listener) {
  const given = toPath(path, "filename");
  const heard = typeof options === "function" ? options : listener;
  const { signal, ...rest } = toOptions(options, { persistent: true, recursive: false, encoding: "utf8" });
  if (heard !== undefined) checkFunction(heard, "listener");
  checkSignal(signal);
  const watcher = new FSWatcher().start(given, rest);
  if (heard !== undefined) watcher.on("change", heard);
  if (signal?.aborted) watcher.close();
  else signal?.addEventListener("abort", () => watcher.close(), { once: true });
  return watcher;
}

/** The changes as they come, to be read in a loop. */
export async function* watchLater(path, options) {
  const given = toPath(path, "filename");
  const { signal, ...rest } = toOptions(options, { persistent: true, recursive: false, encoding: "utf8" });
  checkSignal(signal);
  if (signal?.aborted) throw abortError(signal);
  const ready = [];
  let wake = () => {};
  const stop = follow(given, rest, (eventType, filename) => {
    ready.push({ eventType, filename });
    wake();
  });
  const aborted = () => wake();
  signal?.addEventListener("abort", aborted);
  try {
    for (;;) {
      if (signal?.aborted) throw abortError(signal);
      if (ready.length > 0) yield ready.shift();
      else
        await new Promise((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal?.removeEventListener("abort", aborted);
    stop();
  }
}

const watched = new Map();

class StatWatcher extends EventEmitter {
  start(path, interval, big) {
    const look = () => later(requests.stat(path, { bigint: big })).catch(() => noStats(big));
    let before;
    const compare = async () => {
      const found = await look();
      if (!watched.has(path)) return;
      const first = before === undefined;
      const changed =
        !first &&
        (found.mtimeMs !== before.mtimeMs ||
          found.ctimeMs !== before.ctimeMs ||
          found.size !== before.size ||
          found.ino !== before.ino);
      const previous = before;
      before = found;
      // A file that is not there is told at once; otherwise only what changes.
      if (changed) this.emit("change", found, previous);
      else if (first && Number(found.ino) === 0) this.emit("change", found, found);
    };
    compare();
    this.timer = setInterval(compare, interval);
    return this;
  }
  stop() {
    clearInterval(this.timer);
    this.emit("stop");
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

export function watchFile(file, options, listener) {
  const path = builtin("toolsmith:node/path").resolve(String(toPath(file)));
  const heard = typeof options === "function" ? options : listener;
  checkFunction(heard, "listener");
  const { interval = 5007, bigint = false } = typeof options === "object" && options !== null ? options : {};
  let watcher = watched.get(path);
  if (watcher === undefined) {
    watcher = new StatWatcher();
    watched.set(path, watcher);
    watcher.start(path, interval, bigint);
  }
  watcher.addListener("change", heard);
  return watcher;
}

export function unwatchFile(file, listener) {
  const path = builtin("toolsmith:node/path").resolve(String(toPath(file)));
  const watcher = watched.get(path);
  if (watcher === undefined) return;
  if (listener !== undefined) watcher.removeListener("change", listener);
  else watcher.removeAllListeners("change");
  if (watcher.listenerCount("change") > 0) return;
  watched.delete(path);
  watcher.stop();
}
