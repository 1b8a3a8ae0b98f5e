// Node's `tty`: a tool has no terminal.

import { absentAll } from "toolsmith:node_parts/absent";

export const isatty = () => false;
export const { ReadStream, WriteStream } = absentAll("tty", ["ReadStream", "WriteStream"]);
export default { isatty, ReadStream, WriteStream };
