// A list the model keeps. Its state is in the results it gave, so it follows the session through branches.
import type { CustomToolFactory } from "toolsmith";

interface Item {
  id: number;
  text: string;
  done: boolean;
}

const factory: CustomToolFactory = (pi) => {
  let items: Item[] = [];

  const show = () => items.map((item) => `${item.done ? "[x]" : "[ ]"} #${item.id} ${item.text}`).join("\n") || "Nothing to do.";
  const answer = (text: string) => ({
    content: [{ type: "text" as const, text }],
    details: { items: items.map((item) => ({ ...item })) },
  });

  return {
    name: "todo_list",
    label: "Todo",
    description: "Keeps a list of things to do: list, add, done, or clear.",
    approval: "read",
    parameters: pi.zod.object({
      action: pi.zod.enum(["list", "add", "done", "clear"]).describe("What to do with the list"),
      text: pi.zod.string().trim().optional().describe("The new item; needed if the action is add"),
      id: pi.zod.number().int().optional().describe("The number of the item; needed if the action is done"),
    }),

    async execute(toolCallId, params) {
      switch (params.action) {
        case "add": {
          if (!params.text) throw new Error("add needs a text");
          const id = Math.max(0, ...items.map((item) => item.id)) + 1;
          items.push({ id, text: params.text, done: false });
          return answer(`Added #${id}: ${params.text}`);
        }
        case "done": {
          if (params.id === undefined) throw new Error(`done needs the id of an item. ${show()}`);
          const item = items.find((candidate) => candidate.id === params.id);
          if (!item) throw new Error(`There is no item #${params.id}. ${show()}`);
          item.done = true;
          return answer(`Done: #${item.id} ${item.text}`);
        }
        case "clear": {
          const count = items.length;
          items = [];
          return answer(`Cleared ${count} items.`);
        }
        default:
          return answer(show());
      }
    },

    // The session may have gone back, or to another branch: what counts is the last result on the way here.
    onSession(event, ctx) {
      if (event.reason === "shutdown") return;
      items = [];
      for (const entry of ctx.sessionManager.getBranch()) {
        const message = entry.type === "message" ? entry.message : undefined;
        if (message?.role === "toolResult" && message.toolName === "todo_list" && message.details?.items) {
          items = message.details.items.map((item: Item) => ({ ...item }));
        }
      }
    },

    renderResult(result, options, theme) {
      const listed = (result.details as { items: Item[] } | undefined)?.items ?? [];
      const open = listed.filter((item) => !item.done).length;
      const rows = listed.map((item) =>
        item.done
          ? theme.fg("success", "✓ ") + theme.fg("dim", item.text)
          : theme.fg("muted", "○ ") + item.text,
      );
      return new pi.pi.Text([theme.bold(`${open} open, ${listed.length - open} done`), ...rows].join("\n"), 0, 0);
    },
  };
};

export default factory;
