// Looks at a package.json and its lock file for what tends to hurt later. Works offline.
import * as fs from "node:fs";
import * as path from "node:path";
import type { CustomToolFactory } from "toolsmith";

interface Finding {
  package: string;
  problem: string;
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Lock {
  packages?: Record<string, { version?: string; link?: boolean; deprecated?: string; hasInstallScript?: boolean; resolved?: string }>;
}

const OTHER_LOCKS = ["yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"];

const readJson = <T>(file: string): T | undefined => {
  if (!fs.existsSync(file)) return undefined;
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")) as T;
  } catch (error) {
    throw new Error(`${path.basename(file)} is not JSON: ${(error as Error).message}`);
  }
};

const factory: CustomToolFactory = (pi) => ({
  name: "dependency_audit",
  label: "Dependency Audit",
  description:
    "Audits package.json and package-lock.json offline: open ranges, git and URL sources, duplicates, deprecated packages, install scripts.",
  approval: "read",
  parameters: pi.zod.object({
    folder: pi.zod.string().default(".").describe("The folder with package.json"),
  }),

  async execute(toolCallId, params) {
    const folder = path.resolve(pi.cwd, params.folder);
    const manifest = readJson<Manifest>(path.join(folder, "package.json"));
    if (!manifest) throw new Error(`There is no package.json in "${params.folder}".`);
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    const findings: Finding[] = [];
    for (const [name, range] of Object.entries(wanted)) {
      if (range === "" || range === "*" || range === "latest") findings.push({ package: name, problem: `any version ("${range}")` });
      else if (/^(git|https?:|file:|link:|[\w.-]+\/)/.test(range)) findings.push({ package: name, problem: `not from the registry (${range})` });
      else if (/^>/.test(range)) findings.push({ package: name, problem: `no upper bound (${range})` });
      if (manifest.dependencies?.[name] && manifest.devDependencies?.[name]) {
        findings.push({ package: name, problem: "both a dependency and a development dependency" });
      }
    }

    const lock = readJson<Lock>(path.join(folder, "package-lock.json"));
    const versions = new Map<string, Set<string>>();
    const linked = new Set<string>();
    const otherLock = OTHER_LOCKS.find((name) => fs.existsSync(path.join(folder, name)));
    if (lock && !lock.packages) throw new Error("package-lock.json is of npm 6 or older. Run `npm install --package-lock-only` with a newer npm.");
    if (!lock && !otherLock) findings.push({ package: "(project)", problem: "no lock file: installs are not repeatable" });
    for (const [place, entry] of Object.entries(lock?.packages ?? {})) {
      // The project itself and its workspaces are not installed.
      if (!place.includes("node_modules/")) continue;
      const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
      if (entry.link) linked.add(name);
      if (entry.version) versions.set(name, (versions.get(name) ?? new Set()).add(entry.version));
      if (entry.deprecated) findings.push({ package: name, problem: `deprecated: ${entry.deprecated}` });
      if (entry.hasInstallScript) findings.push({ package: name, problem: "runs a script when it is installed" });
      if (entry.resolved?.startsWith("http:")) findings.push({ package: name, problem: "fetched without encryption" });
    }
    for (const [name, found] of versions) {
      if (found.size > 1) findings.push({ package: name, problem: `${found.size} versions: ${[...found].sort().join(", ")}` });
    }
    for (const name of Object.keys(wanted)) {
      if (lock && !versions.has(name) && !linked.has(name)) findings.push({ package: name, problem: "wanted but not in the lock file" });
    }

    findings.sort((a, b) => a.package.localeCompare(b.package) || a.problem.localeCompare(b.problem));
    const locked = lock ? `${versions.size} locked` : otherLock ? `${otherLock} is not read` : "none locked";
    const head = `${Object.keys(wanted).length} wanted, ${locked}, ${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
    const lines = findings.map((finding) => `- ${finding.package}: ${finding.problem}`);
    return { content: [{ type: "text", text: [head, ...lines].join("\n") }], details: { findings } };
  },
});

export default factory;
