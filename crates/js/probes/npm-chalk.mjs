// Probe of npm: chalk.

import { probe } from "./probe.mjs";
import { Chalk } from "chalk";

export default probe("npm: chalk", "one job", async (pi, signal) => {
  return new Chalk({ level: 1 }).red("r");
}, "\u001b[31mr\u001b[39m");
