// Finds source files without a licence header and adds it, after a preview.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent";

const COMMENTS: Record<string, string> = {
  ".c": "//", ".cpp": "//", ".go": "//", ".h": "//", ".java": "//", ".js": "//", ".mjs": "//", ".rs": "//", ".swift": "//", ".ts": "//", ".tsx": "//",
  ".py": "#", ".rb": "#", ".sh": "#", ".toml": "#", ".yaml": "#", ".yml": "#",
};

interface Fix {
  file: string;
  before: string;
  after: string;
}

const factory: CustomToolFactory = (pi) => ({
  name: "license_header",
  label: "License Header",
  description: "Previews adding a licence header to tracked source files that lack it. Nothing is written before the preview is applied.",
  approval: "write",
  deferrable: true,
  parameters: pi.zod.object({
    header: pi.zod.string().min(1).default("SPDX-License-Identifier: MIT").describe("The text, without comment signs"),
    glob: pi.zod.string().default("*").describe("A git pathspec"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const listed = await pi.exec("git", ["ls-files", "-z", "--", params.glob], { signal, cwd: pi.cwd });
    if (listed.code !== 0) throw new Error(listed.stderr.trim() || "git ls-files failed");
    const files = listed.stdout.split("\0").filter((file) => path.extname(file) in COMMENTS);
    const fixes: Fix[] = [];
    for (const [index, file] of files.entries()) {
      signal?.throwIfAborted();
      if (index % 200 === 0) onUpdate?.({ content: [{ type: "text", text: `${index} of ${files.length} files` }] });
      const before = await fs.readFile(path.join(pi.cwd, file), "utf8");
      if (before.slice(0, 2000).includes(params.header)) continue;
      const sign = COMMENTS[path.extname(file)];
      const header = params.header.split("\n").map((line) => `${sign} ${line}`.trimEnd()).join("\n");
      // An interpreter's line stays first.
      const [, interpreter = "", rest = ""] = /^(#![^\n]*\n)?([\s\S]*)$/.exec(before) ?? [];
      fixes.push({ file, before, after: `${interpreter}${header}\n${rest}` });
    }
    if (fixes.length === 0) return { content: [{ type: "text", text: `All ${files.length} files have the header.` }] };

    pi.pushPendingAction({
      label: `Add a licence header to ${fixes.length} files`,
      sourceToolName: "license_header",
      details: { files: fixes.map((fix) => fix.file) },
      async apply() {
        for (const { file, before } of fixes) {
          if ((await fs.readFile(path.join(pi.cwd, file), "utf8")) !== before) {
            throw new Error(`${file} changed since the preview; nothing was written. Run license_header again.`);
          }
        }
        for (const { file, after } of fixes) await fs.writeFile(path.join(pi.cwd, file), after);
        return { content: [{ type: "text", text: `Added the header to ${fixes.length} files.` }] };
      },
    });
    const lines = fixes.map((fix) => `+ ${fix.file}`);
    return {
      content: [{ type: "text", text: [`${fixes.length} of ${files.length} files lack the header:`, ...lines].join("\n") }],
      details: { files: fixes.map((fix) => fix.file) },
    };
  },
});

export default factory;
