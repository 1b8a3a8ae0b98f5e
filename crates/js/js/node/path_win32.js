// Paths with backslashes, whatever the system.

import { win32 } from "toolsmith:node/path";

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
} = win32;
export { win32 };
export const { posix } = win32;
export default win32;
