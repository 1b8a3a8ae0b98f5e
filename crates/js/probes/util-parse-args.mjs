// Probe of node:util (parseArgs).

import { probe } from "./probe.mjs";
import { parseArgs } from "node:util";

export default probe("node:util (parseArgs)", "parseArgs", async (pi, signal) => {
  const { values, positionals } = parseArgs({ args: ["-v", "--name", "x", "--list=a", "--list", "b", "rest"], options: { v: { type: "boolean", short: "v" }, name: { type: "string" }, list: { type: "string", multiple: true } }, allowPositionals: true });
  let refused;
  try { parseArgs({ args: ["--no"], options: {} }); } catch (error) { refused = error.code; }
  return [{ ...values }, positionals, refused];
}, [{ v: true, name: "x", list: ["a", "b"] }, ["rest"], "ERR_PARSE_ARGS_UNKNOWN_OPTION"]);
