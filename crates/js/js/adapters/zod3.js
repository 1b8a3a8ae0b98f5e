// JSON Schema of zod 3 schemas, which do not bring their own.

const described = (schema, json) =>
  schema.description === undefined ? json : { ...json, description: schema.description };

function checks(list, table) {
  const json = {};
  for (const check of list ?? []) Object.assign(json, table[check.kind]?.(check));
  return json;
}

const STRING = {
  min: (c) => ({ minLength: c.value }),
  max: (c) => ({ maxLength: c.value }),
  length: (c) => ({ minLength: c.value, maxLength: c.value }),
  email: () => ({ format: "email" }),
  url: () => ({ format: "uri" }),
  uuid: () => ({ format: "uuid" }),
  datetime: () => ({ format: "date-time" }),
  regex: (c) => ({ pattern: c.regex.source }),
};
const NUMBER = {
  int: () => ({ type: "integer" }),
  multipleOf: (c) => ({ multipleOf: c.value }),
  min: (c) => (c.inclusive ? { minimum: c.value } : { exclusiveMinimum: c.value }),
  max: (c) => (c.inclusive ? { maximum: c.value } : { exclusiveMaximum: c.value }),
};

const readers = {
  ZodString: (def) => ({ type: "string", ...checks(def.checks, STRING) }),
  ZodNumber: (def) => ({ type: "number", ...checks(def.checks, NUMBER) }),
  ZodBoolean: () => ({ type: "boolean" }),
  ZodNull: () => ({ type: "null" }),
  ZodLiteral: (def) => ({ const: def.value }),
  ZodEnum: (def) => ({ type: "string", enum: [...def.values] }),
  ZodNativeEnum: (def) => ({
    enum: Object.values(def.values).filter((value) => typeof def.values[value] !== "number"),
  }),
  ZodArray: (def) => ({
    type: "array",
    items: read(def.type),
    ...(def.minLength ? { minItems: def.minLength.value } : {}),
    ...(def.maxLength ? { maxItems: def.maxLength.value } : {}),
  }),
  ZodTuple: (def) => ({ type: "array", prefixItems: def.items.map(read), minItems: def.items.length }),
  ZodRecord: (def) => ({ type: "object", additionalProperties: read(def.valueType) }),
  ZodUnion: (def) => ({ anyOf: [...def.options].map(read) }),
  ZodDiscriminatedUnion: (def) => ({ anyOf: [...def.options.values()].map(read) }),
  ZodIntersection: (def) => ({ allOf: [read(def.left), read(def.right)] }),
  ZodOptional: (def) => read(def.innerType),
  ZodNullable: (def) => ({ anyOf: [read(def.innerType), { type: "null" }] }),
  ZodDefault: (def) => ({ ...read(def.innerType), default: def.defaultValue() }),
  ZodCatch: (def) => read(def.innerType),
  ZodReadonly: (def) => read(def.innerType),
  ZodBranded: (def) => read(def.type),
  ZodEffects: (def) => read(def.schema),
  ZodPipeline: (def) => read(def.in),
  ZodLazy: (def) => read(def.getter()),
  ZodObject(def) {
    const shape = def.shape();
    const required = Object.keys(shape).filter((key) => !shape[key].isOptional());
    return {
      type: "object",
      properties: Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, read(value)])),
      ...(required.length > 0 ? { required } : {}),
      ...(def.unknownKeys === "strict" ? { additionalProperties: false } : {}),
    };
  },
};

let depth = 0;

function read(schema) {
  // A schema that refers to itself has no end; beyond some depth anything goes.
  if (depth > 20) return {};
  depth++;
  try {
    return described(schema, readers[schema._def.typeName]?.(schema._def) ?? {});
  } finally {
    depth--;
  }
}

export const toJsonSchema = (schema) => read(schema);
