// Members of Node's modules that cannot be had here: they are there to be imported, and say so when they are used.

import { coded } from "toolsmith:node_parts/arguments";

const refusal = (module, name) =>
  coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `${module}.${name} is not available in Toolsmith's engine`);

/** A function and class that throws when it is called or made. */
export function absent(module, name) {
  const stub = function () {
    throw refusal(module, name);
  };
  Object.defineProperty(stub, "name", { value: name });
  return stub;
}

/** Several of them, by name. */
export const absentAll = (module, names) => Object.fromEntries(names.map((name) => [name, absent(module, name)]));
