// Node's `repl`, which needs a terminal.

import { absentAll } from "toolsmith:node_parts/absent";

export const { start, REPLServer, Recoverable } = absentAll("repl", ["start", "REPLServer", "Recoverable"]);
export const builtinModules = [];
export default { start, REPLServer, Recoverable, builtinModules };
