// Drafts a changelog section from the commits since the last tag.
import type { CustomToolFactory } from "toolsmith";

const SECTIONS: [title: string, kinds: RegExp][] = [
  ["Breaking", /^$/],
  ["Added", /^(feat|add)$/i],
  ["Fixed", /^(fix|bugfix)$/i],
  ["Faster", /^perf$/i],
  ["Documentation", /^docs?$/i],
];
const HEADLINE = /^(?<kind>[a-z]+)(\((?<scope>[^)]*)\))?(?<breaking>!)?:\s*(?<text>.+)$/i;

const factory: CustomToolFactory = (pi) => ({
  name: "changelog",
  label: "Changelog",
  description: "Drafts a changelog in Markdown from git commits since a tag or revision, grouped by kind of change.",
  approval: "read",
  parameters: pi.typebox.Type.Object({
    since: pi.typebox.Type.Optional(pi.typebox.Type.String({ description: "A revision to start after; the last tag if it is left out, or the first commit if there is no tag" })),
    title: pi.typebox.Type.String({ default: "Unreleased", description: "The heading" }),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const git = async (...args: string[]) => {
      const outcome = await pi.exec("git", args, { signal, cwd: pi.cwd });
      if (outcome.killed) throw new Error("The draft was cancelled.");
      return outcome;
    };
    let since = params.since;
    if (!since) {
      const tag = await git("describe", "--tags", "--abbrev=0");
      since = tag.code === 0 ? tag.stdout.trim() : undefined;
    }
    onUpdate?.({ content: [{ type: "text", text: `Reading commits ${since ? `since ${since}` : "from the beginning"}…` }] });
    // What begins with "-" would be an option, and some of git's options write files.
    const range = since ? ["--end-of-options", `${since}..HEAD`] : [];
    const log = await git("log", "--no-merges", "--format=%h%x09%s%x09%b%x00", ...range);
    if (log.code !== 0) throw new Error(log.stderr.trim() || "git log failed");

    const sections = new Map<string, string[]>(SECTIONS.map(([title]) => [title, []]));
    const other: string[] = [];
    const commits = log.stdout.split("\0").map((commit) => commit.trim()).filter(Boolean);
    for (const commit of commits) {
      const [hash = "", subject = "", ...body] = commit.split("\t");
      const { kind = "", scope, breaking, text = subject } = HEADLINE.exec(subject)?.groups ?? {};
      const line = `- ${scope ? `**${scope}:** ` : ""}${text} (${hash})`;
      const isBreaking = breaking !== undefined || body.join("\t").includes("BREAKING CHANGE");
      const title = isBreaking ? "Breaking" : SECTIONS.find(([, kinds]) => kind !== "" && kinds.test(kind))?.[0];
      (title ? sections.get(title) : other)?.push(line);
    }
    if (other.length > 0) sections.set("Other", other);

    const parts = [...sections].filter(([, lines]) => lines.length > 0).map(([title, lines]) => `### ${title}\n\n${lines.join("\n")}`);
    const text = [`## ${params.title}`, ...(parts.length > 0 ? parts : ["No changes."])].join("\n\n");
    return { content: [{ type: "text", text }], details: { since, commits: commits.length } };
  },
});

export default factory;
