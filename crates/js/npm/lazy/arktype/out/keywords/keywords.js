// The keywords of the library, made when they are used: there are two hundred, and most types need a few. The library's own
// modules are unchanged; they are the built-in modules `toolsmith:npm/arktype-…`.

import { $ark, intrinsic, RootModule, rootSchemaScope } from "@ark/schema";
import { builtin } from "toolsmith:kernel";
import { scope } from "../scope.js";

// Without compiled validators: see `config.js`.
const { resolvedConfig } = $ark;

/** Gives the exports of one of the library's modules, made as if the library were still being loaded. */
function own(name) {
  const before = [rootSchemaScope.resolvedConfig, $ark.resolvedConfig, $ark.typeAttachments];
  [rootSchemaScope.resolvedConfig, $ark.resolvedConfig, $ark.typeAttachments] = [
    resolvedConfig,
    resolvedConfig,
    undefined,
  ];
  try {
    return builtin(`toolsmith:npm/arktype-${name}`);
  } finally {
    [rootSchemaScope.resolvedConfig, $ark.resolvedConfig, $ark.typeAttachments] = before;
  }
}

/** Defines a member that is made when it is first read. */
function defineLazily(object, name, make) {
  const define = (value) =>
    Object.defineProperty(object, name, { configurable: true, enumerable: true, writable: true, value });
  const get = () => {
    const value = make();
    define(value);
    return value;
  };
  Object.defineProperty(object, name, { configurable: true, enumerable: true, get, set: define });
}

/** A module of keywords of which some are made already. */
function lazyModule(made, names, module) {
  const result = new RootModule(made);
  for (const name of names.split(" ")) defineLazily(result, name, () => module()[name]);
  return result;
}

/** Gives what a scope offers under the name of a keyword. */
function bind(keyword, $) {
  if (!(keyword instanceof RootModule)) {
    const bound = $.bindReference(keyword);
    // What is called by its own name is compiled like any other type.
    return typeof bound.allows === "function" ? $.finalize(bound) : bound;
  }
  const result = new RootModule({});
  for (const name of Object.keys(keyword)) defineLazily(result, name, () => bind(keyword[name], $));
  return result;
}

const names = (text, module) => text.split(" ").map((name) => [name, () => module()[name]]);

const types = () => own("ts");
const prototypes = () => own("constructors").arkPrototypes;
const strings =
  "alpha alphanumeric hex base58 base64 capitalize creditCard date digits email integer ip json lower normalize numeric " +
  "regex semver trim upper url uuid";
const numbers = "integer epoch safe NaN Infinity NegativeInfinity";

/** What is not made at once, in the order of the library. */
const lazy = new Map([
  ["number", () => lazyModule({ root: intrinsic.number }, numbers, () => own("number").number)],
  ["object", () => lazyModule({ root: intrinsic.object }, "json", () => types().object)],
  ["string", () => lazyModule({ root: intrinsic.string }, strings, () => own("string").string)],
  ["unknown", () => lazyModule({ root: intrinsic.unknown }, "any", () => types().unknown)],
  ...names("Exclude Extract Omit Partial Pick Record Required", () => types().arkTsGenerics),
  [
    "Array",
    () =>
      lazyModule(
        { root: intrinsic.Array, index: intrinsic.nonNegativeIntegerString },
        "readonly liftFrom",
        () => prototypes().Array,
      ),
  ],
  ...names("Error Function Map Promise RegExp Set WeakMap WeakSet ArrayBuffer Blob File", prototypes),
  ...names("FormData Headers Request Response URL TypedArray", prototypes),
  ...names("Merge", () => own("builtins").arkBuiltins),
]);

const { bigint, boolean, never, symbol, undefined: none, Date, key: Key } = intrinsic;
const made = { bigint, boolean, false: intrinsic.false, never, null: intrinsic.null, symbol, true: intrinsic.true };
export const ark = scope({ ...made, undefined: none, Date, Key }, { prereducedAliases: true, name: "ark" });
export const keywords = ark.export();
for (const [name, make] of lazy) {
  defineLazily(ark.aliases, name, make);
  defineLazily(ark._exports, name, () => bind(ark.aliases[name], ark));
  defineLazily(keywords, name, () => ark._exports[name]);
}
ark.exportedNames.push(...lazy.keys());
for (const name of ark.exportedNames) defineLazily($ark.ambient, name, () => keywords[name]);

// From here on, types are compiled where the engine allows it.
const { jitless } = $ark.defaultConfig;
delete $ark.config.jitless;
delete ark.config.jitless;
ark.resolvedConfig = { ...ark.resolvedConfig, jitless };
rootSchemaScope.resolvedConfig = { ...rootSchemaScope.resolvedConfig, jitless };
$ark.resolvedConfig = { ...$ark.resolvedConfig, jitless };

const attached = {
  arrayIndex: () => keywords.Array.index,
  Array: () => keywords.Array.root,
};
for (const name of ["string", "number", "object", "unknown"]) attached[name] = () => keywords[name].root;
for (const name of [
  "bigint",
  "boolean",
  "symbol",
  "undefined",
  "null",
  "false",
  "true",
  "never",
  "Key",
  "Record",
  "Date",
])
  attached[name] = () => keywords[name];
export const { type } = ark;
$ark.typeAttachments = {};
for (const [name, make] of Object.entries(attached)) {
  defineLazily($ark.typeAttachments, name, make);
  defineLazily(type, name, make);
}
export const { match, fn, generic, schema, define, declare } = ark;
