// Node's `path`: that of the system, and both kinds by name.

import { builtin } from "toolsmith:kernel";
import { isWindows } from "toolsmith:node_parts/file_url";
import { posix } from "toolsmith:node_parts/path_posix";
import { win32 } from "toolsmith:node_parts/path_win32";

for (const kind of [posix, win32]) {
  kind.matchesGlob = (path, pattern) => builtin("toolsmith:node_parts/glob").matches(path, pattern, kind.sep);
  kind._makeLong = kind.toNamespacedPath;
  kind.posix = posix;
  kind.win32 = win32;
}

const path = isWindows() ? win32 : posix;

export const {
  sep,
  delimiter,
  resolve,
  normalize,
  isAbsolute,
  join,
  relative,
  toNamespacedPath,
  dirname,
  basename,
  extname,
  format,
  parse,
  matchesGlob,
  _makeLong,
} = path;
export { posix, win32 };
export default path;
