// Where the parts of a value go: on one line, each on its own, or in columns.

const COLOR = /\u001b\[\d+m/g;

function fits(ctx, output, start, base) {
  let total = output.length + start;
  if (total + output.length > ctx.breakLength) return false;
  for (const part of output) {
    total += (ctx.colors ? part.replace(COLOR, "") : part).length;
    if (total > ctx.breakLength) return false;
  }
  return base === "" || !base.includes("\n");
}

/** Many short items in columns. */
function inColumns(ctx, output, value) {
  const hasMore = ctx.maxArrayLength < output.length;
  const count = hasMore ? output.length - 1 : output.length;
  const lengths = output.slice(0, count).map((part) => (ctx.colors ? part.replace(COLOR, "") : part).length);
  const total = lengths.reduce((sum, length) => sum + length + 2, 0);
  const longest = Math.max(...lengths);
  const width = longest + 2;
  if (width * 3 + ctx.indentationLvl >= ctx.breakLength || (total / width <= 5 && longest > 6)) return output;
  const bias = Math.sqrt(width - total / output.length);
  const biased = Math.max(width - 3 - bias, 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * biased * count) / biased),
    Math.floor((ctx.breakLength - ctx.indentationLvl) / width),
    ctx.compact * 4,
    15,
  );
  if (columns <= 1) return output;
  const widths = Array.from({ length: columns }, (_, column) => {
    let widest = 0;
    for (let at = column; at < count; at += columns) widest = Math.max(widest, lengths[at]);
    return widest + 2;
  });
  const isNumbers =
    value !== undefined &&
    output.every((_, index) => typeof value[index] === "number" || typeof value[index] === "bigint");
  const lines = [];
  for (let from = 0; from < count; from += columns) {
    const to = Math.min(from + columns, count);
    let line = "";
    let at = from;
    for (; at < to - 1; at++) {
      const room = widths[at - from] + output[at].length - lengths[at];
      line += isNumbers ? `${output[at]}, `.padStart(room) : `${output[at]}, `.padEnd(room);
    }
    line += isNumbers ? output[at].padStart(widths[at - from] + output[at].length - lengths[at] - 2) : output[at];
    lines.push(line);
  }
  if (hasMore) lines.push(output[count]);
  return lines;
}

/** Puts the parts of a value between its braces. */
export function joinEntries(ctx, parts, base, braces, isList, depth, value) {
  const start = base === "" ? "" : `${base} `;
  const indentation = `\n${" ".repeat(ctx.indentationLvl)}`;
  if (ctx.compact === true) {
    if (fits(ctx, parts, 0, base))
      return `${braces[0]}${base === "" ? "" : ` ${base}`} ${parts.join(", ")} ${braces[1]}`;
    const line =
      base === "" && braces[0].length === 1 ? " " : `${base === "" ? "" : ` ${base}`}\n${indentation.slice(1)}  `;
    return `${braces[0]}${line}${parts.join(`,${indentation}  `)} ${braces[1]}`;
  }
  let output = parts;
  if (typeof ctx.compact === "number" && ctx.compact >= 1) {
    if (isList && parts.length > 6) output = inColumns(ctx, parts, value);
    if (ctx.currentDepth - depth < ctx.compact && output.length === parts.length) {
      const room = output.length + ctx.indentationLvl + braces[0].length + base.length + 10;
      if (fits(ctx, output, room, base)) {
        const joined = output.join(", ");
        if (!joined.includes("\n")) return `${start}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
  }
  return `${start}${braces[0]}${indentation}  ${output.join(`,${indentation}  `)}${indentation}${braces[1]}`;
}
