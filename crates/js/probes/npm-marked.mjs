// Probe of npm: marked.

import { probe } from "./probe.mjs";
import { marked } from "marked";

export default probe("npm: marked", "one job", async (pi, signal) => {
  return marked.parse("# T");
}, "<h1>T</h1>\n");
