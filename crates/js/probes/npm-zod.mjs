// Probe of npm: zod.

import { probe } from "./probe.mjs";
import { z } from "zod";

export default probe("npm: zod", "one job", async (pi, signal) => {
  return [z.object({ a: z.coerce.number() }).parse({ a: "4" }), z.toJSONSchema(z.string()).type];
}, [{ a: 4 }, "string"]);
