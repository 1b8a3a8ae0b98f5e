// Tools written for opencode: `tool({ description, args, execute })`, named after their file, with text for a result.

import { builtin, host } from "toolsmith:kernel";

const isObject = (value) => typeof value === "object" && value !== null;

const isDefinition = (value) =>
  isObject(value) &&
  typeof value.description === "string" &&
  typeof value.execute === "function" &&
  (isObject(value.args) || value.args === undefined) &&
  value.name === undefined;

/** The name opencode gives: the file's, or its folder's for an index. */
function nameOf(path) {
  const parts = path.split("/");
  const stem = parts.pop().replace(/\.[^.]*$/, "");
  return (stem === "index" ? (parts.pop() ?? stem) : stem).replace(/[^\w-]/g, "_");
}

/** The schema of `args`: properties given one by one, by this host's zod or by an older one of the tool's own. */
function parametersOf(args = {}) {
  const values = Object.values(args);
  if (values.length === 0) return { type: "object", properties: {} };
  if (values.every((value) => isObject(value?._def) && value._zod === undefined)) return zod3Object(args);
  // A JSON schema, which plain JavaScript tools give.
  if (args.type === "object" && (isObject(args.properties) || values.length === 1)) return args;
  if (values.every((value) => isObject(value) && value._zod === undefined)) return { type: "object", properties: args };
  return args;
}

function zod3Object(shape) {
  const fields = Object.entries(shape);
  return {
    _def: { typeName: "ZodObject", shape: () => shape },
    async safeParseAsync(value) {
      const data = {};
      const issues = [];
      for (const [key, field] of fields) {
        const outcome = await field.safeParseAsync(value?.[key]);
        if (outcome.success) {
          if (outcome.data !== undefined) data[key] = outcome.data;
        } else issues.push(...outcome.error.issues.map((issue) => ({ ...issue, path: [key, ...issue.path] })));
      }
      return issues.length === 0 ? { success: true, data } : { success: false, error: { issues } };
    },
  };
}

function asResult(value) {
  if (isObject(value) && Array.isArray(value.content)) return value;
  if (isObject(value) && typeof value.output === "string") {
    const { output, ...details } = value;
    return { content: [{ type: "text", text: output }], ...(Object.keys(details).length > 0 ? { details } : {}) };
  }
  const text =
    typeof value === "string"
      ? value
      : value === undefined || value === null
        ? ""
        : (JSON.stringify(value, null, 2) ?? String(value));
  return { content: [{ type: "text", text }] };
}

function contextOf(toolCallId, onUpdate, ctx, signal) {
  const directory = ctx.cwd;
  return {
    directory,
    worktree: host.worktree(directory),
    sessionID: ctx.sessionId ?? "",
    messageID: toolCallId,
    callID: toolCallId,
    agent: "build",
    abort: signal,
    metadata(said = {}) {
      const text = typeof said.metadata?.output === "string" ? said.metadata.output : (said.title ?? "");
      onUpdate({
        content: text === "" ? [] : [{ type: "text", text }],
        details: { title: said.title, metadata: said.metadata },
      });
    },
    /** Asks the person; without one the answer is no, unless everything was approved beforehand. */
    async ask(request = {}) {
      if (ctx.autoApprove === true) return;
      const what = `${request.permission ?? "permission"} ${[...(request.patterns ?? [])].join(", ")}`.trim();
      if (!ctx.hasUI)
        throw new Error(`The tool asks for permission (${what}), but nobody can answer; allow it with --auto-approve`);
      if (!(await ctx.ui.confirm("Permission", what))) throw new Error(`The user refused permission: ${what}`);
    },
  };
}

const invoke = async (object, toolCallId, params, onUpdate, ctx, signal) =>
  asResult(await object.definition.execute(params, contextOf(toolCallId, onUpdate, ctx, signal)));

function adapt(name, definition) {
  const object = Object.create(definition, {
    definition: { value: definition },
    name: { value: name, enumerable: true },
    parameters: { value: parametersOf(definition.args), enumerable: true },
  });
  return { object, invoke };
}

/** The tools among a module's exports; undefined when there is none. */
export function toolsOf(exports, path) {
  const file = nameOf(path);
  const found = [];
  for (const [key, value] of Object.entries(exports)) {
    if (!isDefinition(value)) continue;
    // A CommonJS module is its own default; what it exports by name is found there, too.
    if (found.some((known) => known.object.definition === value)) continue;
    const tool = adapt(key === "default" ? file : `${file}_${key}`, value);
    if (key === "default") found.unshift(tool);
    else found.push(tool);
  }
  return found.length === 0 ? undefined : found;
}

/** `@opencode-ai/plugin`: a tool as it is written down, and the schema library. */
export function tool(definition) {
  return definition;
}
Object.defineProperty(tool, "schema", { get: () => builtin("toolsmith:npm/zod/index").z, enumerable: true });

export default { tool };
