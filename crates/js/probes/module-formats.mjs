// Probe of module formats.

import { probe } from "./probe.mjs";
import fact from "./data/fact.json" with { type: "json" };
import common, { double } from "./data/common.cjs";
const later = await Promise.resolve("awaited");

export default probe("module formats", "JSON and text imports, dynamic import, CommonJS from ES modules, top-level await", async (pi, signal) => {
  const absent = await import("not-installed-anywhere").catch((error) => error instanceof Error);
  return [fact.answer, common.double(2), double(3), later, (await import("./data/module.mjs")).default, absent];
}, [42, 4, 6, "awaited", "a module", true]);
