//! The cost of tools that exist and are not used, and of schema libraries; and how exactly deadlines of synchronous processes are
//! kept.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result};

use super::{
    modules::{self, Modules},
    peers,
    process::{end, megabytes, memory, timed},
    program::Program,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
    waiting::{self, Waiting},
};

/// Name in the report.
const SUBJECT: &str = "Cost of what is not used";
const ROUNDS: usize = 40;
/// Time for an idle agent to settle after its start.
const SETTLING: Duration = Duration::from_millis(500);
/// Budgets: ratios, megabytes and milliseconds.
const CALLING: f64 = 1.1;
const STARTING: f64 = 1.2;
const IDLE: f64 = 35.0;
const ARKTYPE: f64 = 2.0;
const LATE: f64 = 10.0;

const ARKTYPE_TOOL: &str = r#"export default (pi) => ({
  name: "tool_0", description: "A tool of the benchmark",
  parameters: pi.arktype({ "glob?": "string", n: "number" }),
  async execute(id, { glob = "**/*.ts", n }) {
    return { content: [{ type: "text", text: `Found ${glob.split("/").length + n}` }] };
  },
});
"#;

/// Measures by how much processes with a deadline of 50 ms outlast it, in milliseconds. Bun runs the same functions.
const LATENESS: &str = r#"import { execSync, spawnSync } from "node:child_process";
const late = (run) => Array.from({ length: 20 }, () => {
  const start = performance.now();
  try { run(); } catch {}
  return performance.now() - start - 50;
});
export const measure = () => ({
  spawnSync: late(() => spawnSync("sleep", ["10"], { timeout: 50 })),
  execSync: late(() => execSync("sleep 10", { timeout: 50, stdio: "pipe" })),
});
"#;
const LATENESS_TOOL: &str = r#"import { measure } from "./lateness.ts";
export default () => ({
  name: "late", description: "Measures deadlines", parameters: { type: "object" },
  execute: async () => ({ content: [{ type: "text", text: JSON.stringify(measure()) }] }),
});
"#;
const LATENESS_SCRIPT: &str = r#"import { measure } from "./lateness.ts";
console.log(JSON.stringify(measure()));
"#;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let modules = modules::prepare()?;
    let folder = peers::folder()?.join("cost");
    let project = |name: &str, count: usize| -> Result<PathBuf> {
        let project = folder.join(name);
        let tools = project.join(".toolsmith/tools");
        fs::create_dir_all(&tools)?;
        for index in 0..count {
            fs::write(tools.join(format!("t{index}.ts")), modules::module("typebox", index))?;
        }
        Ok(project)
    };
    let (none, one, many) = (project("none", 0)?, project("one", 1)?, project("many", modules::COUNT)?);
    for place in [&none, &one, &many] {
        // Definitions are cached from here on.
        timed(program.start(place).args(["list", "--trust"]), "")?;
    }
    calling(&program, &one, &many, report)?;
    starting(&program, &none, &many, report)?;
    arktype(&program, &none, &modules, report)?;
    lateness(&program, &folder, &modules, report)
}

fn calling(program: &Program, one: &Path, many: &Path, report: &mut Report) -> Result<()> {
    println!("cost: `toolsmith call` of one tool among {}, {ROUNDS} rounds", modules::COUNT);
    let call =
        |place: &Path| timed(program.start(place).args(["call", "tool_0", "n=1", "--trust"]), "Found 3");
    let (mut alone, mut among) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        alone.push(call(one)?);
        among.push(call(many)?);
    }
    println!("  the only tool {}", describe(&alone));
    println!("  among others  {}   {}", describe(&among), verdict(among.ratio(&alone), CALLING));
    let what = format!("`toolsmith call` of one tool among {}", modules::COUNT);
    report.compare(SUBJECT, what, &among, ("toolsmith, its only tool", &alone), Some(CALLING));
    Ok(())
}

fn starting(program: &Program, none: &Path, many: &Path, report: &mut Report) -> Result<()> {
    println!("cost: from start to the first request, with {} tools and with none", modules::COUNT);
    let start = |place: &Path| -> Result<Waiting> {
        let mut command = waiting::command(program, place)?;
        command.arg("--trust");
        waiting::start(command)
    };
    let (mut without, mut with) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS / 2 {
        for (place, sample) in [(none, &mut without), (many, &mut with)] {
            let waiting = start(place)?;
            end(waiting.child)?;
            sample.push(waiting.elapsed);
        }
    }
    println!("  none          {}", describe(&without));
    println!("  {:<13} {}   {}", modules::COUNT, describe(&with), verdict(with.ratio(&without), STARTING));
    let what = format!("from start to the first request with {} tools", modules::COUNT);
    report.compare(SUBJECT, what, &with, ("toolsmith without tools", &without), Some(STARTING));
    let waiting = start(many)?;
    std::thread::sleep(SETTLING);
    let resident =
        memory(&waiting.child, "VmRSS:").context("the memory of an idle agent could not be read")?;
    let resident = megabytes(resident);
    end(waiting.child)?;
    println!("  idle memory in MB: {}", verdict(resident, IDLE));
    report.figure(
        SUBJECT,
        format!("resident memory, an idle agent with {} tools", modules::COUNT),
        format!("{resident:.1} MB"),
        Some(kept(resident <= IDLE, format!("≤ {IDLE} MB"))),
    );
    Ok(())
}

fn arktype(program: &Program, empty: &Path, modules: &Modules, report: &mut Report) -> Result<()> {
    println!("cost: `toolsmith call` of an arktype tool beside a zod tool, {ROUNDS} rounds");
    let (tool, zod) = (modules.folder.join("arktype.ts"), modules.folder.join("zod/t0.ts"));
    fs::write(&tool, ARKTYPE_TOOL)?;
    let call = |tool: &Path| {
        timed(program.start(empty).args(["call", "tool_0", "n=1", "--tool"]).arg(tool), "Found 3")
    };
    let (mut ours, mut other) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        other.push(call(&zod)?);
        ours.push(call(&tool)?);
    }
    println!("  zod           {}", describe(&other));
    println!("  arktype       {}   {}", describe(&ours), verdict(ours.ratio(&other), ARKTYPE));
    report.compare(
        SUBJECT,
        "`toolsmith call` of an arktype tool",
        &ours,
        ("toolsmith, a zod tool", &other),
        Some(ARKTYPE),
    );
    Ok(())
}

fn lateness(program: &Program, folder: &Path, modules: &Modules, report: &mut Report) -> Result<()> {
    println!("cost: synchronous processes after their deadline of 50 ms");
    let tool = folder.join("late.ts");
    fs::write(folder.join("lateness.ts"), LATENESS)?;
    fs::write(folder.join("peer.ts"), LATENESS_SCRIPT)?;
    fs::write(&tool, LATENESS_TOOL)?;
    let read = |command: &mut Command| -> Result<serde_json::Value> {
        let output = command.output()?;
        serde_json::from_slice(&output.stdout).with_context(|| {
            format!("a measured program failed: {}", String::from_utf8_lossy(&output.stderr))
        })
    };
    let ours = read(program.start(folder).args(["call", "late", "--tool"]).arg(&tool))?;
    let theirs = read(peers::start(&modules.bun, folder).args(["run", "peer.ts"]))?;
    for name in ["spawnSync", "execSync"] {
        let sample = |times: &serde_json::Value| {
            let mut sample = Sample::default();
            for late in times[name].as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64) {
                sample.push(Duration::from_secs_f64(late.max(0.0) / 1000.0));
            }
            sample
        };
        let (ours, theirs) = (sample(&ours), sample(&theirs));
        let late = ours.late().as_secs_f64() * 1000.0;
        println!(
            "  {name:<13} {}, bun {}; 95 of 100 within {} ms",
            describe(&ours),
            describe(&theirs),
            verdict(late, LATE)
        );
        report.figure(
            SUBJECT,
            format!("`{name}` after its deadline"),
            format!("{}; bun {}", describe(&ours), describe(&theirs)),
            Some(kept(late <= LATE, format!("95 of 100 ≤ {LATE} ms"))),
        );
    }
    Ok(())
}
