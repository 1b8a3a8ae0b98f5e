// Probe of Bun.file, Bun.write.

import { probe } from "./probe.mjs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("Bun.file, Bun.write", "text, json, exists, arrayBuffer, size", async (pi, signal) => {
  const root = mkdtempSync(join(tmpdir(), "probe-"));
  const path = join(root, "f.json");
  const written = await Bun.write(path, '{"a":1}');
  const file = Bun.file(path);
  const facts = [written, await file.json(), await file.text(), await file.exists(), file.size, (await file.arrayBuffer()).byteLength, await Bun.file(join(root, "no")).exists()];
  rmSync(root, { recursive: true });
  return facts;
}, [7, { a: 1 }, "{\"a\":1}", true, 7, 7, false]);
