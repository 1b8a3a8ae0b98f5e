// From a module to its tools: importing, running the factory, and reading what the tools say of themselves.

import { describe } from "./errors.js";
import { makePi } from "./pi.js";
import { readSchema } from "./schema.js";

/** All tools of this runtime by number. */
const tools = [];

export const toolAt = (number) => tools[number];

const SHAPE = "expected object with string name, string description, parameters, and execute function";

const flag = (value) => (typeof value === "boolean" ? value : undefined);
const words = (value) => (typeof value === "string" ? value : undefined);
const amount = (value) => (Number.isFinite(value) && value > 0 ? value : undefined);

function readApproval(approval) {
  if (typeof approval === "function") return { dynamic: true };
  return approval === undefined || approval === null ? undefined : { fixed: approval };
}

function readTool(object) {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) throw new TypeError(SHAPE);
  const { name, description, parameters, label } = object;
  const valid =
    typeof name === "string" && name !== "" && typeof description === "string" &&
    parameters !== undefined && parameters !== null && typeof object.execute === "function";
  if (!valid) throw new TypeError(SHAPE);
  let schema;
  try {
    schema = readSchema(parameters);
  } catch (error) {
    throw new TypeError(`Tool "${name}": its parameters cannot be used as a schema: ${describe(error).message}`);
  }
  return {
    entry: { object, name, check: schema.check },
    said: {
      name,
      label: typeof label === "string" && label !== "" ? label : name,
      description,
      parameters: schema.json,
      schema: schema.kind,
      strict: flag(object.strict),
      hidden: flag(object.hidden),
      deferrable: flag(object.deferrable),
      approval: readApproval(object.approval),
      loadMode: words(object.loadMode),
      concurrency: words(object.concurrency),
      mcpServerName: words(object.mcpServerName),
      mcpToolName: words(object.mcpToolName),
      timeout: amount(object.timeout),
      hasApprovalDetails: typeof object.formatApprovalDetails === "function",
      hasRenderCall: typeof object.renderCall === "function",
      hasRenderResult: typeof object.renderResult === "function",
      hasOnSession: typeof object.onSession === "function",
      executeLength: object.execute.length,
      renderCallLength: typeof object.renderCall === "function" ? object.renderCall.length : undefined,
    },
  };
}

function findFactory(exports) {
  const candidates = [exports.default, exports.default?.default, exports];
  return candidates.find((candidate) => typeof candidate === "function");
}

/** Loads a module and gives, as JSON, its tools and what is wrong with the ones that are not usable. */
export async function load(path) {
  const registered = [];
  const exports = await import(path);
  const factory = findFactory(exports);
  if (factory === undefined) throw new TypeError("Tool must export a default function");
  const made = await factory(makePi((definition) => void registered.push(definition)));
  const list = Array.isArray(made) ? made : made === undefined || made === null ? [] : [made];
  const outcome = { tools: [], problems: [], many: list.length };
  for (const [index, object] of [...list, ...registered].entries()) {
    try {
      const { entry, said } = readTool(object);
      outcome.tools.push({ ...said, index, number: tools.length });
      tools.push(entry);
    } catch (error) {
      outcome.problems.push({ index, ...describe(error), isShape: error?.message === SHAPE });
    }
  }
  return JSON.stringify(outcome);
}
