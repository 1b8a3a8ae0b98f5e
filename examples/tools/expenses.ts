// Expenses of a session: drawn as a table in the user's language, rebuilt from the session, and exported after a preview.
import { type CustomToolFactory, padding, Text, truncateToWidth, visibleWidth, z } from "toolsmith";

interface Expense {
  date: string;
  text: string;
  amount: number;
}

const parameters = z.object({
  action: z.enum(["add", "list", "export"]).describe("Record an expense, list all, or write them to a file"),
  text: z.string().optional().describe("Purpose of the expense; needed if the action is add"),
  amount: z.number().optional().describe("Amount in euros; needed if the action is add"),
  date: z
    .string()
    .refine((day) => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)), "expected a day such as 2026-11-17")
    .optional()
    .describe("Day of the expense, such as 2026-11-17; needed if the action is add"),
  locale: z.string().default("en-US").describe("Language of the table as a language tag, such as de-DE"),
  file: z.string().default("expenses.md").describe("File that export writes"),
});

/** The rows of a table in a language: the date, the text and the amount of each expense, and the sum. */
function rows(expenses: Expense[], locale: string): string[][] {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const euros = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" });
  const sorted = [...expenses].sort((a, b) => a.date.localeCompare(b.date) || a.text.localeCompare(b.text, locale));
  const sum = expenses.reduce((total, expense) => total + expense.amount, 0);
  return [
    ...sorted.map(({ date, text, amount }) => [day.format(new Date(date)), text, euros.format(amount)]),
    ["", `Σ ${expenses.length.toLocaleString(locale)}`, euros.format(sum)],
  ];
}

/** The rows as lines: the last column is aligned to the right, and texts that are too long are cut. */
function table(cells: string[][], width = 72): string[] {
  const widest = (column: number) => Math.max(...cells.map((row) => visibleWidth(row[column])));
  const [first, last] = [widest(0), widest(2)];
  const middle = Math.max(3, Math.min(widest(1), width - first - last - 4));
  return cells.map(([date, text, amount]) =>
    [
      truncateToWidth(date, first, "", true),
      truncateToWidth(text, middle, "…", true),
      padding(last - visibleWidth(amount)) + amount,
    ].join("  "),
  );
}

const factory: CustomToolFactory = (pi) => {
  let expenses: Expense[] = [];

  return {
    name: "expenses",
    label: "Expenses",
    description: "Records expenses of this session, lists them, and writes them to a Markdown file after a preview.",
    parameters,
    approval: "read",
    deferrable: true,

    async execute(toolCallId, params: z.infer<typeof parameters>) {
      const { action, text, amount, date, locale, file } = params;
      if (action === "add") {
        if (!text || amount === undefined || date === undefined) throw new Error("add needs text, amount and date");
        expenses = [...expenses, { text, amount, date }];
      }
      if (action === "export") {
        const lines = rows(expenses, locale).map((cells) => `| ${cells.join(" | ")} |`);
        // Nothing is written now: the user sees the difference and decides.
        pi.pushPendingAction({
          label: `Write ${expenses.length} expenses to ${file}`,
          sourceToolName: "expenses",
          files: [{ path: file, content: ["| | | |", "|---|---|---:|", ...lines, ""].join("\n") }],
        });
      }
      return {
        content: [{ type: "text", text: table(rows(expenses, locale)).join("\n") }],
        // Later calls and other branches of the session find the state here.
        details: { expenses },
      };
    },

    // The newest result on the current branch has the state, also after a restart or a step back.
    onSession(event, ctx) {
      if (!["start", "switch", "branch", "tree"].includes(event.reason)) return;
      expenses = [];
      for (const { type, message } of ctx.sessionManager.getBranch()) {
        if (type === "message" && message.role === "toolResult" && message.toolName === "expenses" && message.details) {
          expenses = message.details.expenses;
        }
      }
    },

    renderCall(args, options, theme) {
      const what = [args.text, args.amount?.toLocaleString(args.locale ?? "en-US")].filter(Boolean).join(" ");
      return new Text(theme.bold(`Expenses ${args.action ?? ""} `) + theme.fg("accent", what), 0, 0);
    },

    renderResult(result, options, theme, args) {
      const { expenses = [] } = (result.details ?? {}) as { expenses?: Expense[] };
      const cells = rows(expenses, args.locale ?? "en-US");
      const shown = options.expanded ? cells : cells.slice(-5);
      return {
        render(width: number) {
          const lines = table(shown, width);
          const hidden = cells.length - shown.length;
          const sum = theme.bold(lines.pop() ?? "");
          return [...(hidden > 0 ? [theme.fg("dim", `… ${hidden} more`)] : []), ...lines, sum];
        },
      };
    },
  };
};

export default factory;
