// Says what is in a table: rows, columns, kinds, ranges. Reads files of any size in pieces.
import * as fs from "node:fs";
import * as path from "node:path";
import type { CustomToolFactory } from "toolsmith";

interface Column {
  name: string;
  empty: number;
  numbers: number;
  min: number;
  max: number;
  sum: number;
  distinct: Set<string>;
}

const MANY = 1000;

/** Calls `row` for each row; quoted cells may hold separators, quotes and line ends. */
async function readRows(chunks: AsyncIterable<string>, separator: string, row: (cells: string[]) => void) {
  let cells: string[] = [];
  let cell = "";
  let quoted = false;
  let afterQuote = false;
  const endRow = () => {
    cells.push(cell);
    if (cells.length > 1 || cells[0] !== "") row(cells);
    cells = [];
    cell = "";
  };
  for await (const chunk of chunks) {
    for (const character of chunk) {
      if (quoted && !afterQuote) {
        if (character === '"') afterQuote = true;
        else cell += character;
        continue;
      }
      if (afterQuote) {
        afterQuote = false;
        if (character === '"') {
          cell += '"';
          continue;
        }
        quoted = false;
      }
      if (character === '"' && cell === "") quoted = true;
      else if (character === separator) {
        cells.push(cell);
        cell = "";
      } else if (character === "\n") endRow();
      else if (character !== "\r" && character !== "\ufeff") cell += character;
    }
  }
  if (cell !== "" || cells.length > 0) endRow();
}

const factory: CustomToolFactory = (pi) => ({
  name: "csv_summary",
  label: "CSV Summary",
  description: "Summarises a CSV file: rows, columns, kinds of values, ranges and empty cells.",
  approval: "read",
  parameters: pi.zod.object({
    file: pi.zod.string().describe("The CSV file"),
    separator: pi.zod.enum([",", ";", "|", "\t"]).default(",").describe("What is between cells"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const stream = fs.createReadStream(path.resolve(pi.cwd, params.file), { encoding: "utf8" });
    signal?.addEventListener("abort", () => stream.destroy(new Error("The summary was cancelled.")));
    const columns: Column[] = [];
    let rows = 0;
    await readRows(stream, params.separator, (cells) => {
      if (columns.length === 0) {
        for (const [index, name] of cells.entries()) {
          columns.push({ name: name || `column ${index + 1}`, empty: 0, numbers: 0, min: Infinity, max: -Infinity, sum: 0, distinct: new Set() });
        }
        return;
      }
      rows += 1;
      if (rows % 50_000 === 0) onUpdate?.({ content: [{ type: "text", text: `${rows} rows…` }] });
      for (const [index, column] of columns.entries()) {
        const text = cells[index]?.trim() ?? "";
        if (text === "") {
          column.empty += 1;
          continue;
        }
        if (column.distinct.size < MANY) column.distinct.add(text);
        const number = Number(text);
        if (Number.isFinite(number)) {
          column.numbers += 1;
          column.sum += number;
          column.min = Math.min(column.min, number);
          column.max = Math.max(column.max, number);
        }
      }
    });
    if (columns.length === 0) return { content: [{ type: "text", text: "The file is empty." }] };

    const summary = columns.map((column) => {
      const filled = rows - column.empty;
      const isNumber = filled > 0 && column.numbers === filled;
      const distinct = column.distinct.size < MANY ? String(column.distinct.size) : `${MANY} or more`;
      return {
        name: column.name,
        kind: filled === 0 ? "empty" : isNumber ? "number" : "text",
        empty: column.empty,
        distinct,
        ...(isNumber ? { min: column.min, max: column.max, mean: Number((column.sum / filled).toPrecision(6)) } : {}),
      };
    });
    const lines = summary.map((column) => {
      const range = "min" in column ? `, ${column.min} to ${column.max}, mean ${column.mean}` : `, ${column.distinct} distinct`;
      return `- ${column.name}: ${column.kind}${range}${column.empty > 0 ? `, ${column.empty} empty` : ""}`;
    });
    return {
      content: [{ type: "text", text: [`${rows} ${rows === 1 ? "row" : "rows"}, ${columns.length} ${columns.length === 1 ? "column" : "columns"}`, ...lines].join("\n") }],
      details: { rows, columns: summary },
    };
  },
});

export default factory;
