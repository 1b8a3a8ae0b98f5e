// Probe of node:fs/promises.

import { probe } from "./probe.mjs";
import * as fs from "node:fs/promises";
import { promises } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("node:fs/promises", "readFile, writeFile, mkdir, readdir, stat, lstat, rename, rm, unlink, access, appendFile, copyFile, mkdtemp, realpath, chmod, open", async (pi, signal) => {
  const root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), "probe-")));
  const at = (name) => join(root, name);
  await fs.mkdir(at("d/e"), { recursive: true });
  await fs.writeFile(at("d/f"), "a");
  await fs.appendFile(at("d/f"), "b");
  await fs.copyFile(at("d/f"), at("d/g"));
  await fs.rename(at("d/g"), at("d/h"));
  await fs.chmod(at("d/h"), 0o644);
  const handle = await fs.open(at("d/f"), "r");
  const read = await handle.readFile("utf8");
  await handle.close();
  const missing = await fs.access(at("no")).then(() => "there", (error) => `${error.code} ${error.message.replace(root, "")}`);
  const names = (await fs.readdir(at("d"))).sort();
  const stat = await fs.stat(at("d"));
  const link = await fs.lstat(at("d/f"));
  await fs.unlink(at("d/h"));
  const left = await promises.readdir(at("d"));
  await fs.rm(root, { recursive: true });
  return [read, await Promise.resolve(missing), names, stat.isDirectory(), link.size, left.length];
}, ["ab", "ENOENT ENOENT: no such file or directory, access '/no'", ["e", "f", "h"], true, 2, 2]);
