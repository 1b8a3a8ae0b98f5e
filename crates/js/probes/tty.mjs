// Probe of node:tty.

import { probe } from "./probe.mjs";
import tty from "node:tty";

export default probe("node:tty", "isatty", async (pi, signal) => {
  return [tty.isatty(0), Boolean(process.stdout.isTTY)];
}, [false, false]);
