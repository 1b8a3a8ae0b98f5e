// What both kinds of paths share: segments without `.` and `..`, names, extensions, and putting parts together.

import { checkObject, checkString } from "toolsmith:node_parts/arguments";

/** Segments with `.` gone and `..` taken back; `..` at the front stays unless the path starts at a root. */
export function tidy(segments, rooted) {
  const kept = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!rooted) kept.push("..");
  }
  return kept;
}

/** Where the last segment starts and ends in what follows a root; separators at the end do not count. */
export function lastSegment(path, from, isSeparator) {
  let end = path.length;
  while (end > from && isSeparator(path[end - 1])) end--;
  let start = end;
  while (start > from && !isSeparator(path[start - 1])) start--;
  return [start, end];
}

/** The extension of a name, with its dot. */
export function extensionOf(name) {
  const dot = name.lastIndexOf(".");
  return dot <= 0 || name === ".." ? "" : name.slice(dot);
}

export function withoutSuffix(name, suffix) {
  return suffix !== undefined && name.length > suffix.length && name.endsWith(suffix)
    ? name.slice(0, -suffix.length)
    : name;
}

export function formatParts(separator, parts) {
  checkObject(parts, "pathObject");
  const folder = parts.dir || parts.root;
  const extension = parts.ext ? `${parts.ext[0] === "." ? "" : "."}${parts.ext}` : "";
  const base = parts.base || `${parts.name || ""}${extension}`;
  if (!folder) return base;
  return folder === parts.root ? `${folder}${base}` : `${folder}${separator}${base}`;
}

export function checkPath(path, name = "path") {
  checkString(path, name);
}
