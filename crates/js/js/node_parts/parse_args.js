// Arguments of a command line taken apart: `util.parseArgs`.

import {
  checkBoolean,
  checkObject,
  checkString,
  coded,
  invalidArgType,
  invalidArgValue,
} from "toolsmith:node_parts/arguments";

const problem = (code, message) => coded(TypeError, code, message);

function checkOptions(options) {
  checkObject(options, "options");
  for (const [name, option] of Object.entries(options)) {
    checkObject(option, `options.${name}`);
    if (option.type !== "string" && option.type !== "boolean")
      throw invalidArgType(`options.${name}.type`, "('string|boolean')", option.type);
    if (Object.hasOwn(option, "short")) {
      checkString(option.short, `options.${name}.short`);
      if (option.short.length !== 1)
        throw invalidArgValue(`options.${name}.short`, option.short, "must be a single character");
    }
    if (Object.hasOwn(option, "multiple")) checkBoolean(option.multiple, `options.${name}.multiple`);
    if (option.default !== undefined) {
      const fits =
        option.type === "string" ? (value) => typeof value === "string" : (value) => typeof value === "boolean";
      const values = option.multiple ? option.default : [option.default];
      if (!Array.isArray(values)) throw invalidArgType(`options.${name}.default`, "Array", option.default);
      if (!values.every(fits)) throw invalidArgType(`options.${name}.default`, option.type, option.default);
    }
  }
}

const byShort = (options, letter) =>
  Object.entries(options).find(([, option]) => option.short === letter)?.[0] ?? letter;

/** The arguments as tokens. */
function tokenize(args, options) {
  const tokens = [];
  const rest = [...args];
  let index = -1;
  let expanded = 0;
  const push = (rawName, name, value, inlineValue) =>
    tokens.push({ kind: "option", name, rawName, index, value, inlineValue });
  while (rest.length > 0) {
    const arg = rest.shift();
    if (expanded > 0) expanded--;
    else index++;
    if (arg === "--") {
      tokens.push({ kind: "option-terminator", index });
      for (const value of rest) tokens.push({ kind: "positional", index: ++index, value });
      break;
    }
    if (/^-[^-]$/.test(arg)) {
      const name = byShort(options, arg[1]);
      if (options[name]?.type === "string" && rest.length > 0) {
        push(arg, name, rest.shift(), false);
        index++;
        tokens.at(-1).index = index - 1;
      } else push(arg, name, undefined, undefined);
    } else if (/^-[^-]./.test(arg) && options[byShort(options, arg[1])]?.type !== "string") {
      // Several letters in one.
      const letters = [];
      for (let at = 1; at < arg.length; at++) {
        const name = byShort(options, arg[at]);
        if (options[name]?.type !== "string" || at === arg.length - 1) letters.push(`-${arg[at]}`);
        else {
          letters.push(`-${arg.slice(at)}`);
          break;
        }
      }
      rest.unshift(...letters);
      expanded = letters.length;
    } else if (/^-[^-]./.test(arg)) {
      push(arg.slice(0, 2), byShort(options, arg[1]), arg.slice(2), true);
    } else if (/^--[^=]+$/.test(arg)) {
      const name = arg.slice(2);
      if (options[name]?.type === "string" && rest.length > 0) {
        push(arg, name, rest.shift(), false);
        index++;
        tokens.at(-1).index = index - 1;
      } else push(arg, name, undefined, undefined);
    } else if (/^--[^=]+=/.test(arg)) {
      const at = arg.indexOf("=");
      push(arg.slice(0, at), arg.slice(2, at), arg.slice(at + 1), true);
    } else tokens.push({ kind: "positional", index, value: arg });
  }
  return tokens;
}

function checkUsage(token, options, allowPositionals, allowNegative) {
  const name = token.name;
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (known === undefined) {
    const negated =
      allowNegative &&
      name.startsWith("no-") &&
      Object.hasOwn(options, name.slice(3)) &&
      options[name.slice(3)].type === "boolean";
    if (negated) return;
    const hint = allowPositionals
      ? ". To specify a positional argument starting with a '-', place it at the end of the command after '--', " +
        `as in '-- "${token.rawName}"`
      : "";
    throw problem("ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${token.rawName}'${hint}`);
  }
  const shown = `${known.short ? `-${known.short}, ` : ""}--${name}`;
  if (known.type === "string" && typeof token.value !== "string")
    throw problem("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${shown} <value>' argument missing`);
  if (known.type === "boolean" && token.value !== undefined && token.value !== null)
    throw problem("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${shown}' does not take an argument`);
  if (known.type === "string" && token.inlineValue === false && token.value.length > 1 && token.value.startsWith("-")) {
    const example = token.rawName.startsWith("--")
      ? `'${token.rawName}=-XYZ'`
      : `'--${name}=-XYZ' or '${token.rawName}-XYZ'`;
    throw problem(
      "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${token.rawName}' argument is ambiguous.\n` +
        `Did you forget to specify the option argument for '${token.rawName}'?\n` +
        `To specify an option argument starting with a dash use ${example}.`,
    );
  }
}

export function parseArgs(config = {}) {
  checkObject(config, "config");
  const {
    args = globalThis.process.argv.slice(2),
    options = {},
    strict = true,
    tokens: withTokens = false,
    allowNegative = false,
  } = config;
  const allowPositionals = config.allowPositionals ?? !strict;
  if (!Array.isArray(args)) throw invalidArgType("args", "Array", args);
  checkBoolean(strict, "strict");
  checkBoolean(allowPositionals, "allowPositionals");
  checkBoolean(withTokens, "tokens");
  checkBoolean(allowNegative, "allowNegative");
  checkOptions(options);
  const tokens = tokenize(args, options);
  const values = Object.create(null);
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === "positional") {
      if (!allowPositionals)
        throw problem(
          "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
          `Unexpected argument '${token.value}'. This command does not take positional arguments`,
        );
      positionals.push(token.value);
    }
    if (token.kind !== "option") continue;
    if (strict) checkUsage(token, options, allowPositionals, allowNegative);
    let { name } = token;
    let value = token.value ?? true;
    if (allowNegative && name.startsWith("no-") && !Object.hasOwn(options, name)) {
      name = name.slice(3);
      value = false;
    }
    if (name === "__proto__") continue;
    if (options[name]?.multiple) (values[name] ??= []).push(value);
    else values[name] = value;
  }
  for (const [name, option] of Object.entries(options))
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  return withTokens ? { values, positionals, tokens } : { values, positionals };
}
