// Schemas that are compiled to code: few tools make any.

import { lazyClass, lazyFunction } from "toolsmith:module/lazy";

const MODULE = "toolsmith:npm/zod/v4/core/compile.whole";

export const INVALID = Symbol.for("zod.compile.invalid");
export const ZodCompileAsyncError = lazyClass(MODULE, "ZodCompileAsyncError");
export const ZodCompileUnsupportedError = lazyClass(MODULE, "ZodCompileUnsupportedError");
export const compile = lazyFunction(MODULE, "compile");
export const withParser = lazyFunction(MODULE, "withParser");
export const compileFn = lazyFunction(MODULE, "compileFn");
