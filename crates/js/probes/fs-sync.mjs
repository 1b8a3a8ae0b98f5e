// Probe of node:fs.

import { probe } from "./probe.mjs";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("node:fs", "existsSync, readFileSync, writeFileSync, appendFileSync, mkdirSync, readdirSync, statSync, lstatSync, renameSync, copyFileSync, rmSync, unlinkSync, realpathSync, accessSync, constants, symlinkSync, chmodSync", async (pi, signal) => {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "probe-")));
  const at = (name) => join(root, name);
  fs.mkdirSync(at("a/b"), { recursive: true });
  fs.writeFileSync(at("a/x.txt"), "one\n");
  fs.appendFileSync(at("a/x.txt"), Buffer.from("two\n"));
  fs.copyFileSync(at("a/x.txt"), at("a/y.txt"));
  fs.renameSync(at("a/y.txt"), at("a/z.txt"));
  fs.symlinkSync("x.txt", at("a/link"));
  fs.chmodSync(at("a/z.txt"), 0o600);
  fs.accessSync(at("a/x.txt"), fs.constants.R_OK);
  const stat = fs.statSync(at("a/x.txt"));
  const entries = fs.readdirSync(at("a"), { withFileTypes: true }).map((entry) => `${entry.name}${entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""}`).sort();
  let error;
  try { fs.readFileSync(at("missing")); } catch (thrown) { error = [thrown.code, thrown.syscall, thrown.message.replace(root, ""), thrown instanceof Error]; }
  const facts = [fs.readFileSync(at("a/x.txt"), "utf8"), stat.size, stat.isFile(), stat.mtime instanceof Date, (fs.statSync(at("a/z.txt")).mode & 0o777).toString(8), entries, fs.lstatSync(at("a/link")).isSymbolicLink(), fs.readlinkSync(at("a/link")), fs.realpathSync(at("a/link")) === at("a/x.txt"), fs.readdirSync(root, { recursive: true }).length, error];
  fs.unlinkSync(at("a/link"));
  fs.rmSync(root, { recursive: true, force: true });
  return [...facts, fs.existsSync(root), fs.statSync(root, { throwIfNoEntry: false }) ?? null];
}, ["one\ntwo\n", 8, true, true, "600", ["b/", "link@", "x.txt", "z.txt"], true, "x.txt", true, 5, ["ENOENT", "open", "ENOENT: no such file or directory, open '/missing'", true], false, null]);
