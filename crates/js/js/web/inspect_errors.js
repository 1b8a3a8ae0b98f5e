// Errors as text: what they are, what they say, and where they were made.

/** The first line, as an engine that writes it into the stack would. */
function headOf(error, name) {
  const own = Object.getOwnPropertyDescriptor(error, "toString");
  let text;
  try {
    text = typeof own?.value === "function" ? error.toString() : Error.prototype.toString.call(error);
  } catch {
    text = "Error";
  }
  // A class of one's own is named even where it did not name itself.
  if (name !== null && name !== "Error" && text.startsWith("Error") && !text.includes(name))
    text = name + text.slice(5);
  return text;
}

/** The text of an error; takes out of `keys` what that says already, and adds what has to be said. */
export function errorBase(ctx, error, name, tag, keys) {
  const head = headOf(error, name);
  const frames = typeof error.stack === "string" ? error.stack.trimEnd() : "";
  for (const key of ["name", "message", "stack"]) {
    const at = keys.indexOf(key);
    if (at >= 0 && (key === "stack" || head.includes(String(error[key])))) keys.splice(at, 1);
  }
  if ("cause" in error && !keys.includes("cause")) keys.push("cause");
  if (Array.isArray(error.errors) && !keys.includes("errors")) keys.push("errors");
  let text = frames === "" ? head : frames.startsWith(head.split("\n")[0]) ? frames : `${head}\n${frames}`;
  if (name === null) text = `[${head}: null prototype]`;
  else if (frames === "") text = `[${text}]`;
  if (tag !== "" && tag !== name && !text.includes(tag)) text += ` [${tag}]`;
  return ctx.indentationLvl === 0 ? text : text.replaceAll("\n", `\n${" ".repeat(ctx.indentationLvl)}`);
}
