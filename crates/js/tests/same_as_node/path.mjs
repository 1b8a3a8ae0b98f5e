// Paths of both kinds.

import path, { posix, win32 } from "node:path";
import posixAlone from "node:path/posix";

const POSIX = ["", ".", "..", "/", "//", "///", "a", "a/", "/a", "/a/", "a/b", "a//b", "a/./b", "a/../b", "a/../../b", "/a/../../b", "./a", "../a", "a/b/..", "/a/b.txt", "b.tar.gz", ".bashrc", "a/.x.y", "a.", "a..", "...", "a b/c d.e f", "/foo/bar//baz/asdf/quux/..", "//a", "//a//b", "a/b//", "file.", ".a.", "日/本.語", "./", "../", "a/..", "a/../", "..a/b", "/../a", "/.", "//.", "a\\b"];
const WIN32 = ["", ".", "C:", "C:\\", "C:/", "c:a", "C:\\a\\..\\b", "C:\\a\\b.txt", "\\a", "\\\\server\\share", "\\\\server\\share\\", "\\\\server\\share\\a\\b.c", "//server/share/x", "a\\b/c", "a/../../b", "C:..\\a", "\\\\", "\\\\server", "C:\\a\\\\b\\.\\c\\", "..\\a", "x\\", "\\\\server\\\\share\\x", "C:\\..\\a"];

export default async function (print) {
  print(path === posix, posixAlone === posix, path.win32 === win32, path.sep, path.delimiter, win32.sep, win32.delimiter);
  for (const [kind, list] of [[posix, POSIX], [win32, WIN32]]) {
    for (const p of list) {
      print(p, kind.normalize(p), kind.dirname(p), kind.basename(p), kind.extname(p), kind.isAbsolute(p), kind.parse(p), kind.format(kind.parse(p)));
      print(kind.basename(p, ".txt"), kind.basename(p, "b"), kind.toNamespacedPath(kind === posix ? p : "C:\\a"));
      for (const q of ["x", "..", "/y", "C:\\z", "\\w", "", "../../q"]) print(JSON.stringify(p), q, kind.join(p, q), kind.join(q, p), kind === posix ? posix.resolve("/base", p, q) : win32.resolve("C:\\base", p, q));
    }
    for (const a of list.slice(0, 30)) for (const b of list.slice(0, 30)) print(a, b, kind === posix ? posix.relative(`/r/${a}`, `/r/${b}`) : win32.relative(`C:\\r\\${a}`, `C:\\r\\${b}`));
  }
  print(win32.relative("C:\\a", "D:\\b"), win32.relative("\\\\s\\h\\a", "\\\\s\\h\\b"), win32.relative("C:\\Foo\\a", "c:\\foo\\b"), posix.relative("a/b", "a/c"), posix.resolve("a") === `${process.cwd()}/a`, path.resolve() === process.cwd());
  print(path.join(), path.format({ name: "f", ext: "x" }), path.format({ dir: "/d", base: "b", name: "n" }), path.format({ root: "/", name: "n", ext: ".e" }), path.format({ dir: "", base: "q" }));
  for (const bad of [1, null, undefined, {}]) {
    for (const name of ["normalize", "join", "resolve", "dirname", "basename", "extname", "parse", "isAbsolute", "relative", "format"]) {
      try { print(name, path[name](bad)); } catch (error) { print(name, error.name, error.code, error.message); }
    }
  }
  try { path.basename("a", 1); } catch (error) { print(error.message); }
}
