// Probe of npm: diff.

import { probe } from "./probe.mjs";
import { diffLines } from "diff";

export default probe("npm: diff", "one job", async (pi, signal) => {
  return diffLines("a\nb\n", "a\nc\n").length;
}, 3);
