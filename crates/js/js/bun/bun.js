// Bun, as far as tools use it. Parts are loaded when they are touched; a member nobody knows is undefined.

import { builtin, host } from "toolsmith:kernel";
import process from "toolsmith:node/process";

const members = {
  version: "1.3.0",
  revision: "toolsmith",
  main: "",
  get env() {
    return process.env;
  },
  get argv() {
    return process.argv;
  },
  get cwd() {
    return process.cwd();
  },
  sleep: (time) => new Promise((resolve) => setTimeout(resolve, time instanceof Date ? time - Date.now() : time)),
  sleepSync: (time) => builtin("toolsmith:node_parts/processes").sleepNow(Number(time)),
  nanoseconds: () => Math.floor(host.elapsed() * 1e6),
  inspect: (value, options) => builtin("toolsmith:web/inspect").inspect(value, options),
  fetch: (...args) => fetch(...args),
  which: (name, options) => which(String(name), options),
  escapeHTML: (text) =>
    String(text).replace(
      /[&<>"']/g,
      (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[letter],
    ),
  stripANSI: (text) => text.replace(/\x1b(?:\[[0-9;?]*[ -\/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g, ""),
  stringWidth: (text) => host.visibleWidth(String(text)),
  deepEquals: (one, other) => builtin("toolsmith:node/util").isDeepStrictEqual(one, other),
  fileURLToPath: (address) => builtin("toolsmith:node_parts/file_url").fileURLToPath(address),
  pathToFileURL: (path) =>
    builtin("toolsmith:node_parts/file_url").pathToFileURL(path.startsWith("/") ? path : `${process.cwd()}/${path}`),
  randomUUIDv7() {
    const bytes = host.randomBytes(16);
    const time = Date.now();
    for (let index = 0; index < 6; index++) bytes[index] = Math.floor(time / 2 ** (8 * (5 - index))) & 255;
    bytes[6] = (bytes[6] & 15) | 0x70;
    bytes[8] = (bytes[8] & 63) | 0x80;
    return host.hexEncode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  },
  concatArrayBuffers(list) {
    return builtin("toolsmith:node/buffer")
      .Buffer.concat(list.map((part) => new Uint8Array(part.buffer ?? part, part.byteOffset ?? 0, part.byteLength)))
      .slice().buffer;
  },
  readableStreamToText: async (stream) =>
    new TextDecoder().decode(await builtin("toolsmith:bun/bytes").bytesOf(stream)),
  readableStreamToJSON: async (stream) => JSON.parse(await members.readableStreamToText(stream)),
  readableStreamToBytes: (stream) => builtin("toolsmith:bun/bytes").bytesOf(stream),
  readableStreamToArrayBuffer: async (stream) => (await builtin("toolsmith:bun/bytes").bytesOf(stream)).slice().buffer,
  readableStreamToBlob: async (stream) => new Blob([await builtin("toolsmith:bun/bytes").bytesOf(stream)]),
  async readableStreamToArray(stream) {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  },
};

/** A program in the entries of `PATH` that count, as an absolute path; null where there is none. */
function which(name, options = {}) {
  const here = options.cwd ?? process.cwd();
  if (!name.includes("/")) {
    return host.findProgram(name, String(options.PATH ?? process.env.PATH ?? ""), String(here)) ?? null;
  }
  const fs = builtin("toolsmith:node/fs").default;
  const path = name.startsWith("/") ? name : `${here}/${name}`;
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile() ? path : null;
  } catch {
    return null;
  }
}

const PARTS = {
  "toolsmith:bun/process": ["spawn", "spawnSync"],
  "toolsmith:bun/file": ["file", "write", "stdin", "stdout", "stderr"],
  "toolsmith:bun/shell": ["$", "ShellError"],
  "toolsmith:bun/hashing": [
    "CryptoHasher",
    "hash",
    "MD5",
    "SHA1",
    "SHA224",
    "SHA256",
    "SHA384",
    "SHA512",
    "SHA512_256",
  ],
  "toolsmith:bun/glob": ["Glob"],
  "toolsmith:bun/formats": ["YAML", "TOML", "semver", "password", "serve", "listen", "connect", "build"],
  "toolsmith:node/zlib": ["gzipSync", "gunzipSync", "deflateSync", "inflateSync"],
};
for (const [module, names] of Object.entries(PARTS)) {
  for (const name of names) {
    Object.defineProperty(members, name, {
      configurable: true,
      enumerable: true,
      get: () => builtin(module)[name],
      set: (value) => Object.defineProperty(members, name, { value, writable: true, configurable: true }),
    });
  }
}

export const Bun = members;
export default members;
