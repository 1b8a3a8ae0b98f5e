// Probe of npm: typebox.

import { probe } from "./probe.mjs";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { Compile } from "typebox/compile";

export default probe("npm: typebox", "one job", async (pi, signal) => {
  return [Value.Check(Type.Object({ a: Type.Number() }), { a: 1 }), Compile(Type.String()).Check(1)];
}, [true, false]);
