// Probe of node:fs (streams).

import { probe } from "./probe.mjs";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default probe("node:fs (streams)", "createReadStream, createWriteStream", async (pi, signal) => {
  const root = mkdtempSync(join(tmpdir(), "probe-"));
  const out = createWriteStream(join(root, "a"));
  out.write("first\n");
  await new Promise((resolve) => out.end("second\n", resolve));
  await pipeline(createReadStream(join(root, "a")), createWriteStream(join(root, "b")));
  let text = "";
  for await (const chunk of createReadStream(join(root, "b"), { encoding: "utf8", start: 1 })) text += chunk;
  const failed = await new Promise((resolve) => createReadStream(join(root, "no")).on("error", (error) => resolve(error.code)));
  rmSync(root, { recursive: true });
  return [text, failed];
}, ["irst\nsecond\n", "ENOENT"]);
