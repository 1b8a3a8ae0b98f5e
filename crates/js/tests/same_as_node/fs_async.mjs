// `fs` with callbacks, as promises, as streams and as handles.

import fs from "node:fs";
import * as named from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";

const later = fs.promises;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export default async function (print) {
  const attempt = async (name, run) => {
    try { const value = await run(); print(name, value === undefined ? "undefined" : value); } catch (error) { print(name, error.name, error.code ?? "", error.message, error.errno ?? "", error.syscall ?? "", error.path ?? "", error.dest ?? ""); }
  };
  const called = (name, ...args) => new Promise((resolve) => fs[name](...args, (...results) => { print(name, results[0] === null ? "null" : results[0]?.code ?? results[0], results.slice(1).map((r) => (typeof r === "object" && r !== null ? r.constructor.name : r))); resolve(results); }));
  print(named.readFile === later.readFile, named.default === later, typeof later.constants.R_OK);
  await later.mkdir("a/b/c", { recursive: true }).then(print);
  await later.writeFile("a/t.txt", "text"); await later.appendFile("a/t.txt", "+more");
  print(await later.readFile("a/t.txt", "utf8"), (await later.readFile("a/t.txt")).length, await later.readFile("a/t.txt", { encoding: "base64" }));
  await later.writeFile("gen", (function* () { yield "1"; yield "2"; })()); await later.writeFile("stream", Readable.from(["x", "y"])); print(await later.readFile("gen", "utf8"), await later.readFile("stream", "utf8"));
  for (const [name, run] of Object.entries({
    readFile: () => later.readFile("nope"), folder: () => later.readFile("a"), write: () => later.writeFile("q/w", "x"), stat: () => later.stat("nope"), access: () => later.access("nope"), readdir: () => later.readdir("nope"), mkdir: () => later.mkdir("a"),
    rm: () => later.rm("nope"), rmForce: () => later.rm("nope", { force: true }), rename: () => later.rename("nope", "x"), realpath: () => later.realpath("nope"), open: () => later.open("nope"), bad: () => later.readFile(), badData: () => later.writeFile("x", 5), unlink: () => later.unlink("a"), aborted: () => later.readFile("a/t.txt", { signal: AbortSignal.abort() }), full: () => later.writeFile("/dev/full", "x"), copy: () => later.copyFile("nope", "y"),
  })) await attempt(name, run);
  await called("readFile", "a/t.txt"); await called("readFile", "a/t.txt", "utf8"); await called("readFile", "nope"); await called("stat", "a"); await called("mkdir", "m/n", { recursive: true }); await called("writeFile", "cb", "x"); await called("readdir", "a"); await called("access", "nope"); await called("rm", "m", { recursive: true });
  await new Promise((resolve) => fs.exists("a", (yes) => { print("exists", yes); resolve(); }));
  try { fs.readFile("a/t.txt"); } catch (error) { print(error.code, error.message); }
  try { fs.readFile(5.5, () => {}); } catch (error) { print(error.code, error.message); }
  const fd = await new Promise((resolve) => fs.open("a/t.txt", "r+", (_, opened) => resolve(opened)));
  const buffer = Buffer.alloc(4); await called("read", fd, buffer, 0, 4, 0); await called("write", fd, "ZZ", 0); await called("fstat", fd); await called("close", fd); print(buffer.toString());
  const handle = await later.open("h.txt", "w+");
  print(typeof handle.fd, (await handle.write("line1\nline2\r\nline3")).bytesWritten, (await handle.read(Buffer.alloc(5), 0, 5, 0)).buffer.toString(), (await handle.stat()).size);
  await handle.truncate(12); await handle.sync(); await handle.datasync(); await handle.chmod(0o600); await handle.utimes(1, 2); await handle.close(); print(handle.fd);
  await attempt("closed", () => handle.read(Buffer.alloc(1)));
  const lines = []; const reading = await later.open("h.txt"); for await (const line of reading.readLines()) lines.push(line); print(lines);
  const whole = await later.open("h.txt"); print(await whole.readFile("utf8")); await whole.close();
  const streamed = []; for await (const chunk of fs.createReadStream("h.txt", { encoding: "utf8", highWaterMark: 4 })) streamed.push(chunk); print(streamed);
  const ranged = []; for await (const chunk of fs.createReadStream("h.txt", { start: 2, end: 6 })) ranged.push(chunk.toString()); print(ranged);
  const r = fs.createReadStream("nope"); await new Promise((resolve) => r.on("error", (error) => { print(error.code, error.message); resolve(); }));
  const events = []; const w = fs.createWriteStream("w.txt"); for (const name of ["open", "ready", "finish", "close"]) w.on(name, () => events.push(name)); print(w.path, w.pending, w.write("abc"), w.bytesWritten); w.end("def"); await new Promise((resolve) => w.on("close", resolve)); print(events, w.bytesWritten, fs.readFileSync("w.txt", "utf8"));
  const over = fs.createWriteStream("w.txt", { flags: "r+", start: 2 }); over.end("ZZ"); await new Promise((resolve) => over.on("finish", resolve)); print(fs.readFileSync("w.txt", "utf8"));
  const added = fs.createWriteStream("w.txt", { flags: "a", encoding: "hex" }); added.end("4142"); await new Promise((resolve) => added.on("close", resolve)); print(fs.readFileSync("w.txt", "utf8"));
  fs.writeFileSync("large", Buffer.alloc(400000, "0123456789")); await pipeline(fs.createReadStream("large"), fs.createWriteStream("large2")); print(fs.readFileSync("large2").equals(fs.readFileSync("large")));
  await attempt("badPipe", () => pipeline(fs.createReadStream("large"), fs.createWriteStream("/no/x")));
  try { fs.createReadStream("x", { start: 5, end: 1 }); } catch (error) { print(error.name, error.code, error.message); }
  print(w instanceof fs.WriteStream, r instanceof fs.ReadStream, fs.ReadStream.name, new fs.ReadStream("h.txt").destroy().path);
  fs.mkdirSync("tree/x/y", { recursive: true }); for (const f of ["tree/1.txt", "tree/x/2.txt", "tree/x/y/3.md"]) fs.writeFileSync(f, f);
  print((await later.readdir("tree", { recursive: true })).sort(), (await later.readdir("tree", { withFileTypes: true })).map((e) => [e.name, e.isDirectory()]));
  const seen = []; for await (const entry of await later.opendir("tree")) seen.push(entry.name); print(seen.sort());
  await later.cp("tree", "tree2", { recursive: true, filter: async (from) => !from.endsWith(".md") }); print((await later.readdir("tree2", { recursive: true })).sort());
  await later.symlink("tree", "sl"); print(await later.readlink("sl"), await later.realpath("sl"), (await later.lstat("sl")).isSymbolicLink()); await later.rm("sl", { recursive: true }); print(fs.existsSync("tree"), fs.existsSync("sl"));
  await later.rm("tree", { recursive: true }); print(fs.existsSync("tree")); print((await later.mkdtemp("t-")).length);
  fs.mkdirSync("watched"); const changes = []; const watcher = fs.watch("watched", (kind, name) => changes.push(`${kind} ${name}`)); fs.writeFileSync("watched/new", "x"); for (let n = 0; n < 200 && !changes.includes("change new"); n++) await sleep(5); fs.unlinkSync("watched/new"); for (let n = 0; n < 200 && changes.filter((c) => c === "rename new").length < 2; n++) await sleep(5);
  print(changes.includes("rename new"), changes.includes("change new"), changes.at(-1)); const closing = new Promise((resolve) => watcher.on("close", resolve)); watcher.close(); await closing;
  try { fs.watch("nope"); } catch (error) { print(error.code, error.message, error.syscall, error.path, error.filename); }
  const controller = new AbortController(); const heard = []; setTimeout(() => fs.writeFileSync("watched/again", "y"), 10);
  try { for await (const { eventType, filename } of later.watch("watched", { signal: controller.signal })) { heard.push(`${eventType} ${filename}`); if (heard.length === 1) controller.abort(); } } catch (error) { print(error.name, error.code); } print(heard[0]);
  const stats = await new Promise((resolve) => { fs.watchFile("h.txt", { interval: 10 }, (now, before) => resolve([now.size, before.size])); setTimeout(() => fs.appendFileSync("h.txt", "!"), 50); }); fs.unwatchFile("h.txt"); print(stats);
}
