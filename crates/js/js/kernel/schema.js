// Schemas: from zod, TypeBox, arktype or plain JSON Schema to the one JSON Schema a model sees, and, for those whose
// code can check more than a schema can say, the parsing of arguments at the time of a call.

import { builtin } from "./host.js";

const isObject = (value) => typeof value === "object" && value !== null;

function kindOf(schema) {
  if (typeof schema === "function") {
    if (typeof schema.toJsonSchema === "function" && typeof schema.allows === "function") return "arktype";
    return isObject(schema._zod) ? "zod" : "none";
  }
  if (!isObject(schema)) return "none";
  if (isObject(schema._zod)) return "zod";
  if (isObject(schema._def) && typeof schema.safeParseAsync === "function") return "zod3";
  // TypeBox 1.0 and later mark what they make by a hidden member, earlier ones by symbols.
  if ("~kind" in schema) return "typebox";
  if (Object.getOwnPropertySymbols(schema).some((symbol) => String(symbol).startsWith("Symbol(TypeBox.")))
    return "typebox";
  return "json";
}

/** Properties given one by one, each a zod schema: `{ path: z.string() }`. */
function isZodShape(schema) {
  if (!isObject(schema) || Array.isArray(schema)) return false;
  const values = Object.values(schema);
  return values.length > 0 && values.every((value) => kindOf(value) === "zod");
}

function withoutNoise(schema) {
  const { $schema, "~standard": standard, ...rest } = schema;
  return rest;
}

function issuePath(path) {
  return (path ?? []).map((part) => String(isObject(part) ? part.key : part)).join("/") || "root";
}

/** Thrown when arguments are refused by the author's own checks. */
export class Refused extends Error {
  constructor(problems) {
    super("arguments refused");
    this.problems = problems;
  }
}

const readers = {
  zod(schema) {
    const zod = builtin("toolsmith:npm/zod/index");
    const json = zod.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
    return {
      json: withoutNoise(json),
      async check(value) {
        const outcome = await zod.core.safeParseAsync(schema, value);
        if (outcome.success) return outcome.data;
        throw new Refused(outcome.error.issues.map((issue) => [issuePath(issue.path), issue.message]));
      },
    };
  },

  zod3(schema) {
    return {
      json: builtin("toolsmith:adapters/zod3").toJsonSchema(schema),
      async check(value) {
        const outcome = await schema.safeParseAsync(value);
        if (outcome.success) return outcome.data;
        throw new Refused(outcome.error.issues.map((issue) => [issuePath(issue.path), issue.message]));
      },
    };
  },

  arktype(schema) {
    const input = schema.in ?? schema;
    const json = input.toJsonSchema({ fallback: (context) => context.base, dialect: null });
    return {
      json: withoutNoise(json),
      async check(value) {
        const outcome = schema(value);
        if (!Array.isArray(outcome) || outcome[" arkKind"] !== "errors") return outcome;
        throw new Refused([...outcome].map((issue) => [issuePath(issue.path), issue.problem ?? issue.message]));
      },
    };
  },

  typebox: (schema) => ({ json: withoutNoise(schema) }),
  // One that says itself how it is written down may have more to it than its members.
  json: (schema) => ({ json: typeof schema.toJSON === "function" ? schema : withoutNoise(schema) }),
};

/** `{kind, json, check?}` of a tool's parameters, where `json` can be written as JSON; throws when they are no schema. */
export function readSchema(parameters) {
  const kind = kindOf(parameters);
  if (kind === "json" && Array.isArray(parameters))
    throw new TypeError("expected a zod, TypeBox, arktype or JSON schema, got a list");
  if (kind === "none") throw new TypeError(`expected a zod, TypeBox, arktype or JSON schema, got ${typeof parameters}`);
  if (kind === "json" && isZodShape(parameters)) {
    return { kind: "zod", ...readers.zod(builtin("toolsmith:npm/zod/index").object(parameters)) };
  }
  return { kind: kind === "zod3" ? "zod" : kind, ...readers[kind](parameters) };
}
