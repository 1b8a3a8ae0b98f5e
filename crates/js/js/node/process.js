// `process`: facts about where a tool runs. It cannot end the program.

import { host, logger } from "toolsmith:kernel";

const info = JSON.parse(host.systemInfo());
const started = host.now();
const listeners = new Map();
let folder = host.cwd();

function output(level) {
  return {
    isTTY: false,
    writable: true,
    columns: 80,
    rows: 24,
    fd: level === "error" ? 2 : 1,
    write(chunk, encoding, callback) {
      const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      if (text.trim() !== "") logger[level](text.replace(/\n$/, ""));
      const done = typeof encoding === "function" ? encoding : callback;
      if (typeof done === "function") queueMicrotask(() => done());
      return true;
    },
    end() {},
    on() {
      return this;
    },
    once() {
      return this;
    },
    off() {
      return this;
    },
    removeListener() {
      return this;
    },
    emit: () => false,
    getColorDepth: () => 1,
    hasColors: () => false,
    getWindowSize: () => [80, 24],
  };
}

const hrtime = (previous) => {
  const now = host.now();
  let seconds = Math.floor(now / 1000);
  let nanoseconds = Math.floor((now % 1000) * 1e6);
  if (previous !== undefined) {
    seconds -= previous[0];
    nanoseconds -= previous[1];
    if (nanoseconds < 0) {
      seconds -= 1;
      nanoseconds += 1e9;
    }
  }
  return [seconds, nanoseconds];
};
hrtime.bigint = () => BigInt(Math.floor(host.now() * 1e6));

const refuseExit = (what) => (code) => {
  throw new Error(`${what}(${code ?? ""}) was called by a tool; a tool cannot end the program it runs in`);
};

export const process = {
  env: JSON.parse(host.environment()),
  argv: ["node", "toolsmith"],
  argv0: "node",
  execArgv: [],
  execPath: info.execPath ?? "/usr/bin/node",
  pid: info.pid,
  ppid: 0,
  platform: info.platform,
  arch: info.arch,
  version: "v22.12.0",
  versions: { node: "22.12.0", toolsmith: info.version, modules: "127" },
  release: { name: "node" },
  title: "toolsmith",
  exitCode: undefined,
  features: { inspector: false, debug: false, uv: false, ipv6: true, tls: true },
  config: { target_defaults: {}, variables: {} },
  report: undefined,
  stdout: output("info"),
  stderr: output("error"),
  stdin: { isTTY: false, fd: 0, on() { return this; }, once() { return this; }, off() { return this; }, resume() { return this; }, pause() { return this; }, setEncoding() { return this; }, async *[Symbol.asyncIterator]() {} },
  cwd: () => folder,
  chdir(path) {
    folder = new URL(String(path), `file://${folder}/`).pathname;
  },
  exit: refuseExit("process.exit"),
  reallyExit: refuseExit("process.reallyExit"),
  abort: refuseExit("process.abort"),
  uptime: () => (host.now() - started) / 1000,
  hrtime,
  nextTick(callback, ...args) {
    if (typeof callback !== "function") throw Object.assign(new TypeError('The "callback" argument must be of type function.'), { code: "ERR_INVALID_ARG_TYPE" });
    queueMicrotask(() => callback(...args));
  },
  memoryUsage: Object.assign(() => ({ rss: host.memoryUse(), heapTotal: host.memoryUse(), heapUsed: host.memoryUse(), external: 0, arrayBuffers: 0 }), { rss: () => host.memoryUse() }),
  cpuUsage: () => ({ user: Math.floor(host.now() * 1000), system: 0 }),
  resourceUsage: () => ({ maxRSS: 0, userCPUTime: 0, systemCPUTime: 0 }),
  emitWarning: (warning, type) => logger.warn(String(warning?.message ?? warning), type === undefined ? undefined : { type: String(type?.type ?? type) }),
  umask: () => 0o022,
  getuid: () => host.userIds()[0],
  geteuid: () => host.userIds()[0],
  getgid: () => host.userIds()[1],
  getegid: () => host.userIds()[1],
  getgroups: () => [],
  binding() {
    throw new Error("process.binding is not available in Toolsmith");
  },
  getBuiltinModule: () => undefined,
  on(name, listener) {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(listener);
    return this;
  },
  off(name, listener) {
    listeners.set(name, (listeners.get(name) ?? []).filter((known) => known !== listener));
    return this;
  },
  emit(name, ...args) {
    const list = listeners.get(name) ?? [];
    for (const listener of [...list]) listener.apply(this, args);
    return list.length > 0;
  },
  listeners: (name) => [...(listeners.get(name) ?? [])],
  listenerCount: (name) => (listeners.get(name) ?? []).length,
  eventNames: () => [...listeners.keys()],
  removeAllListeners(name) {
    if (name === undefined) listeners.clear();
    else listeners.delete(name);
    return this;
  },
  setMaxListeners() {
    return this;
  },
  getMaxListeners: () => 10,
  get [Symbol.toStringTag]() {
    return "process";
  },
};
process.addListener = process.on;
process.prependListener = process.on;
process.removeListener = process.off;
process.once = function (name, listener) {
  const wrapped = (...args) => {
    process.off(name, wrapped);
    listener(...args);
  };
  return process.on(name, wrapped);
};

export const { env, argv, argv0, execArgv, execPath, pid, ppid, platform, arch, version, versions, release, title, stdout, stderr, stdin } = process;
export const { cwd, chdir, exit, uptime, nextTick, memoryUsage, cpuUsage, emitWarning, umask, on, off, once, emit } = process;
export { hrtime };
export default process;
