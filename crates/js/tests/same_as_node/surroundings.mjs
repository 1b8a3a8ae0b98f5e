// `url`, `querystring`, `punycode`, `os`, `timers`, `readline`, `module`, `perf_hooks`, `diagnostics_channel`, `process`.

import url from "node:url";
import querystring from "node:querystring";
import punycode from "node:punycode";
import os from "node:os";
import timers from "node:timers/promises";
import readline from "node:readline";
import readlineLater from "node:readline/promises";
import module, { builtinModules, createRequire, isBuiltin } from "node:module";
import { performance } from "node:perf_hooks";
import channels from "node:diagnostics_channel";
import process from "node:process";
import { PassThrough, Readable } from "node:stream";
import tty from "node:tty";
import workers from "node:worker_threads";
import vm from "node:vm";

export default async function (print) {
  const attempt = (name, run) => { try { print(name, run()); } catch (error) { print(name, error.name, error.code ?? "", error.message); } };
  for (const path of ["/a/b c", "/ä/%/?#x", "/dir/", "/a\\b"]) print(url.pathToFileURL(path).href, url.fileURLToPath(url.pathToFileURL(path)));
  for (const bad of ["http://x/y", "file://host/x", "file:///a%2fb", "nonsense", 5]) attempt(String(bad), () => url.fileURLToPath(bad));
  print(url.pathToFileURL("rel").pathname.endsWith("/rel"));
  for (const address of ["http://user:pa%20ss@Host.com:8080/p/a/t/h?query=string#hash", "/just/path?x=1", "//host/path", "mailto:a@b.c", "https://example.com", "http://a.com/b c\"d", "javascript:alert(1)", "?q=1", "#h", "", "http://[::1]:80/x", "file:///etc/passwd", "x:y", "http://ex.com:/a", "HTTP://EX.com/A?b=C%20d"]) print(address, { ...url.parse(address) });
  print({ ...url.parse("//host/path?a=1&b=2", true, true) }.query.b, url.parse("http://a/?x=1&x=2", true).query.x);
  for (const parts of [{ protocol: "https", hostname: "h", port: 8, pathname: "p", query: { a: [1, 2] } }, { protocol: "mailto", pathname: "a@b" }, { host: "x.com", pathname: "/q?#", search: "s" }, { protocol: "file:", pathname: "/x" }, { auth: "a:b", host: "h", protocol: "http:", hash: "z" }]) print(url.format(parts));
  print(url.format(new URL("http://u:p@xn--mnchen-3ya.de/a?b#c"), { auth: false, fragment: false, search: false, unicode: true }), url.format("http://a.com/x y"));
  for (const [from, to] of [["/one/two/three", "four"], ["http://example.com/", "/one"], ["http://example.com/one", "/two"], ["http://a.com/b/c/d", "../e"], ["http://a.com/b", "//c.com/d"], ["http://a.com/b?x", "?y"], ["/a/b", "../../c"], ["a/b", "c"], ["http://a.com", "https://b.com/x"]]) print(url.resolve(from, to));
  print(url.domainToASCII("español.com"), url.domainToUnicode("xn--espaol-zwa.com"), url.domainToASCII("xn--iñvalid.com"), { ...url.urlToHttpOptions(new URL("https://a:b@x.com:1/p?q#h")) });
  for (const text of ["a=1&b=2&a=3", "x", "=y", "a=%E4%BD%A0+b&c=%zz", "&&a", "a=b=c", ""]) print({ ...querystring.parse(text) });
  print(querystring.stringify({ a: [1, "b"], c: "ü &", d: true, e: null, f: 5n, g: {} }), querystring.stringify({ a: 1 }, ";", ":"), { ...querystring.parse("a:1;b:2", ";", ":") }, querystring.escape("a b!'()*"), querystring.unescape("%41+%zz"), { ...querystring.parse("a=1&b=2&c=3", null, null, { maxKeys: 2 }) });
  for (const text of ["mañana", "bücher", "日本語", "plain", "☃-⌘"]) print(punycode.encode(text), punycode.decode(punycode.encode(text)), punycode.toASCII(`${text}.com`), punycode.toUnicode(punycode.toASCII(`x@${text}.com`)));
  print(os.EOL, os.platform(), os.arch(), os.type(), os.release(), os.hostname(), os.homedir(), os.tmpdir(), os.endianness(), os.totalmem(), os.cpus().length, os.cpus()[0].model, Object.keys(os.cpus()[0].times), os.userInfo(), os.availableParallelism(), os.machine(), os.version(), os.devNull, os.networkInterfaces(), os.constants.signals.SIGKILL, os.constants.errno.ENOENT, os.loadavg().length, os.freemem() > 0, os.uptime() > 1, `${os.hostname}` === os.hostname());
  print(await timers.setTimeout(1, "v"), await timers.setImmediate("i")); const c = new AbortController(); const waiting = timers.setTimeout(10000, 0, { signal: c.signal }).catch((error) => print(error.name, error.code, error.message)); c.abort(); await waiting; let n = 0; for await (const v of timers.setInterval(1, "t")) if (++n === 3) { print(v, n); break; }
  const lines = []; for await (const line of readline.createInterface({ input: Readable.from(["one\ntw", "o\r\nthr\r", "\nee\n\nlast"]), crlfDelay: Infinity })) lines.push(line); print(lines);
  const input = new PassThrough(); const output = new PassThrough(); const rl = readline.createInterface({ input, output }); const answer = new Promise((resolve) => rl.question("Name? ", resolve)); input.write("Bob\n"); print(await answer, String(output.read())); const heard = []; rl.on("line", (line) => heard.push(line)); rl.on("close", () => heard.push("closed")); input.end("x\ny"); await new Promise((resolve) => rl.on("close", resolve)); print(heard);
  const input2 = new PassThrough(); const rl2 = readlineLater.createInterface({ input: input2, output: new PassThrough() }); const later = rl2.question("?"); input2.write("yes\n"); print(await later); rl2.close();
  const require = createRequire(import.meta.url); print(require("path").join("a", "b"), require("node:fs") === (await import("node:fs")).default, require.resolve("fs"), typeof require.cache, isBuiltin("fs"), isBuiltin("node:fs/promises"), isBuiltin("zod"), isBuiltin("node:test"), isBuiltin("test"), builtinModules.includes("fs"), builtinModules.includes("worker_threads"), module.builtinModules === builtinModules, typeof module.createRequire); attempt("createRequire", () => createRequire("relative"));
  const fs = require("fs"); fs.writeFileSync("data.json", '{"j":1}'); fs.writeFileSync("c.cjs", "exports.v = require('./data.json').j; exports.f = __filename.split('/').pop();"); print(require("./data.json"), require("./c.cjs"));
  const start = performance.now(); performance.mark("a"); performance.mark("b"); print(performance.measure("m", "a", "b").entryType, performance.getEntriesByName("m").length, performance.getEntriesByType("mark").length, performance.now() >= start, typeof performance.timeOrigin, performance.timerify(function add(a, b) { return a + b; })(1, 2));
  const channel = channels.channel("ch"); const said = []; channel.subscribe((message, name) => said.push([message, name])); channel.publish(1); print(said, channel.hasSubscribers, channels.hasSubscribers("other"), channels.channel("ch") === channel);
  print(process === globalThis.process, process.argv.length >= 2, typeof process.pid, typeof process.ppid, process.platform, Object.prototype.toString.call(process), typeof process.hrtime.bigint(), process.hrtime().length, process.listenerCount("x"), process.on("x", () => print("x heard")) === process, process.emit("x"), process.stdout.isTTY ?? false, process.stdin.isTTY ?? false, process.exitCode ?? "none", process.release.name, typeof process.memoryUsage().heapUsed, typeof process.memoryUsage.rss(), typeof process.uptime(), process.getuid(), process.umask());
  process.env.NUMBER = 5; process.env.UNSET = undefined; print(process.env.NUMBER, process.env.UNSET, "NOPE_" in process.env, process.env.NOPE_ ?? "absent", delete process.env.NUMBER, process.env.NUMBER ?? "gone", { ...process.env }.PATH === process.env.PATH); attempt("env", () => { process.env[Symbol("s")] = 1; });
  attempt("kill", () => process.kill(99999999, 0)); attempt("kill", () => process.kill(process.pid, "SIGNOPE")); print(process.kill(process.pid, 0)); try { process.chdir("nope"); } catch (error) { print(error.code, error.syscall, error.dest, error.path === process.cwd()); } attempt("hrtime", () => process.hrtime(5)); attempt("nextTick", () => process.nextTick(5));
  fs.mkdirSync("sub"); const before = process.cwd(); process.chdir("sub"); print(process.cwd() === `${before}/sub`, fs.existsSync("../data.json"), fs.existsSync("data.json"), require("path").resolve("x") === `${before}/sub/x`); process.chdir("..");
  const order = []; await new Promise((resolve) => { setTimeout(() => { Promise.resolve().then(() => order.push("promise 1")).then(() => order.push("promise 2")); process.nextTick(() => { order.push("tick 1"); process.nextTick(() => order.push("tick 2")); Promise.resolve().then(() => order.push("promise of tick")); }); queueMicrotask(() => { order.push("micro"); process.nextTick(() => order.push("tick of micro")); }); setImmediate(() => { order.push("immediate"); resolve(); }); order.push("now"); }, 1); }); print(order);
  print(tty.isatty(1) && false, workers.isMainThread, workers.threadId, workers.parentPort, vm.runInThisContext("1 + 1"), new vm.Script("2 + 2").runInThisContext(), vm.isContext({})); try { new vm.Script("]"); } catch (error) { print(error.name); }
}
