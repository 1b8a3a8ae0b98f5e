//! The commands compared with Bun: listing a hundred tools, calling one, starting; size on disk and in memory.

use std::{fs, path::Path, time::Duration};

use anyhow::Result;

use super::{
    modules::{self, Modules},
    peers,
    process::{end, megabytes, memory, timed},
    program::Program,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
    waiting,
};

/// Name in the report.
const SUBJECT: &str = "Commands";
const KINDS: [&str; 2] = ["typebox", "zod"];
/// Number of tools of an idle agent.
const IDLE_TOOLS: usize = 10;
const IDLE_MEGABYTES: f64 = 40.0;
/// Time for an idle agent to settle after its start.
const SETTLING: Duration = Duration::from_millis(500);

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let modules = modules::prepare()?;
    let folder = peers::folder()?.join("list");
    for kind in KINDS {
        let tools = folder.join(kind).join(".toolsmith/tools");
        fs::create_dir_all(&tools)?;
        for index in 0..modules::COUNT {
            fs::write(tools.join(format!("t{index}.ts")), modules::module(kind, index))?;
        }
    }
    let empty = folder.join("empty");
    fs::create_dir_all(&empty)?;
    listing(&program, &folder, &modules, report)?;
    calling(&program, &empty, &modules, report)?;
    starting(&program, &empty, report)?;
    for kind in KINDS {
        idle(&program, &empty, &modules, kind, report)?;
    }
    Ok(())
}

fn listing(program: &Program, folder: &Path, modules: &Modules, report: &mut Report) -> Result<()> {
    println!("list: `toolsmith list` of {} modules beside Bun importing them, 20 rounds", modules::COUNT);
    let count = modules::COUNT.to_string();
    for kind in KINDS {
        let (mut ours, mut theirs) = (Sample::default(), Sample::default());
        for _ in 0..20 {
            let last = format!("tool_{} ", modules::COUNT - 1);
            ours.push(timed(program.start(&folder.join(kind)).args(["list", "--trust"]), &last)?);
            theirs.push(timed(
                peers::start(&modules.bun, &modules.folder).args(["run", "run.ts", kind, &count, "count"]),
                &count,
            )?);
        }
        beside_bun(kind, &ours, &theirs, 0.5);
        let what = format!("`toolsmith list` of {count} {kind} modules");
        report.compare(SUBJECT, what, &ours, ("bun", &theirs), Some(0.5));
    }
    Ok(())
}

fn calling(program: &Program, empty: &Path, modules: &Modules, report: &mut Report) -> Result<()> {
    println!("list: `toolsmith call` of one tool beside `bun run`, 40 rounds");
    for (kind, budget) in KINDS.into_iter().zip([0.30, 0.40]) {
        let tool = modules.folder.join(kind).join("t0.ts");
        let (mut ours, mut theirs) = (Sample::default(), Sample::default());
        for _ in 0..40 {
            let mut call = program.start(empty);
            ours.push(timed(call.args(["call", "tool_0", "n=1", "--tool"]).arg(&tool), "Found 3")?);
            theirs.push(timed(
                peers::start(&modules.bun, &modules.folder).args(["run", "run.ts", kind, "1", "call"]),
                "Found 3",
            )?);
        }
        beside_bun(kind, &ours, &theirs, budget);
        let what = format!("`toolsmith call` of a {kind} tool");
        report.compare(SUBJECT, what, &ours, ("bun", &theirs), Some(budget));
    }
    Ok(())
}

fn beside_bun(kind: &str, ours: &Sample, theirs: &Sample, budget: f64) {
    println!("  {kind:<8} toolsmith {}", describe(ours));
    println!("  {kind:<8} bun       {}   {}", describe(theirs), verdict(ours.ratio(theirs), budget));
}

fn starting(program: &Program, empty: &Path, report: &mut Report) -> Result<()> {
    let mut sample = Sample::default();
    for _ in 0..40 {
        sample.push(timed(program.start(empty).arg("--version"), "toolsmith")?);
    }
    println!("list: `toolsmith --version`, 40 rounds: {}", describe(&sample));
    report.figure(SUBJECT, "start: `toolsmith --version`", describe(&sample), None);
    let size = format!("{:.1} MB", fs::metadata(&program.path)?.len() as f64 / 1e6);
    println!("list: the program is {size}");
    report.figure(SUBJECT, "size of the program, which needs nothing beside it", size, None);
    Ok(())
}

/// Measures an agent that has its tools and waits for its model.
fn idle(program: &Program, empty: &Path, modules: &Modules, kind: &str, report: &mut Report) -> Result<()> {
    let mut command = waiting::command(program, empty)?;
    for index in 0..IDLE_TOOLS {
        command.arg("--tool").arg(modules.folder.join(kind).join(format!("t{index}.ts")));
    }
    let waiting = waiting::start(command)?;
    std::thread::sleep(SETTLING);
    let field = |name| memory(&waiting.child, name).map_or(f64::NAN, megabytes);
    println!(
        "list: an idle agent with {IDLE_TOOLS} {kind} tools has {} MB resident; {:.1} MB of it its own, {:.1} MB the program's file",
        verdict(field("VmRSS:"), IDLE_MEGABYTES),
        field("RssAnon:"),
        field("RssFile:"),
    );
    let resident = field("VmRSS:");
    report.figure(
        SUBJECT,
        format!("resident memory, an idle agent with {IDLE_TOOLS} {kind} tools"),
        format!("{resident:.1} MB"),
        Some(kept(resident <= IDLE_MEGABYTES, format!("≤ {IDLE_MEGABYTES} MB"))),
    );
    end(waiting.child)
}
