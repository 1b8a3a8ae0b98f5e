// Probe of node:fs (watch).

import { probe } from "./probe.mjs";
import { mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("node:fs (watch)", "watch", async (pi, signal) => {
  const root = mkdtempSync(join(tmpdir(), "probe-"));
  const seen = new Promise((resolve) => {
    const watcher = watch(root, (event, name) => {
      watcher.close();
      resolve([["rename", "change"].includes(event), name]);
    });
  });
  const again = setInterval(() => writeFileSync(join(root, "f"), String(Math.random())), 20);
  const facts = await seen;
  clearInterval(again);
  rmSync(root, { recursive: true });
  return facts;
}, [true, "f"]);
