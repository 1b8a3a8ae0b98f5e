// Probe of npm: ajv.

import { probe } from "./probe.mjs";
import Ajv from "ajv";

export default probe("npm: ajv", "one job", async (pi, signal) => {
  return new (Ajv.default ?? Ajv)().validate({ type: "integer" }, 1.5);
}, false);
