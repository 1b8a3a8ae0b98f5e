// What `assert` throws: what was found, what was expected, and where the two differ.

import { inspect } from "toolsmith:web/inspect";

const TITLES = {
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: "Expected values to be loosely deep-equal:",
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: "Values have same structure but are not reference-equal:",
  notDeepEqualUnequal: "Expected values not to be loosely deep-equal:",
};

export const isErrorLike = (value) => value instanceof Error;
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const show = (value) =>
  inspect(value, {
    compact: false,
    customInspect: false,
    depth: 1000,
    maxArrayLength: Infinity,
    showHidden: false,
    showProxy: false,
    sorted: true,
    getters: true,
    breakLength: Infinity,
  });

/** The lines of two texts side by side, by their longest common part. */
function difference(one, other) {
  const [rows, columns] = [one.length, other.length];
  // Beyond this the table would not fit; the two are shown one after the other.
  if (rows * columns > 4_000_000) return [...one.map((line) => `+ ${line}`), ...other.map((line) => `- ${line}`)];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row][column] =
        one[row] === other[column]
          ? lengths[row + 1][column + 1] + 1
          : Math.max(lengths[row + 1][column], lengths[row][column + 1]);
    }
  }
  const lines = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && one[row] === other[column]) {
      lines.push(`  ${one[row++]}`);
      column++;
    } else if (row < rows && (column >= columns || lengths[row + 1][column] >= lengths[row][column + 1]))
      lines.push(`+ ${one[row++]}`);
    else lines.push(`- ${other[column++]}`);
  }
  return lines;
}

function compare(actual, expected, operator) {
  const [found, wanted] = [show(actual).split("\n"), show(expected).split("\n")];
  let kind = operator;
  if (
    operator === "strictEqual" &&
    ((typeof actual === "object" && actual !== null && typeof expected === "object" && expected !== null) ||
      (typeof actual === "function" && typeof expected === "function"))
  )
    kind = "strictEqualObject";
  if (found.length === 1 && wanted.length === 1 && found[0] !== wanted[0]) {
    const length = found[0].length + wanted[0].length;
    const simple =
      (!isObject(actual) || actual === null) &&
      (!isObject(expected) || expected === null) &&
      (actual !== 0 || expected !== 0);
    if (length <= 12 && simple) return `${TITLES[kind]}\n\n${found[0]} !== ${wanted[0]}\n`;
    let same = 0;
    while (found[0][same] === wanted[0][same]) same++;
    const mark = kind !== "strictEqualObject" && length < 80 && same > 2 ? `\n  ${" ".repeat(same)}^` : "";
    return `${TITLES[kind]}\n+ actual - expected\n\n+ ${found[0]}\n- ${wanted[0]}${mark}`;
  }
  if (found.join("\n") === wanted.join("\n")) return `${TITLES.notIdentical}\n\n${found.join("\n")}\n`;
  const lines = difference(found, wanted);
  return `${TITLES[kind]}\n+ actual - expected\n\n${lines.join("\n")}`;
}

function describe(actual, expected, operator) {
  if (operator === "deepStrictEqual" || operator === "strictEqual") return compare(actual, expected, operator);
  if (operator === "notDeepStrictEqual" || operator === "notStrictEqual") {
    const lines = show(actual).split("\n");
    const title = operator === "notStrictEqual" && isObject(actual) ? TITLES.notStrictEqualObject : TITLES[operator];
    return lines.length === 1
      ? `${title}${lines[0].length > 5 ? "\n\n" : " "}${lines[0]}`
      : `${title}\n\n${lines.join("\n")}\n`;
  }
  const [found, wanted] = [show(actual), show(expected)];
  if (operator === "deepEqual") return `${TITLES.deepEqual}\n\n${found}\n\nshould loosely deep-equal\n\n${wanted}`;
  if (operator === "notDeepEqual")
    return `${TITLES.notDeepEqualUnequal}\n\n${found}${found === wanted ? "" : `\n\nshould not loosely deep-equal\n\n${wanted}`}`;
  return `${found} ${operator} ${wanted}`;
}

export class AssertionError extends Error {
  constructor(options) {
    if (typeof options !== "object" || options === null)
      throw Object.assign(new TypeError('The "options" argument must be of type object.'), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    const { actual, expected, operator, message, generatedMessage } = options;
    super(message === undefined || message === null ? describe(actual, expected, operator) : String(message));
    this.generatedMessage = generatedMessage ?? (message === undefined || message === null);
    Object.defineProperty(this, "name", {
      value: "AssertionError",
      writable: true,
      configurable: true,
      enumerable: false,
    });
    this.code = "ERR_ASSERTION";
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Object.defineProperty(this, "toString", {
      value: () => `${this.name} [${this.code}]: ${this.message}`,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
}

/** Throws for a comparison that failed. */
export function innerFail({ actual, expected, message, operator }) {
  if (isErrorLike(message)) throw message;
  throw new AssertionError({ actual, expected, message, operator });
}
