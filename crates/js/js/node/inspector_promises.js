// Node's `inspector/promises`, which there is none of.

export * from "toolsmith:node/inspector";
export { default } from "toolsmith:node/inspector";
