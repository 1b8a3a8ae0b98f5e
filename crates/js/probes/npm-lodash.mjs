// Probe of npm: lodash.

import { probe } from "./probe.mjs";
import _ from "lodash";

export default probe("npm: lodash", "one job", async (pi, signal) => {
  return _.chunk([1, 2, 3], 2);
}, [[1, 2], [3]]);
