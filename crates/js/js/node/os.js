// Node's `os`.

import { host } from "toolsmith:kernel";
import { absentAll } from "toolsmith:node_parts/absent";
import { coded } from "toolsmith:node_parts/arguments";

const info = JSON.parse(host.systemInfo());
const ask = (what) => JSON.parse(host.machine(what));

const isWindows = info.platform === "win32";
export const EOL = isWindows ? "\r\n" : "\n";
export const devNull = isWindows ? "\\\\.\\nul" : "/dev/null";
export const arch = () => info.arch;
export const platform = () => info.platform;
export const endianness = () => (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? "LE" : "BE");
export const hostname = () => ask("names").hostname;
export const release = () => ask("names").release;
export const type = () => ask("names").type;
export const version = () => ask("names").version;
export const machine = () => ask("names").machine;
export const uptime = () => ask("uptime");
export const loadavg = () => ask("load");
export const totalmem = () => ask("memory")[0];
export const freemem = () => ask("memory")[1];
export const availableParallelism = () => ask("parallelism");
export const cpus = () => ask("processors");
export const networkInterfaces = () => ask("interfaces");
export const { setPriority } = absentAll("os", ["setPriority"]);
export const getPriority = () => ask("priority");

const environment = () => globalThis.process.env;
export const homedir = () => (isWindows ? environment().USERPROFILE : environment().HOME) || ask("user").homedir;
export function tmpdir() {
  if (isWindows) {
    const { TEMP, TMP, SystemRoot } = environment();
    const found = TEMP || TMP || `${SystemRoot || "C:\\Windows"}\\temp`;
    return found.length > 3 && found.endsWith("\\") ? found.slice(0, -1) : found;
  }
  const { TMPDIR, TMP, TEMP } = environment();
  const found = TMPDIR || TMP || TEMP || "/tmp";
  return found.length > 1 && found.endsWith("/") ? found.slice(0, -1) : found;
}
export function userInfo(options) {
  const found = ask("user");
  if (found === null)
    throw coded(
      Error,
      "ERR_SYSTEM_ERROR",
      "A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)",
    );
  if (options?.encoding !== "buffer") return found;
  const bytes = (text) => globalThis.Buffer.from(text);
  return { ...found, username: bytes(found.username), homedir: bytes(found.homedir), shell: bytes(found.shell) };
}

const errno = Object.fromEntries(
  Object.entries(JSON.parse(host.errorNumbers())).map(([name, [number]]) => [name, number]),
);
export const constants = Object.freeze({
  UV_UDP_REUSEADDR: 4,
  dlopen: Object.freeze({ RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0 }),
  errno: Object.freeze(errno),
  signals: Object.freeze(ask("signals")),
  priority: Object.freeze({
    PRIORITY_LOW: 19,
    PRIORITY_BELOW_NORMAL: 10,
    PRIORITY_NORMAL: 0,
    PRIORITY_ABOVE_NORMAL: -7,
    PRIORITY_HIGH: -14,
    PRIORITY_HIGHEST: -20,
  }),
});

const os = {
  EOL,
  devNull,
  arch,
  platform,
  endianness,
  hostname,
  release,
  type,
  version,
  machine,
  uptime,
  loadavg,
  totalmem,
  freemem,
  availableParallelism,
  cpus,
  networkInterfaces,
  setPriority,
  getPriority,
  homedir,
  tmpdir,
  userInfo,
  constants,
};
for (const name of [
  "arch",
  "platform",
  "endianness",
  "hostname",
  "release",
  "type",
  "version",
  "machine",
  "homedir",
  "tmpdir",
  "uptime",
  "totalmem",
  "freemem",
  "availableParallelism",
]) {
  Object.defineProperty(os[name], Symbol.toPrimitive, { value: () => os[name]() });
}
export default os;
