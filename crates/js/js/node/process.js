// `process`: facts about where a tool runs. It cannot end the program.

import { builtin, currentFrame, host, logger, within } from "toolsmith:kernel";
import { checkFunction, checkObject, coded, invalidArgType } from "toolsmith:node_parts/arguments";
import { EventEmitter } from "toolsmith:node/events";

const info = JSON.parse(host.systemInfo());
const started = host.now();

/** Standard output and error: they go to the log. */
class Output extends EventEmitter {
  isTTY = false;
  writable = true;
  writableEnded = false;
  writableFinished = false;
  writableNeedDrain = false;
  destroyed = false;
  columns = 80;
  rows = 24;
  #level;
  constructor(level, fd) {
    super();
    this.#level = level;
    this.fd = fd;
  }
  write(chunk, encoding, callback) {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array))
      throw invalidArgType("chunk", ["string", "Buffer", "Uint8Array"], chunk);
    const text = typeof chunk === "string" ? chunk : host.utf8Decode(chunk, false);
    if (text.trim() !== "") host.log(this.#level, text.replace(/\n$/, ""), "console");
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") process.nextTick(() => done());
    return true;
  }
  // It stays open for whatever is written next.
  end(chunk, encoding, callback) {
    const done = [chunk, encoding, callback].find((value) => typeof value === "function");
    if (typeof chunk === "string" || chunk instanceof Uint8Array) this.write(chunk);
    process.nextTick(() => {
      this.emit("finish");
      done?.();
    });
    return this;
  }
  cork() {}
  uncork() {}
  setDefaultEncoding() {
    return this;
  }
  destroy() {
    return this;
  }
  getColorDepth() {
    return 1;
  }
  hasColors() {
    return false;
  }
  getWindowSize() {
    return [80, 24];
  }
  clearLine(_direction, callback) {
    callback?.();
    return true;
  }
  cursorTo(_x, y, callback) {
    (typeof y === "function" ? y : callback)?.();
    return true;
  }
  moveCursor(_dx, _dy, callback) {
    callback?.();
    return true;
  }
  clearScreenDown(callback) {
    callback?.();
    return true;
  }
}

const hrtime = (previous) => {
  const now = host.elapsed();
  let seconds = Math.floor(now / 1000);
  let nanoseconds = Math.floor((now % 1000) * 1e6);
  if (previous !== undefined) {
    if (!Array.isArray(previous)) throw invalidArgType("time", "Array", previous);
    seconds -= previous[0];
    nanoseconds -= previous[1];
    if (nanoseconds < 0) {
      seconds -= 1;
      nanoseconds += 1e9;
    }
  }
  return [seconds, nanoseconds];
};
hrtime.bigint = () => BigInt(Math.floor(host.elapsed() * 1e6));

const refuseExit = (what) => (code) => {
  throw new Error(`${what}(${code ?? ""}) was called by a tool; a tool cannot exit the host program`);
};

// Callbacks of `nextTick` run before anything else that waits, once what runs now is done with its promises.
let ticks = [];

/** Called by the Rust side. */
export function runTicks() {
  while (ticks.length > 0) {
    const batch = ticks;
    ticks = [];
    for (const [index, [callback, args, frame]] of batch.entries()) {
      try {
        within(frame, callback, undefined, args);
      } catch (error) {
        ticks = [...batch.slice(index + 1), ...ticks];
        if (ticks.length > 0) host.ticksWait();
        throw error;
      }
    }
  }
}

/** The variables, read when the first one is asked for: a module that only imports `process` does not depend on them. */
let isFilled = false;
const filled = (target) => {
  if (!isFilled) {
    isFilled = true;
    Object.assign(target, JSON.parse(host.environment()));
  }
  return target;
};

/** A variable as it is written in the environment: Windows finds `Path` by `PATH`. */
function written(target, name) {
  if (info.platform !== "win32" || typeof name !== "string" || Object.hasOwn(filled(target), name)) return name;
  const folded = name.toUpperCase();
  return Object.keys(target).find((key) => key.toUpperCase() === folded) ?? name;
}

/** Values of the environment are text, whatever they are set to. */
const environment = new Proxy(
  {},
  {
    get: (target, name) => filled(target)[written(target, name)],
    has: (target, name) => written(target, name) in filled(target),
    ownKeys: (target) => Reflect.ownKeys(filled(target)),
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(filled(target), written(target, name)),
    deleteProperty: (target, name) => Reflect.deleteProperty(filled(target), written(target, name)),
    set(target, given, value) {
      filled(target);
      const name = written(target, given);
      if (typeof name === "symbol" || typeof value === "symbol")
        throw new TypeError("Cannot convert a Symbol value to a string");
      target[name] = String(value);
      return true;
    },
    defineProperty(target, name, { value, configurable, writable, enumerable, get, set }) {
      filled(target);
      if (get !== undefined || set !== undefined)
        throw coded(
          TypeError,
          "ERR_INVALID_OBJECT_DEFINE_PROPERTY",
          "'process.env' does not accept an accessor(getter/setter) descriptor",
        );
      if (!configurable || !writable || !enumerable)
        throw coded(
          TypeError,
          "ERR_INVALID_OBJECT_DEFINE_PROPERTY",
          "'process.env' only accepts a configurable, writable, and enumerable data descriptor",
        );
      target[name] = String(value);
      return true;
    },
  },
);

/**
 * The same in a runtime that can be recorded: each variable is asked for when it is read, so that a recording has the ones
 * that were used.
 */
function recordedEnvironment() {
  const changed = new Map();
  const read = (name) => (changed.has(name) ? changed.get(name) : host.variable(name));
  const names = () => {
    const own = new Set(JSON.parse(host.variableNames()));
    for (const [name, value] of changed) value === undefined ? own.delete(name) : own.add(name);
    return [...own];
  };
  const isText = (name) => typeof name === "string";
  return new Proxy(
    {},
    {
      get: (_, name) => (isText(name) ? read(name) : undefined),
      has: (_, name) => isText(name) && read(name) !== undefined,
      ownKeys: names,
      getOwnPropertyDescriptor(_, name) {
        const value = isText(name) ? read(name) : undefined;
        return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
      },
      deleteProperty: (_, name) => (changed.set(name, undefined), true),
      set: (_, name, value) => (changed.set(name, String(value)), true),
      defineProperty: (_, name, { value }) => (changed.set(name, String(value)), true),
    },
  );
}

const userIds = () => host.userIds();

function memoryUsage() {
  const used = host.memoryUse();
  return { rss: used, heapTotal: used, heapUsed: used, external: 0, arrayBuffers: 0 };
}
memoryUsage.rss = () => host.memoryUse();

const signalNumbers = () => JSON.parse(host.machine("signals"));

const members = {
  env: host.isRecordable ? recordedEnvironment() : environment,
  argv: ["node", "toolsmith"],
  argv0: "node",
  execArgv: [],
  execPath: info.execPath ?? "/usr/bin/node",
  platform: info.platform,
  arch: info.arch,
  version: "v22.12.0",
  versions: { node: "22.12.0", toolsmith: info.version, modules: "127" },
  release: { name: "node", lts: "Jod" },
  title: "toolsmith",
  exitCode: undefined,
  features: {
    inspector: false,
    debug: false,
    uv: false,
    ipv6: true,
    tls_alpn: true,
    tls_sni: true,
    tls_ocsp: true,
    tls: true,
    typescript: "transform",
  },
  config: { target_defaults: {}, variables: {} },
  report: undefined,
  debugPort: 9229,
  allowedNodeEnvironmentFlags: new Set(),
  cwd: () => host.cwd(),
  chdir(path) {
    if (typeof path !== "string") throw invalidArgType("directory", "string", path);
    host.setCwd(host.fsNow("chdir", JSON.stringify({ path }), undefined));
  },
  exit: refuseExit("process.exit"),
  reallyExit: refuseExit("process.reallyExit"),
  abort: refuseExit("process.abort"),
  uptime: () => (host.elapsed() - started) / 1000,
  hrtime,
  nextTick(callback, ...args) {
    checkFunction(callback, "callback");
    if (ticks.length === 0) host.ticksWait();
    ticks.push([callback, args, currentFrame()]);
  },
  memoryUsage,
  constrainedMemory: () => host.memoryUse() + host.memoryLeft(),
  availableMemory: () => host.memoryLeft(),
  cpuUsage(previous) {
    if (previous !== undefined) checkObject(previous, "prevValue");
    const user = Math.floor(host.now() * 1000);
    return { user: user - (previous?.user ?? 0), system: 0 };
  },
  resourceUsage: () => ({
    userCPUTime: Math.floor(host.now() * 1000),
    systemCPUTime: 0,
    maxRSS: Math.floor(host.memoryUse() / 1024),
    sharedMemorySize: 0,
    unsharedDataSize: 0,
    unsharedStackSize: 0,
    minorPageFault: 0,
    majorPageFault: 0,
    swappedOut: 0,
    fsRead: 0,
    fsWrite: 0,
    ipcSent: 0,
    ipcReceived: 0,
    signalsCount: 0,
    voluntaryContextSwitches: 0,
    involuntaryContextSwitches: 0,
  }),
  emitWarning(warning, type, code) {
    const options = typeof type === "object" && type !== null ? type : { type, code };
    const error =
      warning instanceof Error
        ? warning
        : Object.assign(new Error(String(warning)), { name: String(options.type ?? "Warning") });
    if (typeof options.code === "string") error.code = options.code;
    if (options.detail !== undefined) error.detail = options.detail;
    logger.warn(`${error.name}: ${error.message}`);
    process.nextTick(() => process.emit("warning", error));
  },
  umask(mask) {
    if (mask !== undefined)
      throw new Error("process.umask() was called by a tool to change it; it belongs to the program the tool runs in");
    return JSON.parse(host.machine("umask"));
  },
  getuid: () => userIds()[0],
  geteuid: () => userIds()[0],
  getgid: () => userIds()[1],
  getegid: () => userIds()[1],
  getgroups: () => [userIds()[1]],
  kill(pid, signal = "SIGTERM") {
    if (pid != (pid | 0)) throw invalidArgType("pid", "number", pid);
    const number = typeof signal === "number" ? signal : signalNumbers()[signal];
    if (number === undefined) throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${signal}`);
    host.kill(Number(pid), number);
    return true;
  },
  getBuiltinModule(name) {
    const { isBuiltin } = builtin("toolsmith:node/module");
    if (!isBuiltin(name)) return undefined;
    try {
      const exports = builtin(`toolsmith:node/${name.replace(/^node:/, "").replaceAll("/", "_")}`);
      return exports.default ?? exports;
    } catch {
      return undefined;
    }
  },
  loadEnvFile(path = ".env") {
    const text = host.fsNow("readFile", JSON.stringify({ path: String(path), text: true }), undefined);
    for (const [name, value] of Object.entries(builtin("toolsmith:node/util").parseEnv(text)))
      if (!(name in environment)) environment[name] = value;
  },
  getActiveResourcesInfo: () => [],
  hasUncaughtExceptionCaptureCallback: () => false,
  setUncaughtExceptionCaptureCallback() {},
  setSourceMapsEnabled() {},
  ref() {},
  unref() {},
  stdout: new Output("info", 1),
  stderr: new Output("error", 2),
};

const kind = Object.create(EventEmitter.prototype, {
  constructor: {
    value: Object.defineProperty(function () {}, "name", { value: "process" }),
    writable: true,
    configurable: true,
  },
  [Symbol.toStringTag]: { value: "process", configurable: true },
});

export const process = Object.assign(Object.create(kind), members);
EventEmitter.call(process);
for (const name of ["_events", "_eventsCount", "_maxListeners"])
  Object.defineProperty(process, name, { enumerable: false });

function lazily(name, make) {
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: true });
      return value;
    },
  });
}
// A module that reads these while it is loaded depends on its surroundings.
lazily("pid", () => JSON.parse(host.machine("processes")).own);
lazily("ppid", () => JSON.parse(host.machine("processes")).parent);
lazily("stdin", () => {
  const { Readable } = builtin("toolsmith:node/stream");
  return Object.assign(Readable.from([], { objectMode: false }), {
    isTTY: false,
    fd: 0,
    isRaw: false,
    setRawMode() {
      return this;
    },
  });
});

/** Standard input under its name alone, made when it is used. */
export const stdin = new Proxy(
  {},
  {
    get(_, name) {
      const value = process.stdin[name];
      return typeof value === "function" ? value.bind(process.stdin) : value;
    },
    has: (_, name) => name in process.stdin,
  },
);

export const {
  env,
  argv,
  argv0,
  execArgv,
  execPath,
  platform,
  arch,
  version,
  versions,
  release,
  title,
  stdout,
  stderr,
  features,
  config,
  report,
  cwd,
  chdir,
  exit,
  abort,
  uptime,
  nextTick,
  constrainedMemory,
  availableMemory,
  cpuUsage,
  resourceUsage,
  emitWarning,
  umask,
  getuid,
  geteuid,
  getgid,
  getegid,
  getgroups,
  kill,
  getBuiltinModule,
  loadEnvFile,
  exitCode,
  allowedNodeEnvironmentFlags,
} = process;
// Exports are made for whoever imports anything of this module, so reading them is not noticed.
export const pid = info.pid;
export const ppid = JSON.parse(host.machine("parent"));
const bound =
  (name) =>
  (...args) =>
    process[name](...args);
export const [on, off, once, emit, addListener, removeListener, removeAllListeners, listeners, listenerCount] = [
  "on",
  "off",
  "once",
  "emit",
  "addListener",
  "removeListener",
  "removeAllListeners",
  "listeners",
  "listenerCount",
].map(bound);
export { hrtime, memoryUsage };
export default process;
