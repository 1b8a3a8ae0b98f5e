// Node's `vm`: code that runs in this context. The engine offers no second one.

import { host } from "toolsmith:kernel";
import { absentAll } from "toolsmith:node_parts/absent";
import { checkString } from "toolsmith:node_parts/arguments";

export const {
  createContext,
  runInContext,
  runInNewContext,
  SourceTextModule,
  SyntheticModule,
  Module,
  measureMemory,
} = absentAll("vm", [
  "createContext",
  "runInContext",
  "runInNewContext",
  "SourceTextModule",
  "SyntheticModule",
  "Module",
  "measureMemory",
]);

export class Script {
  #code;
  constructor(code) {
    this.#code = `${code}`;
    // Mistakes are to be told now, as Node tells them: a body that never runs is compiled for that.
    try {
      new Function(this.#code);
    } catch (error) {
      if (error instanceof SyntaxError && !/return|await|import/.test(error.message)) throw error;
    }
    this.cachedDataRejected = undefined;
  }
  runInThisContext() {
    return host.evalScript(this.#code);
  }
  createCachedData() {
    return new Uint8Array(0);
  }
}
Script.prototype.runInContext = runInContext;
Script.prototype.runInNewContext = runInNewContext;

export const runInThisContext = (code) => new Script(code).runInThisContext();
export const isContext = () => false;
export const createScript = (code) => new Script(code);

export function compileFunction(code, parameters = []) {
  checkString(code, "code");
  return new Function(...parameters, code);
}
export const constants = {
  USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol("vm_dynamic_import_main_context_default"),
  DONT_CONTEXTIFY: Symbol("vm_context_no_contextify"),
};
export default {
  Script,
  createContext,
  runInContext,
  runInNewContext,
  SourceTextModule,
  SyntheticModule,
  Module,
  measureMemory,
  runInThisContext,
  isContext,
  createScript,
  compileFunction,
  constants,
};
