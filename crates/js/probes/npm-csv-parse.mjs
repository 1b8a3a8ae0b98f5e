// Probe of npm: csv-parse.

import { probe } from "./probe.mjs";
import { parse } from "csv-parse/sync";

export default probe("npm: csv-parse", "one job", async (pi, signal) => {
  return parse("a,b\n1,2", { columns: true });
}, [{ a: "1", b: "2" }]);
