// Probe of npm: turndown.

import { probe } from "./probe.mjs";
import TurndownService from "turndown";

export default probe("npm: turndown", "one job", async (pi, signal) => {
  return new TurndownService().turndown("<b>x</b>");
}, "**x**");
