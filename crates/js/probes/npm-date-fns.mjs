// Probe of npm: date-fns.

import { probe } from "./probe.mjs";
import { addDays, format } from "date-fns";

export default probe("npm: date-fns", "one job", async (pi, signal) => {
  return format(addDays(new Date(2024, 1, 28), 2), "yyyy-MM-dd");
}, "2024-03-01");
