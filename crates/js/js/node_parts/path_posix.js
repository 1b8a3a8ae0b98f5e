// Paths with slashes.

import { host } from "toolsmith:kernel";
import { checkString } from "toolsmith:node_parts/arguments";
import { checkPath, extensionOf, formatParts, lastSegment, tidy, withoutSuffix } from "toolsmith:node_parts/path_parts";

const isSlash = (letter) => letter === "/";

export const posix = {
  sep: "/",
  delimiter: ":",

  resolve(...paths) {
    let whole = "";
    for (let index = paths.length - 1; index >= 0 && whole[0] !== "/"; index--) {
      checkPath(paths[index], `paths[${index}]`);
      if (paths[index] !== "") whole = whole === "" ? paths[index] : `${paths[index]}/${whole}`;
    }
    if (whole[0] !== "/") whole = `${host.cwd()}/${whole}`;
    return `/${tidy(whole.split("/"), true).join("/")}`;
  },

  normalize(path) {
    checkPath(path);
    if (path === "") return ".";
    const rooted = path[0] === "/";
    const clean = tidy(path.split("/"), rooted).join("/");
    if (clean === "") return rooted ? "/" : path.endsWith("/") ? "./" : ".";
    return `${rooted ? "/" : ""}${clean}${path.endsWith("/") ? "/" : ""}`;
  },

  isAbsolute(path) {
    checkPath(path);
    return path[0] === "/";
  },

  join(...paths) {
    for (const path of paths) checkPath(path);
    const joined = paths.filter((path) => path !== "").join("/");
    return joined === "" ? "." : posix.normalize(joined);
  },

  relative(from, to) {
    checkPath(from, "from");
    checkPath(to, "to");
    if (from === to) return "";
    const start = posix.resolve(from).split("/").filter(Boolean);
    const end = posix.resolve(to).split("/").filter(Boolean);
    let same = 0;
    while (same < start.length && same < end.length && start[same] === end[same]) same++;
    return [...start.slice(same).map(() => ".."), ...end.slice(same)].join("/");
  },

  toNamespacedPath: (path) => path,

  dirname(path) {
    checkPath(path);
    if (path === "") return ".";
    const [start] = lastSegment(path, 0, isSlash);
    if (start === 0) return path[0] === "/" ? "/" : ".";
    if (start === 2 && path[0] === "/") return "//";
    return path.slice(0, start - 1) || "/";
  },

  basename(path, suffix) {
    if (suffix !== undefined) checkString(suffix, "suffix");
    checkPath(path);
    const [start, end] = lastSegment(path, 0, isSlash);
    // Node's answer for a path of nothing but separators, asked for without a suffix that could fit.
    if (start === end && suffix && suffix.length <= path.length) return path;
    return withoutSuffix(path.slice(start, end), suffix);
  },

  extname(path) {
    checkPath(path);
    return extensionOf(path.slice(...lastSegment(path, 0, isSlash)));
  },

  format: (parts) => formatParts("/", parts),

  parse(path) {
    checkPath(path);
    const root = path[0] === "/" ? "/" : "";
    const [start, end] = lastSegment(path, root.length, isSlash);
    const base = path.slice(start, end);
    const ext = extensionOf(base);
    const dir = start > root.length ? path.slice(0, start - 1) : root;
    return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
  },
};
