// Probe of npm: @sinclair/typebox.

import { probe } from "./probe.mjs";
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";

export default probe("npm: @sinclair/typebox", "one job", async (pi, signal) => {
  return TypeCompiler.Compile(Type.Object({ a: Type.Number() })).Check({ a: 1 });
}, true);
