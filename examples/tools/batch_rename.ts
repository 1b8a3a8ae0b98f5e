// Renames many files at once: shows what would happen, and does it when somebody says so.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent";

interface Rename {
  from: string;
  to: string;
}

const exists = (file: string) => fs.access(file).then(() => true, () => false);

const factory: CustomToolFactory = (pi) => ({
  name: "batch_rename",
  label: "Batch Rename",
  description:
    "Previews renaming the files of one folder by a regular expression. Nothing is renamed before the preview is applied.",
  approval: "write",
  deferrable: true,
  parameters: pi.zod.object({
    folder: pi.zod.string().default(".").describe("The folder whose files are renamed"),
    pattern: pi.zod.string().min(1).describe("A regular expression matched against each file name"),
    replacement: pi.zod.string().describe("What takes its place; $1, $2 … are its groups"),
  }),

  async execute(toolCallId, params) {
    const folder = path.resolve(pi.cwd, params.folder);
    const pattern = new RegExp(params.pattern);
    const entries = await fs.readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name).sort();
    const renames: Rename[] = names
      .map((from) => ({ from, to: from.replace(pattern, params.replacement) }))
      .filter((rename) => rename.from !== rename.to);
    if (renames.length === 0) return { content: [{ type: "text", text: "No file name matches." }] };

    const taken = new Set(names.filter((name) => !renames.some((rename) => rename.from === name)));
    for (const { from, to } of renames) {
      if (to === "" || to.includes("/")) throw new Error(`"${from}" would get the name "${to}", which is no file name.`);
      if (taken.has(to)) throw new Error(`"${from}" would become "${to}", which is there already.`);
      taken.add(to);
    }

    pi.pushPendingAction({
      label: `Rename ${renames.length} files in ${params.folder}`,
      sourceToolName: "batch_rename",
      details: { folder, renames },
      async apply() {
        for (const { from } of renames) {
          if (!(await exists(path.join(folder, from)))) throw new Error(`"${from}" is gone since the preview; nothing was renamed.`);
        }
        // By way of names nobody has, so that a → b and b → a work.
        const detour = renames.map(({ from, to }, index) => ({ from, to, by: `.rename-${process.pid}-${index}` }));
        for (const { from, by } of detour) await fs.rename(path.join(folder, from), path.join(folder, by));
        for (const { by, to } of detour) await fs.rename(path.join(folder, by), path.join(folder, to));
        return { content: [{ type: "text", text: `Renamed ${renames.length} files.` }], details: { renames } };
      },
    });

    const lines = renames.map(({ from, to }) => `${from} → ${to}`);
    return {
      content: [{ type: "text", text: [`Would rename ${renames.length} files:`, ...lines].join("\n") }],
      details: { folder, renames },
    };
  },
});

export default factory;
