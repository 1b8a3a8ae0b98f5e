// Probe of Bun.YAML, TOML, semver.

import { probe } from "./probe.mjs";

export default probe("Bun.YAML, Bun.TOML, Bun.semver", "YAML.parse, TOML.parse, semver.satisfies, semver.order", async (pi, signal) => {
  return [Bun.YAML.parse("a: 1\nb: [x, true]"), Bun.TOML.parse("[a]\nb = \"c\""), Bun.semver.satisfies("1.2.3", "^1.0.0"), Bun.semver.satisfies("2.0.0", "~1.2"), Bun.semver.order("1.0.0", "2.0.0")];
}, [{ a: 1, b: ["x", true] }, { a: { b: "c" } }, true, false, -1]);
