// Node's `wasi`: the engine has no WebAssembly.

import { absentAll } from "toolsmith:node_parts/absent";

export const { WASI } = absentAll("wasi", ["WASI"]);
export default { WASI };
