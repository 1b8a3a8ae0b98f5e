// The old name of `util`.

export * from "toolsmith:node/util";
export { default } from "toolsmith:node/util";
