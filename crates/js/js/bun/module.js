// `import … from "bun"`: the names of Bun as exports.

import { Bun } from "toolsmith:bun/bun";

export { spawn, spawnSync } from "toolsmith:bun/process";
export { file, stderr, stdin, stdout, write } from "toolsmith:bun/file";
export { $, ShellError } from "toolsmith:bun/shell";
export { CryptoHasher, MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_256, hash } from "toolsmith:bun/hashing";
export { Glob } from "toolsmith:bun/glob";
export { deflateSync, gunzipSync, gzipSync, inflateSync } from "toolsmith:node/zlib";
export const {
  argv,
  concatArrayBuffers,
  cwd,
  deepEquals,
  env,
  escapeHTML,
  fetch,
  fileURLToPath,
  inspect,
  main,
  nanoseconds,
  pathToFileURL,
  randomUUIDv7,
  readableStreamToArray,
  readableStreamToArrayBuffer,
  readableStreamToBlob,
  readableStreamToBytes,
  readableStreamToJSON,
  readableStreamToText,
  revision,
  sleep,
  sleepSync,
  stringWidth,
  stripANSI,
  version,
  which,
} = Bun;
export { Bun };
export default Bun;
