// From JSON Schema to zod: tools go the other way.

import { lazyFunction } from "toolsmith:module/lazy";

export const fromJSONSchema = lazyFunction("toolsmith:npm/zod/v4/classic/from-json-schema.whole", "fromJSONSchema");
