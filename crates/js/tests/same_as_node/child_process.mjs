// node:child_process: live streams, ends, errors, and what is waited for.

import fs from "node:fs";
import child, { exec, execFile, execFileSync, execSync, spawn, spawnSync } from "node:child_process";

const custom = Symbol.for("nodejs.util.promisify.custom");
const text = async (stream) => {
  let all = "";
  for await (const chunk of stream) all += chunk;
  return all;
};
const events = (process, ...names) =>
  new Promise((resolve) => {
    const seen = [];
    for (const name of ["spawn", "error", "exit", "close", ...names]) process.on(name, (...args) => {
      seen.push([name, ...args.map((arg) => (arg instanceof Error ? [arg.name, arg.message, arg.code, arg.errno, arg.syscall, arg.path, arg.spawnargs] : arg))]);
      if (name === "close") resolve(seen);
    });
  });
const thrown = (run) => {
  try {
    run();
  } catch (error) {
    return [error.name, error.code, error.message];
  }
  return "nothing";
};
const failing = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return [error.name, error.message, error.code, error.killed, error.signal, error.cmd, error.stdout, error.stderr];
  }
  return "nothing";
};

export default async function (print) {
  const echo = spawn("sh", ["-c", "cat; echo out; echo err >&2; exit 3"]);
  print(typeof echo.pid, echo.exitCode, echo.signalCode, echo.killed, echo.spawnfile, echo.spawnargs, echo.stdio.length, echo.connected);
  echo.stdin.write("in ");
  echo.stdin.end("put\n");
  const [out, err, order] = await Promise.all([text(echo.stdout), text(echo.stderr), events(echo)]);
  print(out, err, order, echo.exitCode, echo.kill());

  print("missing", await events(spawn("no-such-program-here", ["a", "b"])));
  print("missing folder", await events(spawn("true", { cwd: "/no/such/folder" })));
  print("not executable", await events(spawn("/etc/passwd")));
  const killed = spawn("sleep", ["1000"]);
  killed.on("spawn", () => print("kill", killed.kill("SIGINT"), killed.killed));
  print("killed", await events(killed), killed.signalCode);
  print("timeout", await events(spawn("sleep", ["1000"], { timeout: 30, killSignal: "SIGKILL" })));
  const controller = new AbortController();
  const aborted = spawn("sleep", ["1000"], { signal: controller.signal });
  aborted.on("spawn", () => controller.abort());
  print("aborted", (await events(aborted)).map(([name, value]) => [name, value?.[0], value?.[2]]));
  print("already aborted", (await events(spawn("sleep", ["1000"], { signal: AbortSignal.abort() }))).map(([name]) => name).sort());

  const ignored = spawn("sh", ["-c", "read x; echo $?"], { stdio: ["ignore", "pipe", "ignore"] });
  print(ignored.stdin, ignored.stderr, ignored.stdio[0], await text(ignored.stdout));
  const unread = spawn("sh", ["-c", "yes | head -c 50000"]);
  print("unread", await events(unread));
  const shell = spawn("echo $WORD && echo", ["two"], { shell: true, env: { WORD: "one", PATH: process.env.PATH } });
  print("shell", await text(shell.stdout), shell.spawnfile, shell.spawnargs);
  const named = spawn("sh", ["-c", "echo $0"], { argv0: "other" });
  print("argv0", await text(named.stdout), named.spawnargs);
  const large = spawn("wc", ["-c"]);
  for (let index = 0; index < 40; index++) if (!large.stdin.write(Buffer.alloc(50000))) await new Promise((resolve) => large.stdin.once("drain", resolve));
  large.stdin.end();
  print("large", (await text(large.stdout)).trim());
  const fd = fs.openSync("out.txt", "a");
  const filed = spawn("sh", ["-c", "echo to a file; echo and errors >&2"], { stdio: ["ignore", fd, fd] });
  print(filed.stdout, await events(filed), spawnSync("echo", ["more"], { stdio: ["ignore", fd, "pipe"] }).stdout, fs.readFileSync("out.txt", "utf8"));
  fs.closeSync(fd);
  const closed = spawn("true");
  await new Promise((resolve) => closed.on("exit", resolve));
  print("write after", closed.stdin.destroyed);

  print(await exec[custom]("echo hi; echo no >&2"));
  print(await execFile[custom]("echo", ["a  b", "c"], { encoding: "buffer" }).then(({ stdout }) => Buffer.isBuffer(stdout)));
  print(await failing(exec[custom]("echo some; echo bad >&2; exit 4")));
  print(await failing(execFile[custom]("sh", ["-c", "kill -9 $$"])));
  print(await failing(execFile[custom]("no-such-program-here", ["x"])));
  print(await failing(exec[custom]("yes", { maxBuffer: 10 })));
  print(await failing(exec[custom]("sleep 1000", { timeout: 30 })));
  print((await failing(exec[custom]("sleep 1000", { signal: AbortSignal.timeout(30) }))).slice(0, 3));
  print(await new Promise((resolve) => execFile("pwd", { cwd: "/" }, (error, stdout, stderr) => resolve([error, stdout, stderr]))));
  print(await new Promise((resolve) => exec("exit 2", (error) => resolve([error.code, error.killed, error.signal, error.cmd]))));

  const shown = ({ status, signal, output, stdout, stderr, error, pid }) => [status, signal, output?.map((part) => part && String(part)), String(stdout), String(stderr), error && [error.message, error.code, error.errno, error.syscall, error.path, error.spawnargs], pid > 0];
  print(shown(spawnSync("cat", { input: "given" })), shown(spawnSync("sh", ["-c", "echo x; echo y >&2; exit 5"], { encoding: "utf8" })));
  print(shown(spawnSync("no-such-program-here", ["q"])), shown(spawnSync("sleep", ["1000"], { timeout: 30 })), shown(spawnSync("sh", ["-c", "kill -TERM $$"])));
  print(shown(spawnSync("yes", { maxBuffer: 10 })).slice(0, 2), spawnSync("yes", { maxBuffer: 10 }).error.code, shown(spawnSync("true", { stdio: "ignore" })));
  print(execSync("echo from shell", { encoding: "utf8" }), execFileSync("echo", ["file"]).toString(), execSync("cat", { input: Buffer.from("bytes") }).toString());
  try {
    execSync("echo out; echo err >&2; exit 6", { stdio: "pipe" });
  } catch (error) {
    print(error.message, error.status, error.signal, String(error.stdout), String(error.stderr), error.output.length);
  }
  try {
    execFileSync("no-such-program-here");
  } catch (error) {
    print(error.message, error.code, error.status);
  }
  print(thrown(() => spawn("")), thrown(() => spawn(5)), thrown(() => spawn("a\0b")), thrown(() => spawn("true", { stdio: "what" })), thrown(() => spawn("true", [], { killSignal: "SIGNOPE" }))?.slice(0, 2));
  print(Object.keys(child).filter((name) => name !== "_forkChild").sort());
}
