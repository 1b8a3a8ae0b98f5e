// Paths with slashes, whatever the system.

import { posix } from "toolsmith:node/path";

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
} = posix;
export { posix };
export const { win32 } = posix;
export default posix;
