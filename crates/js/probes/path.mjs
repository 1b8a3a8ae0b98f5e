// Probe of node:path.

import { probe } from "./probe.mjs";
import path, { join, posix, win32 } from "node:path";
import * as plain from "path";

export default probe("node:path", "join, resolve, dirname, basename, extname, relative, isAbsolute, normalize, parse, format, sep, delimiter, posix, win32", async (pi, signal) => {
  return [join("a", "..", "b", "./c"), path.resolve("/a", "b", "../c"), path.dirname("/a/b/c.txt"), path.basename("/a/b.txt", ".txt"), path.extname("x.tar.gz"), path.relative("/a/b/c", "/a/d"), path.isAbsolute("./a"), path.normalize("/a//b/../c/."), path.parse("/srv/u/f.txt"), path.format({ dir: "/d", base: "f" }), path.sep, path.delimiter, posix === path.posix, win32.join("a", "b"), win32.basename("C:\\x\\y.z"), plain.join === join];
}, ["b/c", "/a/c", "/a/b", "b", ".gz", "../../d", false, "/a/c", { root: "/", dir: "/srv/u", base: "f.txt", ext: ".txt", name: "f" }, "/d/f", "/", ":", true, "a\\b", "y.z", true]);
