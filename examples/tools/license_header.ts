// Finds source files without a licence header and adds it, after a preview.
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { CustomToolFactory } from "toolsmith";

const COMMENTS: Record<string, string> = {
  ".c": "//", ".cpp": "//", ".go": "//", ".h": "//", ".java": "//", ".js": "//", ".mjs": "//", ".rs": "//", ".swift": "//", ".ts": "//", ".tsx": "//",
  ".py": "#", ".rb": "#", ".sh": "#", ".toml": "#", ".yaml": "#", ".yml": "#",
};

/** Whether the first lines, without their comment signs, are the header's. */
function hasHeader(text: string, header: string): boolean {
  const plain = (line: string) => line.replace(/^[\s/*#;!-]+/, "").trim();
  const first = text.split("\n", 40).map(plain);
  return header.split("\n").every((line) => first.includes(plain(line)));
}

/** The text with the header above it, but below an interpreter's line and a byte order mark, with the file's own line ends. */
function withHeader(text: string, header: string, sign: string): string {
  const end = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = header.split("\n").map((line) => `${sign} ${line}`.trimEnd() + end);
  const [, first = "", rest = ""] = /^(\ufeff?(?:#![^\n]*\n)?)([\s\S]*)$/.exec(text) ?? [];
  return first + lines.join("") + rest;
}

const factory: CustomToolFactory = (pi) => ({
  name: "license_header",
  label: "License Header",
  description: "Previews adding a licence header to tracked source files that lack it. Nothing is written before the preview is applied.",
  approval: "write",
  deferrable: true,
  parameters: pi.zod.object({
    header: pi.zod.string().trim().default("SPDX-License-Identifier: MIT").describe("The text, without comment signs"),
    glob: pi.zod.string().default("*").describe("A git pathspec"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const listed = await pi.exec("git", ["ls-files", "-z", "--", params.glob], { signal, cwd: pi.cwd });
    if (listed.killed) throw new Error("The search was cancelled.");
    if (listed.code !== 0) throw new Error(listed.stderr.trim() || "git ls-files failed");
    const { header } = params;
    if (header === "") throw new Error("The header is empty.");
    const files = listed.stdout.split("\0").filter((file) => path.extname(file) in COMMENTS);
    const fixes: { path: string; content: string; baseHash: string }[] = [];
    const skipped: string[] = [];
    for (const [index, file] of files.entries()) {
      signal?.throwIfAborted();
      if (index % 200 === 0) onUpdate?.({ content: [{ type: "text", text: `${index} of ${files.length} files` }] });
      const bytes = await fs.readFile(path.join(pi.cwd, file)).catch(() => undefined);
      const text = bytes?.toString("utf8") ?? "";
      // Writing back what is not UTF-8 would spoil it, and what git tracks may have been deleted.
      if (!bytes?.equals(Buffer.from(text))) {
        skipped.push(file);
        continue;
      }
      if (hasHeader(text, header)) continue;
      const content = withHeader(text, header, COMMENTS[path.extname(file)] ?? "//");
      fixes.push({ path: file, content, baseHash: createHash("sha256").update(bytes).digest("hex") });
    }
    const notes = skipped.length > 0 ? [`Skipped, because they are not UTF-8 or cannot be read: ${skipped.join(", ")}`] : [];
    const having = files.length - skipped.length - fixes.length;
    if (fixes.length === 0) return { content: [{ type: "text", text: [`${having} of ${files.length} files have the header, none lacks it.`, ...notes].join("\n") }] };

    // Files that are named are written by the host: all or none, only if they are still the same, and it can be undone.
    pi.pushPendingAction({
      label: `Add a licence header to ${fixes.length === 1 ? "1 file" : `${fixes.length} files`}`,
      sourceToolName: "license_header",
      files: fixes,
    });
    const lines = fixes.map((fix) => `+ ${fix.path}`);
    return {
      content: [{ type: "text", text: [`${fixes.length} of ${files.length} files lack the header:`, ...lines, ...notes].join("\n") }],
      details: { files: fixes.map((fix) => fix.path), skipped },
    };
  },
});

export default factory;
