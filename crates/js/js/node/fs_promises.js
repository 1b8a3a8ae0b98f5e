// Node's `fs/promises`.

import { builtin } from "toolsmith:kernel";
import { coded } from "toolsmith:node_parts/arguments";
import { constants, toPath } from "toolsmith:node_parts/fs_arguments";
import { later, requests, runLater } from "toolsmith:node_parts/fs_requests";

const NAMES = [
  "access",
  "appendFile",
  "chmod",
  "chown",
  "copyFile",
  "lchown",
  "link",
  "lstat",
  "lutimes",
  "mkdir",
  "mkdtemp",
  "readFile",
  "readdir",
  "readlink",
  "rename",
  "rm",
  "rmdir",
  "stat",
  "statfs",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
];

const promises = { constants };
for (const name of NAMES) {
  // Wrong arguments reject too.
  promises[name] = async (...args) => later(requests[name](...args));
  Object.defineProperty(promises[name], "name", { value: name });
}

promises.lchmod = async () => {
  throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The lchmod() method is not implemented");
};

promises.realpath = async (path, options) => later(requests.realpathNative(path, options));

promises.open = async (path, flags, mode) => {
  const fd = await later(requests.open(path, flags, mode));
  return new (builtin("toolsmith:node_parts/fs_file_handle").FileHandle)(fd);
};

promises.writeFile = async (path, data, options) => {
  const isWhole = typeof data === "string" || ArrayBuffer.isView(data);
  if (
    isWhole ||
    (typeof data?.[Symbol.asyncIterator] !== "function" && typeof data?.[Symbol.iterator] !== "function")
  ) {
    return later(requests.writeFile(path, data, options));
  }
  const flag = (typeof options === "object" && options?.flag) || "w";
  const handle = await promises.open(path, flag, options?.mode);
  try {
    for await (const chunk of data) {
      options?.signal?.throwIfAborted();
      await handle.writeFile(chunk, options);
    }
  } finally {
    await handle.close();
  }
};

promises.opendir = async (path, options) => {
  const entries = await later(requests.opendir(path, options));
  return new (builtin("toolsmith:node_parts/fs_folder").Dir)(path, entries);
};

promises.cp = async (from, to, options) =>
  runLater(builtin("toolsmith:node_parts/fs_copy").copyPlan(from, to, options));

promises.watch = (path, options) => builtin("toolsmith:node_parts/fs_watch").watchLater(path, options);

promises.glob = async function* glob(pattern, options = {}) {
  const { globPlan } = builtin("toolsmith:node_parts/glob");
  const found = [];
  const cwd = options.cwd === undefined ? builtin("toolsmith:node/process").default.cwd() : toPath(options.cwd);
  await runLater(globPlan(requests, [pattern].flat(), { ...options, cwd }, (match) => void found.push(match)));
  yield* found;
};

export const {
  access,
  appendFile,
  chmod,
  chown,
  copyFile,
  cp,
  glob,
  lchmod,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  open,
  opendir,
  readFile,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  symlink,
  truncate,
  unlink,
  utimes,
  watch,
  writeFile,
} = promises;
export { constants };
export default promises;
