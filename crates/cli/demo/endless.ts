// Loops for ever when it is told to: what happens to a tool that hangs.
import type { CustomToolFactory } from "toolsmith";

const factory: CustomToolFactory = (pi) => {
  let calls = 0;
  return {
    name: "endless",
    label: "Endless",
    description: "Loops for ever, or answers at once.",
    approval: "read",
    timeout: 500,
    parameters: pi.zod.object({ loop: pi.zod.boolean().describe("Whether to loop for ever") }),

    async execute(toolCallId, params) {
      calls += 1;
      while (params.loop) {
        // Nothing in here gives up control, so no signal can be heard.
      }
      return { content: [{ type: "text", text: `Back at work. This engine has seen ${calls} call.` }] };
    },
  };
};

export default factory;
