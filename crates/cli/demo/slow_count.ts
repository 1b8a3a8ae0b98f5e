// Counts slowly and says how far it is: what streaming looks like.
import type { CustomToolFactory } from "toolsmith";

const factory: CustomToolFactory = (pi) => ({
  name: "slow_count",
  label: "Slow Count",
  description: "Counts to a number, one step every tenth of a second.",
  approval: "read",
  parameters: pi.typebox.Type.Object({
    to: pi.typebox.Type.Integer({ minimum: 1, maximum: 20, description: "Where to stop" }),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    for (let step = 1; step <= params.to; step++) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 100));
      onUpdate?.({ content: [{ type: "text", text: `${"▰".repeat(step)}${"▱".repeat(params.to - step)} ${step} of ${params.to}` }] });
    }
    return { content: [{ type: "text", text: `Counted to ${params.to}.` }] };
  },
});

export default factory;
