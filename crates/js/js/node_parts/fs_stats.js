// What `fs` gives for a file, a file system and an entry of a folder.

import { constants } from "toolsmith:node_parts/fs_arguments";

const { S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IFSOCK } = constants;

class StatsBase {
  isDirectory() {
    return this.#is(S_IFDIR);
  }
  isFile() {
    return this.#is(S_IFREG);
  }
  isBlockDevice() {
    return this.#is(S_IFBLK);
  }
  isCharacterDevice() {
    return this.#is(S_IFCHR);
  }
  isSymbolicLink() {
    return this.#is(S_IFLNK);
  }
  isFIFO() {
    return this.#is(S_IFIFO);
  }
  isSocket() {
    return this.#is(S_IFSOCK);
  }
  #is(kind) {
    return (Number(this.mode) & S_IFMT) === kind;
  }
}

const TIMES = ["atime", "mtime", "ctime", "birthtime"];
const NAMES = ["dev", "mode", "nlink", "uid", "gid", "rdev", "blksize", "ino", "size", "blocks"];

export class Stats extends StatsBase {
  constructor(...numbers) {
    super();
    for (const [index, name] of NAMES.entries()) this[name] = numbers[index];
    for (const [index, name] of TIMES.entries()) this[`${name}Ms`] = numbers[10 + index];
    for (const name of TIMES) this[name] = new Date(Math.round(this[`${name}Ms`]));
  }
}

class BigIntStats extends StatsBase {
  constructor(numbers, nanoseconds) {
    super();
    for (const [index, name] of NAMES.entries()) this[name] = numbers[index];
    for (const [index, name] of TIMES.entries()) this[`${name}Ms`] = nanoseconds[index] / 1000000n;
    for (const [index, name] of TIMES.entries()) this[`${name}Ns`] = nanoseconds[index];
    for (const name of TIMES) this[name] = new Date(Number(this[`${name}Ms`]));
  }
}

/** Makes them of the Rust side's numbers. */
export function readStats(json, big) {
  const numbers = JSON.parse(json);
  if (big) {
    const values = numbers.map(BigInt);
    return new BigIntStats(
      values.slice(0, 10),
      [10, 12, 14, 16].map((at) => values[at] * 1000000000n + values[at + 1]),
    );
  }
  return new Stats(
    ...numbers.slice(0, 10),
    ...[10, 12, 14, 16].map((at) => numbers[at] * 1000 + numbers[at + 1] / 1e6),
  );
}

/** Stats of what is not there, as `watchFile` shows them. */
export function noStats(big) {
  return readStats(JSON.stringify(Array.from({ length: 18 }, () => (big ? "0" : 0))), big);
}

class StatFs {
  constructor(values) {
    for (const [index, name] of ["type", "bsize", "blocks", "bfree", "bavail", "files", "ffree"].entries())
      this[name] = values[index];
  }
}
export const readStatFs = (json, big) => new StatFs(JSON.parse(json).map(big ? BigInt : Number));

const type = Symbol("type");

export class Dirent {
  constructor(name, kind, parentPath) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    this[type] = kind;
  }
  isFile() {
    return this[type] === 1;
  }
  isDirectory() {
    return this[type] === 2;
  }
  isSymbolicLink() {
    return this[type] === 3;
  }
  isFIFO() {
    return this[type] === 4;
  }
  isSocket() {
    return this[type] === 5;
  }
  isCharacterDevice() {
    return this[type] === 6;
  }
  isBlockDevice() {
    return this[type] === 7;
  }
}
