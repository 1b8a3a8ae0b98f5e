// Paths with backslashes, drives and network shares.

import { host } from "toolsmith:kernel";
import { checkString } from "toolsmith:node_parts/arguments";
import { checkPath, extensionOf, formatParts, lastSegment, tidy, withoutSuffix } from "toolsmith:node_parts/path_parts";

const isSlash = (letter) => letter === "/" || letter === "\\";
const segments = (path) => path.split(/[\\/]/);

/**
 * What a path starts with: the drive or share it is on as `device`, whether it starts at the root of that, and where the
 * rest begins.
 */
function rootOf(path) {
  if (isSlash(path[0])) {
    const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
    if (share === null) return { device: "", rooted: true, end: 1 };
    const [all, server, name] = share;
    if (server === "." || server === "?") return { device: `\\\\${server}`, rooted: true, end: 4 };
    return { device: `\\\\${server}\\${name}`, rooted: true, end: all.length, share: true };
  }
  if (/^[a-z]:/i.test(path)) {
    const rooted = isSlash(path[2]);
    return { device: path.slice(0, 2), rooted, end: rooted ? 3 : 2 };
  }
  return { device: "", rooted: false, end: 0 };
}

/** The root as it is written, with the separator behind it. */
function writtenRoot(path) {
  const { end, share } = rootOf(path);
  return share && end < path.length ? end + 1 : end;
}

export const win32 = {
  sep: "\\",
  delimiter: ";",

  resolve(...paths) {
    let device = "";
    let tail = "";
    let rooted = false;
    for (let index = paths.length - 1; index >= -1; index--) {
      let path;
      if (index >= 0) {
        path = paths[index];
        checkPath(path, `paths[${index}]`);
        if (path === "") continue;
      } else {
        path = host.cwd();
        if (device !== "" && rootOf(path).device.toLowerCase() !== device.toLowerCase()) path = `${device}\\`;
      }
      const root = rootOf(path);
      if (root.device !== "") {
        if (device !== "" && root.device.toLowerCase() !== device.toLowerCase()) continue;
        if (device === "") device = root.device;
      }
      if (rooted) {
        if (device !== "") break;
        continue;
      }
      tail = `${path.slice(root.end)}\\${tail}`;
      rooted = root.rooted;
      if (rooted && device !== "") break;
    }
    const clean = tidy(segments(tail), rooted).join("\\");
    return rooted ? `${device}\\${clean}` : `${device}${clean}` || ".";
  },

  normalize(path) {
    checkPath(path);
    if (path === "") return ".";
    const { device, rooted, end } = rootOf(path);
    const rest = path.slice(end);
    let clean = tidy(segments(rest), rooted).join("\\");
    if (clean === "" && !rooted) clean = ".";
    if (clean !== "" && isSlash(path.at(-1))) clean += "\\";
    // What becomes a drive only by being tidied must not be taken for one.
    if (!rooted && device === "" && (/^[a-z]:/i.test(clean) || /:(?:[\\/]|$)/.test(path))) return `.\\${clean}`;
    return rooted ? `${device}\\${clean}` : `${device}${clean}`;
  },

  isAbsolute(path) {
    checkPath(path);
    return isSlash(path[0]) || /^[a-z]:[\\/]/i.test(path);
  },

  join(...paths) {
    for (const path of paths) checkPath(path);
    const given = paths.filter((path) => path !== "");
    if (given.length === 0) return ".";
    let joined = given.join("\\");
    // Two separators in front mean a share only where the first part says so itself.
    if (!/^[\\/]{2}[^\\/]/.test(given[0])) joined = joined.replace(/^[\\/]{2,}/, "\\");
    return win32.normalize(joined);
  },

  relative(from, to) {
    checkPath(from, "from");
    checkPath(to, "to");
    if (from === to) return "";
    const [start, end] = [win32.resolve(from), win32.resolve(to)];
    if (start.toLowerCase() === end.toLowerCase()) return "";
    const [startParts, endParts] = [start, end].map((path) => segments(path).filter(Boolean));
    let same = 0;
    while (
      same < startParts.length &&
      same < endParts.length &&
      startParts[same].toLowerCase() === endParts[same].toLowerCase()
    )
      same++;
    if (same === 0) return end;
    return [...startParts.slice(same).map(() => ".."), ...endParts.slice(same)].join("\\");
  },

  toNamespacedPath(path) {
    if (typeof path !== "string" || path === "") return path;
    const whole = win32.resolve(path);
    if (/^\\\\[^?.]/.test(whole)) return `\\\\?\\UNC\\${whole.slice(2)}`;
    if (/^[a-z]:\\/i.test(whole)) return `\\\\?\\${whole}`;
    return path;
  },

  dirname(path) {
    checkPath(path);
    if (path === "") return ".";
    const root = writtenRoot(path);
    const [start] = lastSegment(path, root, isSlash);
    if (start === root) return root === 0 ? "." : path.slice(0, root);
    return path.slice(0, start - 1);
  },

  basename(path, suffix) {
    if (suffix !== undefined) checkString(suffix, "suffix");
    checkPath(path);
    const from = /^[a-z]:/i.test(path) ? 2 : 0;
    const [start, end] = lastSegment(path, from, isSlash);
    if (start === end && suffix && suffix.length <= path.length - from) return path.slice(from);
    return withoutSuffix(path.slice(start, end), suffix);
  },

  extname(path) {
    checkPath(path);
    return extensionOf(path.slice(...lastSegment(path, /^[a-z]:/i.test(path) ? 2 : 0, isSlash)));
  },

  format: (parts) => formatParts("\\", parts),

  parse(path) {
    checkPath(path);
    const end = writtenRoot(path);
    const root = path.slice(0, end);
    const [start, stop] = lastSegment(path, end, isSlash);
    const base = path.slice(start, stop);
    const ext = extensionOf(base);
    const dir = start > end ? path.slice(0, start - 1) : root;
    return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
  },
};
