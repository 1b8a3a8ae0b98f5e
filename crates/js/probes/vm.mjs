// Probe of node:vm.

import { probe } from "./probe.mjs";
import vm from "node:vm";

export default probe("node:vm", "runInNewContext, Script, createContext", async (pi, signal) => {
  const context = vm.createContext({ a: 2 });
  return [vm.runInContext("a * 21", context), new vm.Script("1 + 1").runInThisContext(), vm.runInNewContext("typeof process")];
}, [42, 2, "undefined"]);
