// Probe of npm: arktype.

import { probe } from "./probe.mjs";
import { type } from "arktype";

export default probe("npm: arktype", "one job", async (pi, signal) => {
  return type({ n: "number > 0" })({ n: -1 }) instanceof type.errors;
}, true);
