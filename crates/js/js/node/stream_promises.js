// Node's streams, waited for.

import { promises } from "toolsmith:node/stream";

export const { finished, pipeline } = promises;
export default promises;
