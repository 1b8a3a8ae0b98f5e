// Renames many files at once: shows what would happen, and does it when somebody says so.
import type { Dirent } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { CustomToolFactory } from "toolsmith";

interface Rename {
  from: string;
  to: string;
}

function readPattern(text: string): RegExp {
  if (text === "") throw new Error("The pattern is empty.");
  try {
    return new RegExp(text);
  } catch (error) {
    throw new Error(`The pattern is no regular expression: ${(error as Error).message}`);
  }
}

/** Also true of a link that leads nowhere: a rename would replace it. */
const exists = (file: string) => fs.lstat(file).then(() => true, () => false);

/** All of them or none: what was done is taken back when one fails. */
async function renameAll(folder: string, steps: Rename[]) {
  const done: Rename[] = [];
  try {
    for (const step of steps) {
      await fs.rename(path.join(folder, step.from), path.join(folder, step.to));
      done.push(step);
    }
  } catch (error) {
    for (const { from, to } of done.reverse()) await fs.rename(path.join(folder, to), path.join(folder, from));
    throw error;
  }
}

const factory: CustomToolFactory = (pi) => ({
  name: "batch_rename",
  label: "Batch Rename",
  description:
    "Previews renaming the files of one folder by a regular expression. Nothing is renamed before the preview is applied.",
  approval: "write",
  deferrable: true,
  parameters: pi.zod.object({
    folder: pi.zod.string().default(".").describe("The folder whose files are renamed"),
    pattern: pi.zod.string().describe("A regular expression; its first match in each file name is replaced"),
    replacement: pi.zod.string().describe("What takes its place; $1, $2 … are its groups"),
  }),

  async execute(toolCallId, params) {
    const folder = path.resolve(pi.cwd, params.folder);
    const pattern = readPattern(params.pattern);
    const entries: Dirent[] = await fs.readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name).sort();
    const renames: Rename[] = names
      .map((from) => ({ from, to: from.replace(pattern, params.replacement) }))
      .filter((rename) => rename.from !== rename.to);
    if (renames.length === 0) return { content: [{ type: "text", text: "No file name matches." }] };

    const moving = new Set(renames.map((rename) => rename.from));
    const taken = new Set(entries.map((entry) => entry.name).filter((name) => !moving.has(name)));
    for (const { from, to } of renames) {
      if (["", ".", ".."].includes(to) || to.includes("/")) throw new Error(`"${from}" would get the name "${to}", which is no file name.`);
      if (taken.has(to)) throw new Error(`"${from}" would become "${to}", which is there already.`);
      taken.add(to);
    }

    const files = renames.length === 1 ? "1 file" : `${renames.length} files`;
    pi.pushPendingAction({
      label: `Rename ${files} in ${params.folder}`,
      sourceToolName: "batch_rename",
      details: { folder, renames },
      async apply() {
        for (const { from, to } of renames) {
          if (!(await exists(path.join(folder, from)))) throw new Error(`"${from}" is gone since the preview; nothing was renamed.`);
          if (!moving.has(to) && (await exists(path.join(folder, to)))) throw new Error(`"${to}" is there since the preview; nothing was renamed.`);
        }
        // By way of names nobody has, so that a → b and b → a work.
        const away = renames.map(({ from }, index) => ({ from, to: `.rename-${process.pid}-${index}` }));
        const back = renames.map(({ to }, index) => ({ from: `.rename-${process.pid}-${index}`, to }));
        await renameAll(folder, [...away, ...back]);
        return { content: [{ type: "text", text: `Renamed ${files}.` }], details: { renames } };
      },
    });

    const lines = renames.map(({ from, to }) => `${from} → ${to}`);
    return {
      content: [{ type: "text", text: [`Would rename ${files}:`, ...lines].join("\n") }],
      details: { folder, renames },
    };
  },
});

export default factory;
