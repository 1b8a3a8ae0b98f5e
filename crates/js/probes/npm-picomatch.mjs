// Probe of npm: picomatch.

import { probe } from "./probe.mjs";
import picomatch from "picomatch";

export default probe("npm: picomatch", "one job", async (pi, signal) => {
  return [picomatch("**/*.ts")("a/b.ts"), picomatch("*.ts")("a/b.ts")];
}, [true, false]);
