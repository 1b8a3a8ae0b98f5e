// The web's streams under Node's name for them.

export * from "toolsmith:web/streams";
import * as streams from "toolsmith:web/streams";

export default { ...streams };
