// The module `toolsmith`: the exports of all packages of compatible agents under one name.

export * from "toolsmith:compat/coding_agent";
export * from "toolsmith:compat/tui";
export * from "toolsmith:compat/ai";
export * from "toolsmith:compat/environment";
// Several packages have their own; the main one counts.
export { default, formatBytes, logger, z } from "toolsmith:compat/coding_agent";
