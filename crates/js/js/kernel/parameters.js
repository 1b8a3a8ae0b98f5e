// The order of a tool's parameters, read from their names.

// Parameters by their names: the first two, then the third. Types are gone by now.
const THIRD = /^[^(]*\(\s*[\w$]+\s*,\s*(?:[\w$]+|\{[^{}]*\})(?:\s*=\s*[^,]+)?\s*,\s*([\w$]+)/;

/** The name of the third parameter of `execute`, where it can be read. */
function thirdParameter(object) {
  const { execute } = object ?? {};
  if (typeof execute !== "function" || execute.length < 3) return "";
  return THIRD.exec(Function.prototype.toString.call(execute).slice(0, 500))?.[1] ?? "";
}

export const takesSignalThird = (object) => /^_*(?:abort)?_?signal$|^_*abort$/i.test(thirdParameter(object));
export const takesUpdatesThird = (object) => /update|progress/i.test(thirdParameter(object));
