// Cutting long text the way tools of compatible agents do: by lines and bytes, from either end.

import { host } from "toolsmith:kernel";

export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
export const DEFAULT_MAX_COLUMN = 512;
export const GREP_MAX_LINE_LENGTH = 500;

const size = (text) => host.utf8Encode(text).length;

/** `12.3KB`. */
export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}
export const formatBytes = formatSize;

function truncate(content, options, fromEnd) {
  const text = String(content);
  const maxLines = options?.maxLines ?? DEFAULT_MAX_LINES;
  const maxBytes = options?.maxBytes ?? DEFAULT_MAX_BYTES;
  const lines = text.split("\n");
  const totalBytes = size(text);
  const base = { totalLines: lines.length, totalBytes, maxLines, maxBytes };
  if (lines.length <= maxLines && totalBytes <= maxBytes) {
    return {
      content: text,
      truncated: false,
      truncatedBy: null,
      ...base,
      outputLines: lines.length,
      outputBytes: totalBytes,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
    };
  }
  const kept = [];
  let bytes = 0;
  let truncatedBy = "lines";
  let lastLinePartial = false;
  const ordered = fromEnd ? [...lines].reverse() : lines;
  for (const line of ordered) {
    if (kept.length >= maxLines) break;
    const cost = size(line) + (kept.length > 0 ? 1 : 0);
    if (bytes + cost > maxBytes) {
      truncatedBy = "bytes";
      if (fromEnd && kept.length === 0) {
        // The last line alone is too long: its end is what was asked for.
        const tail = host.utf8Encode(line).slice(-maxBytes);
        kept.push(host.utf8Decode(tail, false).replace(/^\ufffd+/, ""));
        bytes = maxBytes;
        lastLinePartial = true;
      }
      break;
    }
    kept.push(line);
    bytes += cost;
  }
  if (fromEnd) kept.reverse();
  const output = kept.join("\n");
  const firstLineExceedsLimit = !fromEnd && kept.length === 0 && size(lines[0]) > maxBytes;
  return {
    content: output,
    truncated: true,
    truncatedBy,
    ...base,
    outputLines: kept.length,
    outputBytes: size(output),
    lastLinePartial,
    firstLineExceedsLimit,
  };
}

/** Keeps the beginning. */
export const truncateHead = (content, options) => truncate(content, options, false);
/** Keeps the end. */
export const truncateTail = (content, options) => truncate(content, options, true);

/** Cuts one line. */
export function truncateLine(line, max = GREP_MAX_LINE_LENGTH) {
  const text = String(line);
  return text.length <= max
    ? { text, wasTruncated: false }
    : { text: `${text.slice(0, max)}... [truncated]`, wasTruncated: true };
}
