// Probe of npm: cheerio.

import { probe } from "./probe.mjs";
import * as cheerio from "cheerio";

export default probe("npm: cheerio", "one job", async (pi, signal) => {
  return cheerio.load("<ul><li>1</li><li>2</li></ul>")("li").length;
}, 2);
