// Probe of npm: dayjs.

import { probe } from "./probe.mjs";
import dayjs from "dayjs";

export default probe("npm: dayjs", "one job", async (pi, signal) => {
  return dayjs("2024-02-28").add(2, "day").format("YYYY-MM-DD");
}, "2024-03-01");
