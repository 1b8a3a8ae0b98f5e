// Reads a part of a JSON file by a path, so that a model need not read the whole.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { CustomToolFactory } from "toolsmith";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** `a.b[0]`, `items[*].name`, `["odd key"]`; a leading `$` is allowed. */
type Step = string | number | typeof EVERY;

const EVERY = Symbol("*");

function parsePath(text: string): Step[] {
  const steps: Step[] = [];
  const pattern = /\s*(?:^\$|\.?\[\s*(?:(\*)|(-?\d+)|"([^"]*)"|'([^']*)')\s*\]|\.?([^.[\]]+))/y;
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw new Error(`The path cannot be read from here: "${text.slice(at)}"`);
    const [whole, any, index, double, single, name] = match;
    const quoted = double ?? single;
    if (quoted !== undefined) steps.push(quoted);
    else if (any !== undefined || name?.trim() === "*") steps.push(EVERY);
    else if (index !== undefined) steps.push(Number(index));
    else if (name !== undefined) steps.push(name.trim());
    at += whole.length;
  }
  return steps;
}

function follow(value: Json, steps: Step[], walked = "$"): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === EVERY) {
    if (value === null || typeof value !== "object") throw new Error(`${walked} is neither a list nor an object.`);
    return Object.values(value).map((child, index) => follow(child, rest, `${walked}[${index}]`));
  }
  if (typeof step === "number") {
    if (!Array.isArray(value)) throw new Error(`${walked} is no list.`);
    const child = value.at(step);
    if (child === undefined) throw new Error(`${walked} has ${value.length} items; there is no [${step}].`);
    return follow(child, rest, `${walked}[${step}]`);
  }
  const keys = value !== null && typeof value === "object" && !Array.isArray(value) ? Object.keys(value) : [];
  if (!keys.includes(step)) throw new Error(`${walked} has no "${step}". It has: ${keys.slice(0, 20).join(", ") || "no keys"}`);
  return follow((value as { [key: string]: Json })[step] ?? null, rest, `${walked}.${step}`);
}

const factory: CustomToolFactory = (pi) => ({
  name: "json_query",
  label: "JSON Query",
  description: "Reads one part of a JSON file by a path such as scripts.test, items[0].name or items[*].id.",
  approval: "read",
  parameters: pi.typebox.Type.Object({
    file: pi.typebox.Type.String({ description: "The JSON file" }),
    query: pi.typebox.Type.String({ default: "$", description: "The path; $ is the whole file" }),
  }),

  async execute(toolCallId, params) {
    const text = await fs.readFile(path.resolve(pi.cwd, params.file), "utf8");
    let whole: Json;
    try {
      whole = JSON.parse(text.replace(/^\ufeff/, "")) as Json;
    } catch (error) {
      throw new Error(`${params.file} is not JSON: ${(error as Error).message}`);
    }
    const value = follow(whole, parsePath(params.query));
    return { content: [{ type: "text", text: JSON.stringify(value, null, 2) }], details: { file: params.file, query: params.query } };
  },
});

export default factory;
