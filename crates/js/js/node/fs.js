// Node's `fs`: each function at once, with a callback, and (in `promises`) as a promise. What few tools use is loaded when
// it is used.

import { builtin } from "toolsmith:kernel";
import { constants, toPath } from "toolsmith:node_parts/fs_arguments";
import { later, now, requests, runLater, runNow, withCallback } from "toolsmith:node_parts/fs_requests";
import { Dirent, Stats } from "toolsmith:node_parts/fs_stats";
import promises from "toolsmith:node/fs_promises";

const NAMES = [
  "access",
  "appendFile",
  "chmod",
  "chown",
  "close",
  "copyFile",
  "fchmod",
  "fchown",
  "fdatasync",
  "fstat",
  "fsync",
  "ftruncate",
  "futimes",
  "lchown",
  "link",
  "lstat",
  "lutimes",
  "mkdir",
  "mkdtemp",
  "open",
  "readFile",
  "readdir",
  "readlink",
  "realpath",
  "rename",
  "rm",
  "rmdir",
  "stat",
  "statfs",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
  "writeFile",
];
/** What is not there is an answer too, where the options say so. */
const MAY_BE_MISSING = new Set(["stat", "lstat"]);
const customPromise = Symbol.for("nodejs.util.promisify.custom");

const streams = () => builtin("toolsmith:node_parts/fs_streams");
const watching = () => builtin("toolsmith:node_parts/fs_watch");

/** A class that is loaded when it is first used. */
function lazyClass(load) {
  return new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(load(), self, args),
    construct: (_, args, target) =>
      Reflect.construct(
        load(),
        args,
        typeof target === "function" && target.prototype instanceof load() ? target : load(),
      ),
    get: (_, name) => load()[name],
    has: (_, name) => name in load(),
    getPrototypeOf: () => Object.getPrototypeOf(load()),
  });
}

const fs = {
  constants,
  Dirent,
  Stats,
  promises,
  F_OK: constants.F_OK,
  R_OK: constants.R_OK,
  W_OK: constants.W_OK,
  X_OK: constants.X_OK,
};

function name(value, text) {
  Object.defineProperty(value, "name", { value: text });
  return value;
}

for (const op of NAMES) {
  const make = requests[op];
  fs[op] = name(
    withCallback((...args) => later(make(...args))),
    op,
  );
  fs[`${op}Sync`] = name(
    MAY_BE_MISSING.has(op)
      ? (path, options) => {
          if (options?.throwIfNoEntry !== false) return now(make(path, options));
          try {
            return now(make(path, options));
          } catch (error) {
            if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
            throw error;
          }
        }
      : (...args) => now(make(...args)),
    `${op}Sync`,
  );
}
fs.realpath.native = withCallback((...args) => later(requests.realpathNative(...args)));
fs.realpathSync.native = (path, options) => now(requests.realpathNative(path, options));

fs.existsSync = function existsSync(path) {
  try {
    return now(requests.exists(path));
  } catch {
    return false;
  }
};
fs.exists = function exists(path, callback) {
  withCallback(async () => fs.existsSync(path))((_, answer) => callback(answer));
};
fs.exists[customPromise] = async (path) => fs.existsSync(path);

for (const [op, count, rest] of [
  ["read", "bytesRead", "buffer"],
  ["write", "bytesWritten", "buffer"],
  ["readv", "bytesRead", "buffers"],
  ["writev", "bytesWritten", "buffers"],
]) {
  const make = requests[op];
  fs[op] = name(
    withCallback(
      (...args) => later(make(...args)),
      (value) => [value[count], value[rest]],
    ),
    op,
  );
  fs[op][customPromise] = async (...args) => later(make(...args));
  fs[`${op}Sync`] = name((...args) => now(make(...args))[count], `${op}Sync`);
}

fs.opendirSync = (path, options) =>
  new (builtin("toolsmith:node_parts/fs_folder").Dir)(path, now(requests.opendir(path, options)));
fs.opendir = withCallback(promises.opendir);
fs.cpSync = (from, to, options) => void runNow(builtin("toolsmith:node_parts/fs_copy").copyPlan(from, to, options));
fs.cp = withCallback((from, to, options) =>
  runLater(builtin("toolsmith:node_parts/fs_copy").copyPlan(from, to, options)),
);

fs.globSync = function globSync(pattern, options = {}) {
  const found = [];
  const cwd = options.cwd === undefined ? builtin("toolsmith:node/process").default.cwd() : toPath(options.cwd);
  runNow(
    builtin("toolsmith:node_parts/glob").globPlan(
      requests,
      [pattern].flat(),
      { ...options, cwd },
      (match) => void found.push(match),
    ),
  );
  return found;
};
fs.glob = withCallback(async (pattern, options) => Array.fromAsync(promises.glob(pattern, options)));

fs.createReadStream = (path, options) => new (streams().ReadStream)(path, options);
fs.createWriteStream = (path, options) => new (streams().WriteStream)(path, options);
fs.ReadStream = lazyClass(() => streams().ReadStream);
fs.WriteStream = lazyClass(() => streams().WriteStream);
fs.FileReadStream = fs.ReadStream;
fs.FileWriteStream = fs.WriteStream;
fs.Dir = lazyClass(() => builtin("toolsmith:node_parts/fs_folder").Dir);
fs.FSWatcher = lazyClass(() => watching().FSWatcher);
fs.watch = (path, options, listener) => watching().watch(path, options, listener);
fs.watchFile = (path, options, listener) => watching().watchFile(path, options, listener);
fs.unwatchFile = (path, listener) => watching().unwatchFile(path, listener);
fs.openAsBlob = async (path, options) => new Blob([await promises.readFile(path)], options);
fs._toUnixTimestamp = (time) => (time instanceof Date ? time.getTime() / 1000 : Number(time));

export const {
  access,
  accessSync,
  appendFile,
  appendFileSync,
  chmod,
  chmodSync,
  chown,
  chownSync,
  close,
  closeSync,
  copyFile,
  copyFileSync,
  cp,
  cpSync,
  createReadStream,
  createWriteStream,
  exists,
  existsSync,
  fchmod,
  fchmodSync,
  fchown,
  fchownSync,
  fdatasync,
  fdatasyncSync,
  fstat,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncate,
  ftruncateSync,
  futimes,
  futimesSync,
  glob,
  globSync,
  lchown,
  lchownSync,
  link,
  linkSync,
  lstat,
  lstatSync,
  lutimes,
  lutimesSync,
  mkdir,
  mkdirSync,
  mkdtemp,
  mkdtempSync,
  open,
  openAsBlob,
  openSync,
  opendir,
  opendirSync,
  read,
  readFile,
  readFileSync,
  readSync,
  readdir,
  readdirSync,
  readlink,
  readlinkSync,
  readv,
  readvSync,
  realpath,
  realpathSync,
  rename,
  renameSync,
  rm,
  rmSync,
  rmdir,
  rmdirSync,
  stat,
  statSync,
  statfs,
  statfsSync,
  symlink,
  symlinkSync,
  truncate,
  truncateSync,
  unlink,
  unlinkSync,
  unwatchFile,
  utimes,
  utimesSync,
  watch,
  watchFile,
  write,
  writeFile,
  writeFileSync,
  writeSync,
  writev,
  writevSync,
  Dir,
  FSWatcher,
  FileReadStream,
  FileWriteStream,
  ReadStream,
  WriteStream,
  F_OK,
  R_OK,
  W_OK,
  X_OK,
  _toUnixTimestamp,
} = fs;
export { Dirent, Stats, constants, promises };
export default fs;
