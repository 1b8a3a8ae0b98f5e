// Counts the tracked files of a repository by kind, and draws the shares as bars.
import type { CustomToolFactory } from "toolsmith";

interface Kind {
  extension: string;
  files: number;
}

const factory: CustomToolFactory = (pi) => ({
  name: "repo_stats",
  label: "Repo Stats",
  description: "Counts the tracked files of a git repository that match a glob, by file extension.",
  approval: "read",
  parameters: pi.zod.object({
    glob: pi.zod.string().default("*").describe("A git pathspec, such as *.ts or src/**"),
    top: pi.zod.number().int().min(1).max(50).default(10).describe("How many extensions to list"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    onUpdate?.({ content: [{ type: "text", text: "Asking git for tracked files…" }] });
    const listed = await pi.exec("git", ["ls-files", "-z", "--", params.glob], { signal, cwd: pi.cwd });
    if (listed.killed) throw new Error("The count was cancelled.");
    if (listed.code !== 0) throw new Error(listed.stderr.trim() || "git ls-files failed");

    const files = listed.stdout.split("\0").filter(Boolean);
    const counts = new Map<string, number>();
    for (const file of files) {
      const name = file.slice(file.lastIndexOf("/") + 1);
      const dot = name.lastIndexOf(".");
      const extension = dot > 0 ? name.slice(dot) : "(none)";
      counts.set(extension, (counts.get(extension) ?? 0) + 1);
    }
    const kinds: Kind[] = [...counts]
      .map(([extension, count]) => ({ extension, files: count }))
      .sort((a, b) => b.files - a.files || a.extension.localeCompare(b.extension))
      .slice(0, params.top);
    const lines = kinds.map((kind) => `${kind.extension}: ${kind.files}`);
    return {
      content: [{ type: "text", text: [`Found ${files.length} files`, ...lines].join("\n") }],
      details: { total: files.length, kinds },
    };
  },

  renderResult(result, options, theme) {
    const details = result.details as { total: number; kinds: Kind[] } | undefined;
    if (!details) return new pi.pi.Text(theme.fg("muted", "counting…"), 0, 0);
    const most = Math.max(1, ...details.kinds.map((kind) => kind.files));
    const shown = options.expanded ? details.kinds : details.kinds.slice(0, 5);
    const rows = shown.map((kind) => {
      const bar = "█".repeat(Math.max(1, Math.round((kind.files / most) * 24)));
      return `${kind.extension.padEnd(10)} ${theme.fg("accent", bar)} ${kind.files}`;
    });
    const head = theme.bold(`${details.total} tracked files`);
    return new pi.pi.Text([head, ...rows].join("\n"), 0, 0);
  },
});

export default factory;
