// From a module to its tools: importing, running the factory, and reading what the tools say of themselves.

import { describe } from "./errors.js";
import { builtin, host, isLoaded } from "./host.js";
import { takesSignalThird, takesUpdatesThird } from "./parameters.js";
import { makePi } from "./pi.js";
import { readSchema } from "./schema.js";

const stringify = JSON.stringify;

/** All tools of this runtime by number. */
const tools = [];

export const toolAt = (number) => tools[number];

/** The `getState` functions of this runtime's modules by number. */
const states = [];

export const stateAt = (number) => states[number];

const SHAPE = "expected object with string name, string description, parameters, and execute function";

class ShapeError extends TypeError {}

/** What is wrong with an object that is no tool. */
function shapeProblems(object) {
  if (typeof object?.then === "function") return "it is a Promise, and await is missing";
  if ((typeof object !== "object" && typeof object !== "function") || object === null)
    return `it is ${object === null ? "null" : `a ${typeof object}`}`;
  const problems = [];
  const expect = (name, kind) => {
    const value = object[name];
    if (value === undefined || value === null) problems.push(`${name} is missing`);
    else if (kind !== undefined && typeof value !== kind) problems.push(`${name} is a ${typeof value}, not a ${kind}`);
    else if (name === "name" && value === "") problems.push("name is empty");
  };
  expect("name", "string");
  expect("description", "string");
  expect("parameters");
  expect("execute", "function");
  return problems.join(", ");
}

const shapeError = (object) => new ShapeError(`${SHAPE} (${shapeProblems(object)})`);

const flag = (value) => (typeof value === "boolean" ? value : undefined);
const words = (value) => (typeof value === "string" ? value : undefined);
const amount = (value) => (Number.isFinite(value) && value > 0 ? value : undefined);

const TIERS = ["read", "write", "exec"];
const POLICIES = ["allow", "prompt", "ask", "deny"];
const APPROVAL =
  '"read", "write", "exec", "allow", "prompt", "deny", an object with tier, reason, override, policy or policyKey, ' +
  "or a function that returns one of these";

/** The declared approval: only the documented forms, each member read once. */
function readApproval(name, approval) {
  if (approval === undefined || approval === null) return undefined;
  if (typeof approval === "function") return { dynamic: true };
  const fail = (what) => {
    throw new TypeError(`Tool "${name}": ${what}; approval must be ${APPROVAL}`);
  };
  if (typeof approval === "string") {
    if (!TIERS.includes(approval) && !POLICIES.includes(approval))
      fail(`approval is ${stringify(approval).slice(0, 80)}`);
    return { fixed: approval };
  }
  if (typeof approval !== "object" || Array.isArray(approval))
    fail(`approval is ${Array.isArray(approval) ? "a list" : `a ${typeof approval}`}`);
  const { tier, reason, override, policy, policyKey } = approval;
  const members = { tier, reason, override, policy, policyKey };
  if (Object.values(members).every((member) => member === undefined))
    fail("approval is an object without any of its members");
  if (tier !== undefined && !TIERS.includes(tier)) fail(`approval.tier must be ${TIERS.join(", ")}`);
  if (policy !== undefined && !POLICIES.includes(policy)) fail(`approval.policy must be ${POLICIES.join(", ")}`);
  if (override !== undefined && typeof override !== "boolean") fail("approval.override must be true or false");
  if (reason !== undefined && typeof reason !== "string") fail("approval.reason must be a string");
  if (policyKey !== undefined && typeof policyKey !== "string") fail("approval.policyKey must be a string");
  return { fixed: members };
}

/** The member of a built-in tool, of copies of it, and of its functions, that names the tool and its directory. */
export const BUILT_IN = Symbol("built-in tool");

/** The built-in tool that a tool is made from. */
function readWrapped({ [BUILT_IN]: own, approval, execute }) {
  const mark = own ?? approval?.[BUILT_IN] ?? execute[BUILT_IN];
  return mark && { ...mark, keepsApproval: approval?.[BUILT_IN] === mark };
}

const has = (object, name) => typeof object[name] === "function" || undefined;

/** How many parameters each of a tool's functions declares, where they are called as ours; authors are told of wrong ones. */
function arity(object, invoke) {
  const counts = {};
  if (invoke !== undefined) return counts;
  for (const name of ["execute", "renderCall", "renderResult", "onSession"]) {
    if (typeof object[name] === "function") counts[name] = object[name].length;
  }
  return counts;
}

const signalThird = (object, id, params, onUpdate, ctx, signal) => object.execute(id, params, signal, onUpdate, ctx);

const line = (value) => (typeof value === "string" && value.trim() !== "" ? value.trim() : undefined);

function lines(value) {
  const found = Array.isArray(value) ? value.map(line).filter((text) => text !== undefined) : [];
  return found.length === 0 ? undefined : found;
}

/** What the tool declares about its effects; only the documented members. */
function readAnnotations(annotations) {
  if (typeof annotations !== "object" || annotations === null) return undefined;
  const { idempotentHint, openWorldHint } = annotations;
  return { idempotent: flag(idempotentHint), openWorld: flag(openWorldHint) };
}

/** `object` is the tool; `invoke` calls it where its parameters have another order. */
function readTool({ object, invoke }) {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) throw shapeError(object);
  const { name, description, parameters, label } = object;
  const valid =
    typeof name === "string" &&
    name !== "" &&
    typeof description === "string" &&
    parameters !== undefined &&
    parameters !== null &&
    typeof object.execute === "function";
  if (!valid) throw shapeError(object);
  let schema;
  let json;
  try {
    schema = readSchema(parameters);
    json = stringify(schema.json);
    if (json === undefined) throw new TypeError("it is not a JSON value");
  } catch (error) {
    throw new TypeError(`Tool "${name}": its parameters are not a valid schema: ${describe(error).message}`);
  }
  let output;
  try {
    const { outputSchema } = object;
    if (outputSchema !== undefined && outputSchema !== null) output = stringify(readSchema(outputSchema).json);
  } catch (error) {
    throw new TypeError(`Tool "${name}": its outputSchema is not a valid schema: ${describe(error).message}`);
  }
  // What is not there is left out: most tools declare nothing beyond the required.
  const said = stringify({
    number: tools.length,
    name,
    label: typeof label === "string" && label !== "" ? label : name,
    description,
    promptSnippet: line(object.promptSnippet),
    promptGuidelines: lines(object.promptGuidelines),
    schema: schema.kind,
    effects: readAnnotations(object.annotations),
    strict: flag(object.strict),
    hidden: flag(object.hidden),
    deferrable: flag(object.deferrable),
    approval: readApproval(name, object.approval),
    loadMode: words(object.loadMode),
    concurrency: object.executionMode === "sequential" ? "exclusive" : words(object.concurrency),
    mcpServerName: words(object.mcpServerName),
    mcpToolName: words(object.mcpToolName),
    timeout: amount(object.timeout),
    hasApprovalDetails: has(object, "formatApprovalDetails"),
    hasRenderCall: has(object, "renderCall"),
    hasRenderResult: has(object, "renderResult"),
    ownFrame: object.renderShell === "self" || object.inline === true || undefined,
    mergesResult: object.mergeCallAndResult === true || undefined,
    animates: Boolean(object.animatedPendingPreview || object.animatedPartialResult) || undefined,
    hasPrepare: has(object, "prepareArguments"),
    hasOnSession: has(object, "onSession") ?? has(object, "dispose"),
    wraps: readWrapped(object),
    arity: arity(object, invoke),
  });
  const own = output === undefined ? "" : `,"outputSchema":${output}`;
  return {
    entry: { object, name, check: schema.check, invoke },
    said: `${said.slice(0, -1)},"parameters":${json}${own}}`,
  };
}

function findFactory(exports) {
  const candidates = [exports.default, exports.default?.default, exports];
  return candidates.find((candidate) => typeof candidate === "function");
}

/** What a factory made and registered, and what is worth saying about it. */
async function runFactory(factory) {
  const registered = [];
  const pi = makePi(registered);
  const made = await factory(pi);
  Object.freeze(registered);
  const notes = [];
  const extension = isLoaded("toolsmith:adapters/extension")
    ? builtin("toolsmith:adapters/extension").finishLoad(pi)
    : undefined;
  // What the factory of an extension returns is its own affair, unless it is a tool.
  const isExtension = registered.length > 0 || extension !== undefined;
  const returned = Array.isArray(made) ? made : made === undefined || made === null ? [] : [made];
  const list = isExtension ? returned.filter((object) => typeof object?.execute === "function") : returned;
  const found = list.map((object) => {
    if (!takesSignalThird(object)) return { object };
    notes.push(
      `Tool "${object.name}": its execute uses the parameter order of early pi: (id, params, signal, onUpdate)`,
    );
    return { object, invoke: signalThird };
  });
  if (registered.length > 0)
    found.push(...builtin("toolsmith:adapters/extension").adapt(registered, takesUpdatesThird));
  return { found, notes, extension };
}

/** Adds a tool to a module that is loaded, and tells the Rust side of it. */
export function addTool(candidate) {
  const { entry, said } = readTool(candidate);
  tools.push(entry);
  host.addTool(said);
}

/** Loads a module and gives, as JSON, its tools and what is wrong with the ones that are not usable. */
export async function load(path) {
  // Other runtimes name modules by addresses.
  const exports = await import(host.importName?.(path) ?? path);
  const factory = findFactory(exports);
  let found;
  let notes = [];
  let extension;
  if (factory === undefined) {
    found = builtin("toolsmith:adapters/opencode").toolsOf(exports, path);
    if (found === undefined) throw new TypeError("Tool must export a default function");
  } else ({ found, notes, extension } = await runFactory(factory));
  const described = [];
  const problems = [];
  for (const [index, candidate] of found.entries()) {
    try {
      const { entry, said } = readTool(candidate);
      described.push(said);
      tools.push(entry);
    } catch (error) {
      problems.push({ index, ...describe(error), isShape: error instanceof ShapeError });
    }
  }
  // A module can ask to be loaded in every run.
  const isCached =
    exports.cache !== false && factory?.cache !== false && found.every(({ object }) => object?.cache !== false);
  const cache = isCached ? "" : ',"cache":false';
  // A CommonJS module may set it on the exported factory.
  const getState = [exports.getState, factory?.getState].find((candidate) => typeof candidate === "function");
  const state = getState === undefined ? "" : `,"state":${states.push(getState) - 1}`;
  const rest = `"notes":${stringify(notes)},"extension":${stringify(extension ?? null)}${cache}${state}`;
  return `{"tools":[${described.join()}],"problems":${stringify(problems)},${rest}}`;
}
