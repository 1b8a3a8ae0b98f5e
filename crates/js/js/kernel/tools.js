// From a module to its tools: importing, running the factory, and reading what the tools say of themselves.

import { describe } from "./errors.js";
import { makePi } from "./pi.js";
import { readSchema } from "./schema.js";

const stringify = JSON.stringify;

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

const has = (object, name) => typeof object[name] === "function" || undefined;

function readTool(object) {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) throw new TypeError(SHAPE);
  const { name, description, parameters, label } = object;
  const valid =
    typeof name === "string" && name !== "" && typeof description === "string" &&
    parameters !== undefined && parameters !== null && typeof object.execute === "function";
  if (!valid) throw new TypeError(SHAPE);
  let schema;
  let json;
  try {
    schema = readSchema(parameters);
    json = stringify(schema.json);
    if (json === undefined) throw new TypeError("it is not a JSON value");
  } catch (error) {
    throw new TypeError(`Tool "${name}": its parameters cannot be used as a schema: ${describe(error).message}`);
  }
  // What is not there is left out: most tools declare nothing beyond the required.
  const said = stringify({
    number: tools.length,
    name,
    label: typeof label === "string" && label !== "" ? label : name,
    description,
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
    hasApprovalDetails: has(object, "formatApprovalDetails"),
    hasRenderCall: has(object, "renderCall"),
    hasRenderResult: has(object, "renderResult"),
    hasOnSession: has(object, "onSession"),
  });
  return { entry: { object, name, check: schema.check }, said: `${said.slice(0, -1)},"parameters":${json}}` };
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
  const described = [];
  const problems = [];
  for (const [index, object] of [...list, ...registered].entries()) {
    try {
      const { entry, said } = readTool(object);
      described.push(said);
      tools.push(entry);
    } catch (error) {
      problems.push({ index, ...describe(error), isShape: error?.message === SHAPE });
    }
  }
  return `{"tools":[${described.join()}],"problems":${stringify(problems)}}`;
}
