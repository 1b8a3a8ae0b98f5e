// Copying whole trees, as a plan of requests.

import { systemError, toPath } from "toolsmith:node_parts/fs_arguments";
import { requests } from "toolsmith:node_parts/fs_requests";
import path from "toolsmith:node/path";
import { Buffer } from "toolsmith:node/buffer";
import { checkFunction, checkObject, coded } from "toolsmith:node_parts/arguments";

const ERRNO = { EINVAL: 22, EISDIR: 21, ENOTDIR: 20, EEXIST: 17 };

function refuse(code, message, name, words, path) {
  return systemError(code, message, { syscall: "cp", errno: ERRNO[name], name, words, path });
}

const text = (path) => {
  const given = toPath(path);
  return typeof given === "string" ? given : Buffer.from(given.bytes, "latin1").toString();
};

function* statOrNothing(path, follow) {
  try {
    return yield requests[follow ? "stat" : "lstat"](path, { bigint: true });
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

const same = (one, other) => one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;

function* copyFile(from, to, found, target, options) {
  if (target !== undefined) {
    if (options.force) yield requests.unlink(to);
    else if (options.errorOnExist)
      throw refuse("ERR_FS_CP_EEXIST", "Target already exists", "EEXIST", `${to} already exists`, to);
    else return;
  }
  yield requests.copyFile(from, to, options.mode);
  if (options.preserveTimestamps) yield requests.utimes(to, found.atime, found.mtime);
}

function* copyLink(from, to, target, options) {
  let points = yield requests.readlink(from);
  if (!options.verbatimSymlinks && !path.isAbsolute(points)) points = path.resolve(path.dirname(from), points);
  if (target !== undefined) {
    if (target.isDirectory() && !target.isSymbolicLink()) {
      throw refuse(
        "ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY",
        "Cannot overwrite symlink in subdirectory of self",
        "EINVAL",
        `cannot overwrite ${to} with ${points}`,
        to,
      );
    }
    if (!options.force && options.errorOnExist)
      throw refuse("ERR_FS_CP_EEXIST", "Target already exists", "EEXIST", `${to} already exists`, to);
    if (!options.force) return;
    yield requests.unlink(to);
  }
  yield requests.symlink(points, to);
}

function* copyFolder(from, to, found, target, options, above) {
  // With links followed, a folder may be inside itself.
  if (above.some((folder) => same(folder, found))) {
    throw coded(Error, "ELOOP", `ELOOP: too many symbolic links encountered, cp '${from}'`, {
      errno: -40,
      syscall: "cp",
      path: from,
    });
  }
  if (target === undefined) yield requests.mkdir(to, { recursive: true });
  for (const name of yield requests.readdir(from))
    yield* copy(path.join(from, name), path.join(to, name), options, [...above, found]);
  if (target === undefined) yield requests.chmod(to, Number(found.mode & 0o7777n));
  if (options.preserveTimestamps) yield requests.utimes(to, found.atime, found.mtime);
}

function* copy(from, to, options, above) {
  if (options.filter !== undefined && !(yield options.filter(from, to))) return;
  const found = yield requests[options.dereference ? "stat" : "lstat"](from, { bigint: true });
  const target = yield* statOrNothing(to, options.dereference);
  if (same(found, target))
    throw refuse("ERR_FS_CP_EINVAL", "Invalid src or dest", "EINVAL", "src and dest cannot be the same", to);
  if (target !== undefined && found.isDirectory() && !target.isDirectory()) {
    throw refuse(
      "ERR_FS_CP_DIR_TO_NON_DIR",
      "Cannot overwrite non-directory with directory",
      "EISDIR",
      `cannot overwrite non-directory ${to} with directory ${from}`,
      to,
    );
  }
  if (target !== undefined && !found.isDirectory() && target.isDirectory()) {
    throw refuse(
      "ERR_FS_CP_NON_DIR_TO_DIR",
      "Cannot overwrite directory with non-directory",
      "ENOTDIR",
      `cannot overwrite directory ${to} with non-directory ${from}`,
      to,
    );
  }
  if (found.isDirectory()) {
    if (!options.recursive)
      throw refuse(
        "ERR_FS_EISDIR",
        "Recursive option not enabled, cannot copy a directory",
        "EISDIR",
        `${from} is a directory (not copied)`,
        from,
      );
    yield* copyFolder(from, to, found, target, options, above);
  } else if (found.isSymbolicLink()) yield* copyLink(from, to, target, options);
  else if (found.isSocket())
    throw refuse("ERR_FS_CP_SOCKET", "Cannot copy a socket file", "EINVAL", `cannot copy a socket file: ${to}`, to);
  else if (found.isFIFO())
    throw refuse("ERR_FS_CP_FIFO_PIPE", "Cannot copy a FIFO pipe", "EINVAL", `cannot copy a FIFO pipe: ${to}`, to);
  else yield* copyFile(from, to, found, target, options);
}

/** The plan of one `cp`. */
export function* copyPlan(source, destination, given) {
  if (given !== undefined) checkObject(given, "options");
  const options = {
    force: true,
    recursive: false,
    errorOnExist: false,
    dereference: false,
    preserveTimestamps: false,
    verbatimSymlinks: false,
    mode: 0,
    ...given,
  };
  if (options.filter !== undefined) checkFunction(options.filter, "options.filter");
  const [from, to] = [text(source), text(destination)];
  const found = yield requests[options.dereference ? "stat" : "lstat"](from, { bigint: true });
  if (found.isDirectory() && options.recursive) {
    // Is the destination inside the source? Then there would be no end.
    for (let at = path.dirname(path.resolve(to)); ; at = path.dirname(at)) {
      if (same(yield* statOrNothing(at, true), found)) {
        throw refuse(
          "ERR_FS_CP_EINVAL",
          "Cannot copy to a subdirectory of self",
          "EINVAL",
          `cannot copy ${from} to a subdirectory of self ${to}`,
          to,
        );
      }
      if (at === "/") break;
    }
  }
  const parent = path.dirname(path.resolve(to));
  if ((yield* statOrNothing(parent, true)) === undefined) yield requests.mkdir(parent, { recursive: true });
  yield* copy(from, to, options, []);
}
