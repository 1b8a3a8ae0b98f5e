// Node's `dgram`.

import { absentAll } from "toolsmith:node_parts/absent";

export const { createSocket, Socket } = absentAll("dgram", ["createSocket", "Socket"]);
export default { createSocket, Socket };
