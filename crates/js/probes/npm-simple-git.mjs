// Probe of npm: simple-git.

import { probe } from "./probe.mjs";
import { simpleGit } from "simple-git";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("npm: simple-git", "one job", async (pi, signal) => {
  const root = mkdtempSync(join(tmpdir(), "probe-"));
  const git = simpleGit(root);
  await git.init(["-b", "main"]);
  const status = await git.status();
  rmSync(root, { recursive: true });
  return [status.current, status.isClean()];
}, ["main", true]);
