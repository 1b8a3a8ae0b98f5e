// Bun.YAML, Bun.TOML and Bun.semver, and the members of Bun that only Bun has.

import { host } from "toolsmith:kernel";

const native = host.group("formats");

const plain = /^[A-Za-z_][\w ./-]*$/u;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/iu;

function scalar(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number")
    return Number.isNaN(value) ? ".nan" : Number.isFinite(value) ? String(value) : value > 0 ? ".inf" : "-.inf";
  if (typeof value !== "string") return String(value);
  return plain.test(value) && !reserved.test(value) && value.trim() === value ? value : JSON.stringify(value);
}

function lines(value, indent) {
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item) => ["-", item])
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => [`${scalar(key)}:`, item]);
  return entries.flatMap(([head, item]) => {
    const plainItem = typeof item?.toJSON === "function" ? item.toJSON() : item;
    if (typeof plainItem !== "object" || plainItem === null) return [`${indent}${head} ${scalar(plainItem)}`];
    const inner = lines(plainItem, `${indent}  `);
    if (inner.length === 0) return [`${indent}${head} ${Array.isArray(plainItem) ? "[]" : "{}"}`];
    return isList ? [`${indent}- ${inner[0].trimStart()}`, ...inner.slice(1)] : [`${indent}${head}`, ...inner];
  });
}

const text = (value) => (typeof value === "string" ? value : new TextDecoder().decode(value));

export const YAML = {
  parse: (input) => JSON.parse(native.parse("yaml", text(input))),
  stringify(value, _replacer, space) {
    if (typeof value !== "object" || value === null) return scalar(value);
    if (space === undefined || space === 0 || space === "") return JSON.stringify(value);
    return lines(value, "").join("\n");
  },
};

export const TOML = { parse: (input) => JSON.parse(native.parse("toml", text(input))) };

const VERSION = /^\s*[v=]*\s*(\d+)(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([\w.-]+))?(?:\+[\w.-]+)?\s*$/u;

function parts(version) {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const number = (index) =>
    match[index] === undefined || /[xX*]/u.test(match[index]) ? undefined : Number(match[index]);
  return { numbers: [number(1), number(2), number(3)], pre: match[4]?.split(".") ?? [] };
}

const sign = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

function comparePre(one, other) {
  if (one.length === 0 || other.length === 0) return sign(other.length, one.length) && (one.length === 0 ? 1 : -1);
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const [left, right] = [one[index], other[index]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const [leftIsNumber, rightIsNumber] = [/^\d+$/u.test(left), /^\d+$/u.test(right)];
    const order =
      leftIsNumber && rightIsNumber
        ? sign(Number(left), Number(right))
        : leftIsNumber
          ? -1
          : rightIsNumber
            ? 1
            : sign(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

function compare(one, other) {
  for (let index = 0; index < 3; index += 1) {
    const order = sign(one.numbers[index] ?? 0, other.numbers[index] ?? 0);
    if (order !== 0) return order;
  }
  return comparePre(one.pre, other.pre);
}

const at = (numbers, pre = []) => ({ numbers, pre });
const next = ([major, minor = 0, patch = 0], index) =>
  at(index === 0 ? [major + 1, 0, 0] : index === 1 ? [major, minor + 1, 0] : [major, minor, patch + 1], ["0"]);

/** A comparator such as `^1.2` as bounds: lowest allowed, and lowest not allowed. */
function bounds(comparator) {
  if (comparator === "" || /^[xX*]$/u.test(comparator)) return [];
  const [, operator, version] = /^(\^|~>?|>=|<=|>|<|=)?\s*(.*)$/u.exec(comparator);
  const parsed = parts(version);
  if (parsed === undefined) return undefined;
  const { numbers, pre } = parsed;
  const [major, minor, patch] = numbers;
  const low = at([major ?? 0, minor ?? 0, patch ?? 0], pre);
  const known = major === undefined ? 0 : minor === undefined ? 1 : patch === undefined ? 2 : 3;
  const above = next(low.numbers, Math.max(known - 1, 0));
  const not = (bound) => [["<", bound]];
  if (operator === "^") {
    const index = major > 0 || known === 1 ? 0 : minor > 0 || known === 2 ? 1 : 2;
    return [[">=", low], ...not(next(low.numbers, index))];
  }
  if (operator === "~" || operator === "~>") return [[">=", low], ...not(next(low.numbers, known === 1 ? 0 : 1))];
  if (operator === ">") return known === 3 ? [[">", low]] : [[">=", next(low.numbers, known - 1)]];
  if (operator === ">=") return [[">=", low]];
  if (operator === "<") return not(known === 3 ? low : at(low.numbers, ["0"]));
  if (operator === "<=") return known === 3 ? [["<=", low]] : not(above);
  return known === 3 ? [["=", low]] : [[">=", low], ...not(above)];
}

function comparators(range) {
  const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/u.exec(range);
  const list =
    hyphen === null
      ? range
          .trim()
          .replace(/(\^|~>?|[<>]=?|=)\s+/gu, "$1")
          .split(/\s+/u)
      : [`>=${hyphen[1]}`, `<=${hyphen[2]}`];
  const all = list.map(bounds);
  return all.includes(undefined) ? undefined : all.flat();
}

function holds([operator, bound], version) {
  const order = compare(version, bound);
  return operator === ">="
    ? order >= 0
    : operator === ">"
      ? order > 0
      : operator === "<="
        ? order <= 0
        : operator === "<"
          ? order < 0
          : order === 0;
}

export const semver = {
  satisfies(version, range) {
    const parsed = parts(String(version));
    if (parsed === undefined) return false;
    return String(range)
      .split("||")
      .some((part) => {
        const all = comparators(part);
        if (all === undefined || !all.every((comparator) => holds(comparator, parsed))) return false;
        // A pre-release satisfies only a range that names one of the same version.
        return (
          parsed.pre.length === 0 ||
          all.some(
            ([operator, bound]) =>
              bound.pre.length > 0 &&
              !(operator === "<" && bound.pre[0] === "0" && bound.pre.length === 1) &&
              bound.numbers.every((number, index) => number === parsed.numbers[index]),
          )
        );
      });
  },
  order(one, other) {
    const [left, right] = [parts(String(one)), parts(String(other))];
    if (left === undefined || right === undefined)
      throw new Error(`Invalid SemVer: ${left === undefined ? one : other}`);
    return compare(left, right);
  },
};

const refuse = (name) => () => {
  throw new Error(`Bun.${name} is not available in the embedded engine; set engine = "bun" for this tool`);
};

export const serve = refuse("serve");
export const listen = refuse("listen");
export const connect = refuse("connect");
export const build = refuse("build");
export const password = {
  hash: refuse("password"),
  hashSync: refuse("password"),
  verify: refuse("password"),
  verifySync: refuse("password"),
};
