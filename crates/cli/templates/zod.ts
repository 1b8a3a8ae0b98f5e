// {{label}}: a tool that greets. Change it into yours.

import type { CustomToolFactory } from "toolsmith";
import { z } from "zod";

const parameters = z.object({
  name: z.string().describe("Who to greet"),
});

const factory: CustomToolFactory = () => ({
  name: "{{name}}",
  label: "{{label}}",
  description: "Greets somebody by name. Replace this with what your tool does and when to use it.",
  parameters,
  // "read" runs without asking, "write" changes files, "exec" (if left out) can do anything.
  approval: "read",
  async execute(_toolCallId, params: z.infer<typeof parameters>) {
    return { content: [{ type: "text", text: `Hello, ${params.name}!` }] };
  },
});

export default factory;
