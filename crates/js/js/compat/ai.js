// The model package of compatible agents: schema helpers.

import { builtin } from "toolsmith:kernel";

/** A string that is one of a list, in the form every provider accepts. */
export function StringEnum(values, options = {}) {
  const { Unsafe } = builtin("toolsmith:npm/typebox").Type;
  const { description, default: fallback, ...rest } = options;
  const more = {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...rest,
  };
  return Unsafe({ type: "string", enum: [...values], ...more });
}

// Models and their keys are the host's; a tool sees neither.
export const getProviders = () => [];
export const getModels = () => [];
export const getModel = () => undefined;
export const getEnvApiKey = () => undefined;
export const calculateCost = () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 });

// Libraries the package hands on; they load when they are touched.
export const Type = new Proxy(
  {},
  {
    get: (_, key) => builtin("toolsmith:npm/typebox").Type[key],
    has: (_, key) => key in builtin("toolsmith:npm/typebox").Type,
  },
);
export const z = new Proxy(function () {}, {
  get: (_, key) => builtin("toolsmith:npm/zod/index")[key],
  has: (_, key) => key in builtin("toolsmith:npm/zod/index"),
});

export {
  AssistantMessageEventStream,
  EventStream,
  complete,
  completeSimple,
  createAssistantMessageEventStream,
  stream,
  streamSimple,
  uuidv7,
} from "toolsmith:compat/model_calls";

// Providers are registered with `pi.registerProvider`.
export const registerApiProvider = () => {};
export const isContextOverflow = (message) => /context|too long|maximum.*tokens/i.test(message?.errorMessage ?? "");

export default { StringEnum, Type, z, getEnvApiKey, calculateCost };
