// `fs` at once.

import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Buffer } from "node:buffer";

export default async function (print) {
  const attempt = (name, run) => {
    try { const value = run(); print(name, value === undefined ? "undefined" : value); } catch (error) {
      print(name, error.name, error.code ?? "", error.message, error.errno ?? "", error.syscall ?? "", error.path ?? "", error.dest ?? "");
    }
  };
  print(existsSync("nope"), existsSync("case.mjs"), existsSync(""), existsSync(5), existsSync(undefined), existsSync("a\0b"));
  print(mkdirSync("d1"), mkdirSync("d2/a/b/c", { recursive: true }), mkdirSync("d2/a/x/../y", { recursive: true }), mkdirSync("d2", { recursive: true }));
  writeFileSync("f.txt", "hällo\nwörld\n");
  print(readFileSync("f.txt", "utf8"), readFileSync("f.txt").length, readFileSync("f.txt", { encoding: "hex" }), readFileSync("f.txt", "latin1"), Buffer.isBuffer(readFileSync("f.txt")));
  fs.appendFileSync("f.txt", "more");
  fs.writeFileSync("f.txt", "+", { flag: "a" });
  print(readFileSync("f.txt").toString().length, readFileSync(new URL("f.txt", `file://${process.cwd()}/`), "utf8").length, readFileSync(Buffer.from("f.txt"), "utf8").length);
  for (const [name, run] of Object.entries({
    readFile: () => readFileSync("nope.txt"), readFolder: () => readFileSync("d1"), readFolderText: () => readFileSync("d1", "utf8"), absolute: () => readFileSync("/no/such/file"),
    write: () => writeFileSync("no/dir/f", "x"), writeFolder: () => writeFileSync("d1", "x"), exclusive: () => writeFileSync("f.txt", "x", { flag: "wx" }), full: () => writeFileSync("/dev/full", "x"),
    stat: () => fs.statSync("nope"), lstat: () => fs.lstatSync("nope"), notDir: () => fs.statSync("f.txt/x"), noThrow: () => fs.statSync("nope", { throwIfNoEntry: false }), readdir: () => fs.readdirSync("nope"), readdirFile: () => fs.readdirSync("f.txt"),
    mkdir: () => mkdirSync("d1"), mkdirDeep: () => mkdirSync("q/w/e"), mkdirOverFile: () => mkdirSync("f.txt", { recursive: true }), mkdirUnderFile: () => mkdirSync("f.txt/a/b", { recursive: true }),
    rmdir: () => fs.rmdirSync("nope"), rmdirFull: () => fs.rmdirSync("d2"), rmdirFile: () => fs.rmdirSync("f.txt"), rm: () => fs.rmSync("nope"), rmForce: () => fs.rmSync("nope", { force: true }), unlink: () => fs.unlinkSync("nope"),
    rename: () => fs.renameSync("nope", "other"), copy: () => fs.copyFileSync("nope", "other"), copyExclusive: () => fs.copyFileSync("case.mjs", "f.txt", fs.constants.COPYFILE_EXCL), link: () => fs.linkSync("nope", "l"), symlink: () => fs.symlinkSync("x", "f.txt"),
    readlink: () => fs.readlinkSync("f.txt"), realpath: () => fs.realpathSync("nope/x"), native: () => fs.realpathSync.native("nope/x"), access: () => fs.accessSync("nope"), chmod: () => fs.chmodSync("nope", 0o644),
    utimes: () => fs.utimesSync("nope", 1, 1), truncate: () => fs.truncateSync("nope"), open: () => fs.openSync("nope"), badFlag: () => fs.openSync("f.txt", "zz"), close: () => fs.closeSync(9999), read: () => fs.readSync(9999, Buffer.alloc(1)),
    mkdtemp: () => fs.mkdtempSync("no/dir/x"), empty: () => readFileSync(""), badPath: () => readFileSync(), badPath2: () => readFileSync({}), nul: () => readFileSync("a\0b"),
    badEncoding: () => readFileSync("f.txt", "nope"), badOptions: () => readFileSync("f.txt", 5), badData: () => writeFileSync("x", { a: 1 }), badData2: () => writeFileSync("x", 5), badData3: () => writeFileSync("x"), badMode: () => fs.chmodSync("f.txt", "zz"), badMode2: () => fs.chmodSync("f.txt"), badFd: () => fs.closeSync("x"), badFd2: () => fs.closeSync(-1), badFd3: () => fs.fstatSync(1.5),
    badCopy: () => fs.copyFileSync("a"), badRename: () => fs.renameSync("a"), badUrl: () => readFileSync(new URL("http://x/y")), badTime: () => fs.utimesSync("f.txt", "x", 1), badLength: () => fs.truncateSync("f.txt", "x"), rmFolder: () => fs.rmSync("d1"),
  })) attempt(name, run);
  const s = fs.statSync("f.txt");
  print(s.isFile(), s.isDirectory(), s.isSymbolicLink(), s.size, s.mode.toString(8), s.mtime instanceof Date, s.mtimeMs > 1.6e12, Object.keys(s), s instanceof fs.Stats, s.nlink);
  const big = fs.statSync("f.txt", { bigint: true });
  print(typeof big.size, String(big.size), typeof big.mtimeNs, big.isFile(), Object.keys(big).length);
  fs.utimesSync("f.txt", 1000.5, new Date(2000500));
  print(fs.statSync("f.txt").atimeMs, fs.statSync("f.txt").mtime.toISOString());
  fs.chmodSync("f.txt", "600"); print((fs.statSync("f.txt").mode & 0o777).toString(8));
  fs.symlinkSync("f.txt", "link"); fs.symlinkSync("loop2", "loop1"); fs.symlinkSync("loop1", "loop2"); fs.symlinkSync("../d2", "d1/up"); fs.linkSync("f.txt", "hard");
  print(fs.readlinkSync("link"), fs.lstatSync("link").isSymbolicLink(), fs.statSync("link").isFile(), fs.realpathSync("d1/up/a"), fs.realpathSync.native("link"), fs.statSync("hard").nlink, existsSync("loop1"));
  attempt("loop", () => fs.statSync("loop1")); attempt("loopReal", () => fs.realpathSync("loop1")); attempt("loopRead", () => readFileSync("loop1"));
  writeFileSync("d2/a/z.txt", "z"); writeFileSync("d2/a/b/y.txt", "y"); writeFileSync("d2/.hidden", "h"); writeFileSync("d2/B.txt", "B"); writeFileSync("d2/é.txt", "B");
  print(fs.readdirSync("d2"), fs.readdirSync("d2", { recursive: true }), fs.readdirSync("d2", "buffer").map((b) => b.toString()), fs.readdirSync("d2", { encoding: "hex" }));
  print(fs.readdirSync("d2", { withFileTypes: true }).map((e) => [e.name, e.isFile(), e.isDirectory(), e.isSymbolicLink(), e.parentPath ?? e.path]), fs.readdirSync("d2/", { withFileTypes: true, recursive: true }).map((e) => [e.name, e.path]));
  fs.copyFileSync("f.txt", "copy.txt"); fs.renameSync("copy.txt", "moved.txt");
  print(existsSync("copy.txt"), readFileSync("moved.txt", "utf8") === readFileSync("f.txt", "utf8"), (fs.statSync("moved.txt").mode & 0o777).toString(8));
  const fd = fs.openSync("fd.bin", "w+");
  print(fs.writeSync(fd, "abcdef"), fs.writeSync(fd, Buffer.from("XYZ"), 1, 2, 0), fs.writeSync(fd, "é", 10), fs.writeSync(fd, "616263", null, "hex"));
  const b = Buffer.alloc(8, "-");
  print(fs.readSync(fd, b, 1, 4, 0), b.toString(), fs.readSync(fd, b, { position: 4 }), fs.readSync(fd, b), fs.fstatSync(fd).size);
  fs.ftruncateSync(fd, 3); fs.fsyncSync(fd); fs.fdatasyncSync(fd); print(readFileSync("fd.bin", "utf8"), fs.writevSync(fd, [Buffer.from("1"), Buffer.from("23")], 0), fs.readvSync(fd, [b.subarray(0, 2), b.subarray(2, 4)], 0), b.toString("latin1", 0, 3));
  attempt("readRange", () => fs.readSync(fd, b, 5, 9)); attempt("readBuffer", () => fs.readSync(fd, "x")); attempt("readOffset", () => fs.readSync(fd, b, -1));
  fs.closeSync(fd); attempt("closed", () => fs.readSync(fd, b)); attempt("readOnly", () => { const r = fs.openSync("f.txt"); try { fs.writeSync(r, "x"); } finally { fs.closeSync(r); } });
  const t = fs.mkdtempSync("tmp-"); print(t.startsWith("tmp-"), t.length, fs.statSync(t).isDirectory(), (fs.statSync(t).mode & 0o777).toString(8));
  const dir = fs.opendirSync("d2"); const names = []; for (let e = dir.readSync(); e; e = dir.readSync()) names.push(e.name); dir.closeSync(); print(names.sort(), dir.path); attempt("dirClosed", () => dir.readSync());
  fs.cpSync("d2", "d3", { recursive: true }); print(fs.readdirSync("d3", { recursive: true })); for (const run of [() => fs.cpSync("d2", "d4"), () => fs.cpSync("d2", "d2/a/in", { recursive: true }), () => fs.opendirSync("nope")]) try { run(); } catch (error) { print(error.name, error.code); } attempt("cpExists", () => fs.cpSync("f.txt", "moved.txt", { force: false, errorOnExist: true })); attempt("cpMissing", () => fs.cpSync("nope", "x"));
  fs.cpSync("d2", "d5", { recursive: true, filter: (from) => !from.endsWith(".txt") }); print(fs.readdirSync("d5", { recursive: true }));
  fs.cpSync("d1", "d6", { recursive: true }); print(fs.readlinkSync("d6/up"));
  fs.rmSync("d3", { recursive: true }); fs.rmSync("d1", { recursive: true, force: true }); fs.rmdirSync("d4x".slice(0, 0) || t); print(existsSync("d3"), existsSync("d1"), existsSync("d2/a"), existsSync(t));
  print(readFileSync("/proc/self/status", "utf8").startsWith("Name:"), readFileSync("/proc/self/cmdline").length > 0, readFileSync("/dev/null").length);
  print(fs.constants.O_RDWR, fs.constants.S_IFMT, fs.R_OK, fs.constants.COPYFILE_EXCL, typeof fs.promises.readFile, fs.readFileSync.name, fs.stat.name);
  const sf = fs.statfsSync("."); print(Object.keys(sf), sf.bsize > 0, typeof fs.statfsSync(".", { bigint: true }).blocks);
  writeFileSync("big.bin", Buffer.alloc(300000, "x")); print(readFileSync("big.bin").length, fs.statSync("big.bin").size); fs.truncateSync("big.bin", 5); print(readFileSync("big.bin", "utf8")); fs.truncateSync("big.bin"); print(fs.statSync("big.bin").size);
  writeFileSync("typed", new Uint16Array([65, 66])); writeFileSync("view", new DataView(new ArrayBuffer(3))); print(readFileSync("typed").toJSON().data, readFileSync("view").length); writeFileSync("m", "x", { mode: 0o640 }); print((fs.statSync("m").mode & 0o777).toString(8));
}
