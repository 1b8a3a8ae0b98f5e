// Runs a project's tests, shows the latest lines while they run, and reports what failed.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { CustomToolFactory } from "toolsmith";

const RUNNERS: [marker: string, command: string[]][] = [
  ["Cargo.toml", ["cargo", "test"]],
  ["go.mod", ["go", "test", "./..."]],
  ["pyproject.toml", ["python3", "-m", "pytest", "-q"]],
  ["package.json", ["npm", "test", "--silent"]],
  ["Makefile", ["make", "test"]],
];
const KEPT = 40;
const FAILURE = /(^|\s)(FAIL(ED|URE)?|✗|✘|not ok|panicked at|Error:)(\s|:|$)/;

const factory: CustomToolFactory = (pi) => ({
  name: "run_tests",
  label: "Run Tests",
  description: "Runs the tests of a project (cargo, go, pytest, npm or make, or a command of your own) and reports failures.",
  approval: "exec",
  parameters: pi.zod.object({
    command: pi.zod.array(pi.zod.string()).min(1).optional().describe("The command and its arguments; if it is left out, what suits the project"),
    folder: pi.zod.string().default(".").describe("Where to run it"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const folder = path.resolve(pi.cwd, params.folder);
    const found = RUNNERS.find(([marker]) => fs.existsSync(path.join(folder, marker)));
    const [program, ...args] = params.command ?? found?.[1] ?? [];
    if (!program) throw new Error(`There is no known kind of project in "${params.folder}". Give the command.`);

    // A long run prints more than is worth source.
    let count = 0;
    const latest: string[] = [];
    const failures: string[] = [];
    const child = spawn(program, args, { cwd: folder, signal, stdio: ["ignore", "pipe", "pipe"] });
    const read = async (stream: Readable) => {
      for await (const line of createInterface({ input: stream })) {
        count += 1;
        latest.push(line);
        if (latest.length > KEPT) latest.shift();
        if (FAILURE.test(line) && failures.length < 20) failures.push(line.trim());
        onUpdate?.({ content: [{ type: "text", text: latest.slice(-3).join("\n") }], details: { lines: count } });
      }
    };
    const ended = new Promise<number | string>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, killedBy) => resolve(code ?? `signal ${killedBy}`));
    });
    const [code] = await Promise.all([ended, read(child.stdout!), read(child.stderr!)]);

    const passed = code === 0;
    const tail = latest.slice(passed ? -5 : -KEPT);
    const head = `${[program, ...args].join(" ")}: ${passed ? "passed" : `failed with ${typeof code === "number" ? `code ${code}` : code}`}`;
    const marked = failures.length > 0 && !passed ? ["Lines that speak of failure:", ...failures, "", "The last lines:"] : [];
    return {
      content: [{ type: "text", text: [head, ...marked, ...tail].join("\n") }],
      details: { code, lines: count, failures: failures.length },
      isError: !passed,
    };
  },

  renderResult(result, options, theme) {
    const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    const [head = "", ...rest] = text.split("\n");
    const colour = options.isPartial ? "muted" : result.isError ? "error" : "success";
    const shown = options.expanded ? rest : rest.slice(-5);
    return new pi.pi.Text([theme.fg(colour, head), ...shown.map((line) => theme.fg("dim", line))].join("\n"), 0, 0);
  },
});

export default factory;
