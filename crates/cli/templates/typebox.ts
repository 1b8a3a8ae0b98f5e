// {{label}}: a tool that greets. Change it into yours.

import type { CustomToolFactory } from "toolsmith";
import { type Static, Type } from "@sinclair/typebox";

const parameters = Type.Object({
  name: Type.String({ description: "Who to greet" }),
});

const factory: CustomToolFactory = () => ({
  name: "{{name}}",
  label: "{{label}}",
  description: "Greets somebody by name. Replace this with what your tool does and when to use it.",
  parameters,
  // "read" runs without asking, "write" changes files, "exec" (if left out) can do anything.
  approval: "read",
  async execute(_toolCallId, params: Static<typeof parameters>) {
    return { content: [{ type: "text", text: `Hello, ${params.name}!` }] };
  },
});

export default factory;
