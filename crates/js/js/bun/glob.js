// Bun's Glob: patterns for paths, and the files that match.

import fs from "toolsmith:node/fs";
import process from "toolsmith:node/process";
import { matches } from "toolsmith:node_parts/glob";

export class Glob {
  #pattern;
  #wanted;
  #negated;

  constructor(pattern) {
    this.#pattern = String(pattern);
    this.#negated = this.#pattern.startsWith("!");
    this.#wanted = this.#negated ? this.#pattern.slice(1) : this.#pattern;
  }
  get pattern() {
    return this.#pattern;
  }
  match(path) {
    return matches(String(path), this.#wanted) !== this.#negated;
  }
  *scanSync(options = {}) {
    const {
      cwd = process.cwd(),
      dot = false,
      absolute = false,
      onlyFiles = true,
    } = typeof options === "string" ? { cwd: options } : options;
    const root = String(cwd).startsWith("/") ? String(cwd) : `${process.cwd()}/${cwd}`;
    const waiting = [""];
    // Only folders that the pattern can reach are looked into.
    const depth = this.#wanted.includes("**") ? Infinity : this.#wanted.split("/").length;
    while (waiting.length > 0) {
      const folder = waiting.pop();
      let entries;
      try {
        entries = fs.readdirSync(folder === "" ? root : `${root}/${folder}`, { withFileTypes: true });
      } catch {
        continue;
      }
      for (const entry of entries) {
        if (!dot && entry.name.startsWith(".") && !/(^|\/)\./.test(this.#wanted)) continue;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        // A link is not followed, so there is no way round in circles.
        if (entry.isDirectory() && path.split("/").length < depth) waiting.push(path);
        if ((!onlyFiles || entry.isFile() || entry.isSymbolicLink()) && this.match(path))
          yield absolute ? `${root}/${path}` : path;
      }
    }
  }
  async *scan(options) {
    for (const path of this.scanSync(options)) yield path;
  }
}
