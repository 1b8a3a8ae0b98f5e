// Probe of npm: yaml.

import { probe } from "./probe.mjs";
import { parse } from "yaml";

export default probe("npm: yaml", "one job", async (pi, signal) => {
  return parse("a: [1, {b: two}]");
}, { a: [1, { b: "two" }] });
