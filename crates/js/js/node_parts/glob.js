// Names with wildcards: `*`, `**`, `?`, `[…]` and `{…,…}`, as expressions, and walking folders for what matches.

/** `{a,b}` and `{1..3}` written out. */
export function expandBraces(pattern) {
  let depth = 0;
  let start = -1;
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === "\\") at++;
    else if (letter === "{") {
      if (depth++ === 0) start = at;
    } else if (letter === "}" && depth > 0 && --depth === 0) {
      const choices = alternatives(pattern.slice(start + 1, at));
      if (choices === undefined) continue;
      const [before, after] = [pattern.slice(0, start), pattern.slice(at + 1)];
      return choices.flatMap((choice) => expandBraces(before + choice + after));
    }
  }
  return [pattern];
}

function alternatives(inside) {
  const range = /^(-?\d+)\.\.(-?\d+)$/.exec(inside);
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    // A range no folder could have names for is taken as it is written.
    if (Math.abs(to - from) > 10000) return undefined;
    return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from + Math.sign(to - from) * index));
  }
  const parts = [];
  let depth = 0;
  let part = "";
  for (const letter of inside) {
    if (letter === "{") depth++;
    if (letter === "}") depth--;
    if (letter === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += letter;
  }
  parts.push(part);
  return parts.length > 1 ? parts : undefined;
}

/** One name of a pattern as an expression; undefined for `**`. */
function nameExpression(name) {
  if (name === "**") return undefined;
  let code = name.startsWith(".") ? "" : "(?!\\.)";
  for (let at = 0; at < name.length; at++) {
    const letter = name[at];
    if (letter === "*") {
      while (name[at + 1] === "*") at++;
      code += "[^/]*";
    } else if (letter === "?") code += "[^/]";
    else if (letter === "[") {
      const end = name.indexOf("]", at + 2);
      if (end < 0) code += "\\[";
      else {
        const set = name
          .slice(at + 1, end)
          .replace(/\\/g, "\\\\")
          .replace(/^!/, "^");
        code += `[${set}]`;
        at = end;
      }
    } else {
      const plain = letter === "\\" && at + 1 < name.length ? name[++at] : letter;
      code += plain.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    }
  }
  return new RegExp(`^${code}$`, "u");
}

const compile = (pattern) =>
  pattern
    .split("/")
    .filter((name, index) => name !== "" || index === 0)
    .map((name) => ({ name, test: nameExpression(name) }));

function matchParts(names, parts) {
  if (parts.length === 0) return names.length === 0;
  const [first, ...rest] = parts;
  if (first.name === "**") {
    if (matchParts(names, rest)) return true;
    return names.length > 0 && !names[0].startsWith(".") && matchParts(names.slice(1), parts);
  }
  return names.length > 0 && first.test.test(names[0]) && matchParts(names.slice(1), rest);
}

/** Whether a path as a whole is what a pattern says. */
export function matches(path, pattern, separator = "/") {
  const [names, wanted] = [path, pattern].map((text) => (separator === "/" ? text : text.replaceAll(separator, "/")));
  return expandBraces(wanted).some((each) =>
    matchParts(
      names.split("/").filter((name, index) => name !== "" || index === 0),
      compile(each),
    ),
  );
}

/** Walks folders for a pattern: a plan of requests that hands each match to `found`. */
export function* globPlan(requests, patterns, { cwd, exclude, withFileTypes }, found) {
  const seen = new Set();
  const isExcluded =
    typeof exclude === "function"
      ? exclude
      : Array.isArray(exclude)
        ? (path) => exclude.some((pattern) => matches(typeof path === "string" ? path : path.name, pattern))
        : () => false;

  function* list(folder) {
    try {
      return yield requests.readdir(folder, { withFileTypes: true });
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(error.code)) return [];
      throw error;
    }
  }
  function* walk(below, parts) {
    const [first, ...rest] = parts;
    const base = below.startsWith("/") ? below : `${cwd}/${below}`;
    for (const entry of yield* list(base)) {
      const path = below === "" ? entry.name : below === "/" ? `/${entry.name}` : `${below}/${entry.name}`;
      if (isExcluded(withFileTypes ? entry : path)) continue;
      const isWild = first.name === "**";
      // `**` may stand for nothing, so what comes behind it is tried here too.
      const next = isWild ? rest.findIndex((part) => part.name !== "**") : 0;
      const after = isWild ? rest.slice(Math.max(next, 0)) : parts;
      if (isWild && rest.length === 0 && !entry.name.startsWith(".")) yield* add(path, entry);
      else if (after.length > 0 && after[0].test?.test(entry.name)) {
        if (after.length === 1) yield* add(path, entry);
        else if (after[1].name === "**" && after.length === 2) {
          yield* add(path, entry);
        }
        if (after.length > 1 && entry.isDirectory()) yield* walk(path, after.slice(1));
      }
      if (isWild && entry.isDirectory() && !entry.name.startsWith(".")) yield* walk(path, parts);
    }
  }
  function* add(path, entry) {
    if (seen.has(path)) return;
    seen.add(path);
    yield found(withFileTypes ? entry : path);
  }

  for (const pattern of patterns.flatMap(expandBraces)) {
    const parts = compile(pattern.replace(/^\.\//, ""));
    if (parts[0]?.name === "") yield* walk("/", parts.slice(1));
    else if (parts.length > 0) yield* walk("", parts);
  }
}
