// Probe of node:module.

import { probe } from "./probe.mjs";
import { builtinModules, createRequire, isBuiltin } from "node:module";

export default probe("node:module", "createRequire, builtinModules, isBuiltin", async (pi, signal) => {
  const require = createRequire(import.meta.url);
  let missing;
  try { require("not-installed-anywhere"); } catch (error) { missing = error.code; }
  return [require("node:path").join("a", "b"), require("./data/fact.json").answer, require("./data/common.cjs").double(4), builtinModules.includes("fs"), isBuiltin("node:fs"), missing, require.resolve("./data/common.cjs").endsWith("common.cjs")];
}, ["a/b", 42, 8, true, true, "MODULE_NOT_FOUND", true]);
