// Probe of npm: semver.

import { probe } from "./probe.mjs";
import semver from "semver";

export default probe("npm: semver", "one job", async (pi, signal) => {
  return [semver.satisfies("1.5.0", "^1.2"), semver.inc("1.2.3", "patch")];
}, [true, "1.2.4"]);
