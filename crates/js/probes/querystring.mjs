// Probe of node:querystring.

import { probe } from "./probe.mjs";
import qs from "node:querystring";

export default probe("node:querystring", "parse, stringify, escape", async (pi, signal) => {
  return [{ ...qs.parse("a=1&b=x%20y&a=2") }, qs.stringify({ a: [1, 2], b: "x y" }), qs.escape("ä&")];
}, [{ a: ["1", "2"], b: "x y" }, "a=1&a=2&b=x%20y", "%C3%A4%26"]);
