// Probe of npm: execa.

import { probe } from "./probe.mjs";
import { execa } from "execa";

export default probe("npm: execa", "one job", async (pi, signal) => {
  return (await execa("echo", ["a b"])).stdout;
}, "a b");
