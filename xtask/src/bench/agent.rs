//! The agent compared with omp: prompts with one call and with 200, against a model server on loopback.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolsmith_testkit::{ModelServer, Reply};

use super::{
    peers,
    process::{self, Usage, megabytes},
    program::{Program, clean},
    report::{Report, kept},
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "The agent";
const OMP: &str = "@oh-my-pi/pi-coding-agent@18.2.3";
const ROUNDS: usize = 5;
const TURNS: usize = 200;
/// Budgets.
const WALL_RATIO: f64 = 1.0 / 50.0;
const PEAK_MEGABYTES: f64 = 30.0;
const FIRST_REQUEST_BYTES: usize = 6 * 1024;
const TURN_MILLISECONDS: f64 = 2.0;

/// The built-in tools for which the first-request budget was set.
const SEVEN: &str = "read,write,edit,bash,grep,find,ls";

const ANSWER: &str = "All of them were read.";
const TOOL: &str = r#"import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent";

const factory: CustomToolFactory = (pi) => ({
  name: "count_words",
  label: "Count words",
  description: "Counts the words of a text",
  parameters: pi.typebox.Type.Object({ text: pi.typebox.Type.String({ description: "The text" }) }),
  async execute(toolCallId, params) {
    return { content: [{ type: "text", text: String(params.text.split(" ").length) }] };
  },
});

export default factory;
"#;
/// The same for omp, which loads tools given on its command line as extensions.
const EXTENSION: &str = r#"import tool from "./count_words.ts";
export default (pi) => pi.registerTool(tool(pi));
"#;

/// One of the agents.
struct Side<'a> {
    name: &'static str,
    command: Box<dyn Fn(&str) -> Command + 'a>,
}

/// The model's calls.
#[derive(Clone, Copy)]
enum Called {
    /// The built-in tool that both agents have.
    Read,
    /// The custom tool.
    Custom,
}

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let folder = peers::folder()?.join("agent");
    let project = folder.join("project");
    fs::create_dir_all(project.join("notes"))?;
    for turn in 0..TURNS {
        fs::write(project.join(format!("notes/{turn}.txt")), format!("This is note {turn}.\n"))?;
    }
    let tool = folder.join("count_words.ts");
    fs::write(&tool, TOOL)?;
    fs::write(folder.join("extension.ts"), EXTENSION)?;
    let ours =
        Side { name: "toolsmith", command: Box::new(|url| our_command(&program, &project, &tool, url)) };
    let omp = omp(&folder).map_err(|error| {
        println!("agent: omp is not measured: {error:#}");
        report.absent(format!("omp ({error:#})"));
    });
    let omp = omp.ok();
    let theirs = omp.as_ref().map(|(bun, script)| Side {
        name: "omp",
        command: Box::new(|url| omp_command(bun, script, &folder, &project, url)),
    });
    let sides: Vec<&Side<'_>> = std::iter::once(&ours).chain(theirs.as_ref()).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;

    println!("agent: a prompt with one call of `read`, whole process, {ROUNDS} rounds");
    let one = compare(&runtime, &sides, 1, ROUNDS)?;
    println!("agent: a prompt with {TURNS} calls, one in each turn, 3 rounds");
    let many = compare(&runtime, &sides, TURNS, 3)?;
    for (calls, needed) in [(1, &one), (TURNS, &many)] {
        add(report, calls, needed);
    }
    for (side, (one, many)) in sides.iter().zip(one.iter().zip(&many)) {
        let further = |one: Duration, many: Duration| {
            many.saturating_sub(one).as_secs_f64() * 1000.0 / (TURNS - 1) as f64
        };
        let wall = further(one.wall.median(), many.wall.median());
        println!(
            "  {:<9} each further turn {} ms, the server's share included; {:.2} ms of processor time",
            side.name,
            if side.name == ours.name { verdict(wall, TURN_MILLISECONDS) } else { format!("{wall:.2}") },
            further(one.usage.processor, many.usage.processor),
        );
    }
    let few = Side {
        name: "toolsmith",
        command: Box::new(|url| {
            let mut command = our_command(&program, &project, &tool, url);
            command.args(["--tools", SEVEN]);
            command
        }),
    };
    for needed in measure(&runtime, &[&few], 1, 0, Called::Read)? {
        let size = verdict(needed.first_request as f64, FIRST_REQUEST_BYTES as f64);
        println!("agent: first request in bytes with only {SEVEN} and the custom tool: {size}");
    }
    println!("agent: the same with calls of the custom tool");
    for turns in [1, TURNS] {
        let measured = measure(&runtime, &[&ours], turns, 3, Called::Custom)?;
        for run in &measured {
            println!("  {turns:>3}: {}, peak {:.1} MB", describe(&run.wall), megabytes(run.usage.peak));
        }
    }
    Ok(())
}

/// Adds the measurements to the report.
fn add(report: &mut Report, calls: usize, needed: &[Needed]) {
    let Some((ours, others)) = needed.split_first() else { return };
    for theirs in others {
        let what = format!("a prompt with {calls} calls, whole process");
        report.compare(SUBJECT, what, &ours.wall, ("omp", &theirs.wall), Some(WALL_RATIO));
    }
    let peak = megabytes(ours.usage.peak);
    let theirs = others.first().map(|theirs| format!("; omp {:.1} MB", megabytes(theirs.usage.peak)));
    report.figure(
        SUBJECT,
        format!("peak memory with {calls} calls"),
        format!("{peak:.1} MB{}", theirs.unwrap_or_default()),
        Some(kept(peak <= PEAK_MEGABYTES, format!("≤ {PEAK_MEGABYTES} MB"))),
    );
    let theirs = others.first().map(|theirs| format!("; omp {}", theirs.first_request));
    report.figure(
        SUBJECT,
        format!("bytes of the first request of {calls} calls"),
        format!("{}{}", ours.first_request, theirs.unwrap_or_default()),
        Some(kept(ours.first_request <= FIRST_REQUEST_BYTES, format!("≤ {FIRST_REQUEST_BYTES}"))),
    );
}

/// Measurements of one agent.
#[derive(Default)]
struct Needed {
    wall: Sample,
    usage: Usage,
    first_request: usize,
}

/// Measures all agents and prints them with their budgets; the first is ours.
fn compare(runtime: &Runtime, sides: &[&Side<'_>], turns: usize, rounds: usize) -> Result<Vec<Needed>> {
    let needed = measure(runtime, sides, turns, rounds, Called::Read)?;
    for (side, needed) in sides.iter().zip(&needed) {
        println!(
            "  {:<9} {}, peak {:.1} MB, first request {} bytes",
            side.name,
            describe(&needed.wall),
            megabytes(needed.usage.peak),
            needed.first_request
        );
    }
    if let Some(ours) = needed.first() {
        for theirs in needed.iter().skip(1) {
            println!("  wall time × omp's: {}", four_places(ours.wall.ratio(&theirs.wall), WALL_RATIO));
        }
        println!("  peak memory in MB: {}", verdict(megabytes(ours.usage.peak), PEAK_MEGABYTES));
        println!(
            "  first request in bytes: {}",
            verdict(ours.first_request as f64, FIRST_REQUEST_BYTES as f64)
        );
    }
    Ok(needed)
}

/// [`verdict`] for figures too small for it.
fn four_places(figure: f64, budget: f64) -> String {
    let mark = if figure <= budget { "within" } else { "OVER" };
    format!("{figure:.4} ({mark} {budget})")
}

fn measure(
    runtime: &Runtime,
    sides: &[&Side<'_>],
    turns: usize,
    rounds: usize,
    called: Called,
) -> Result<Vec<Needed>> {
    let mut needed: Vec<Needed> = sides.iter().map(|_| Needed::default()).collect();
    // The first run fills caches; its memory is measured, its time is not.
    for (side, needed) in sides.iter().zip(&mut needed) {
        let server = serve(runtime, turns, called)?;
        needed.usage = process::watched(&mut (side.command)(&server.url()), ANSWER)?;
        let requests = server.requests();
        ensure!(requests.len() > turns, "{} made only {} requests", side.name, requests.len());
        needed.first_request = requests.first().context("no request came")?.body_bytes;
        for request in &requests {
            let failed = request.body.to_string().contains("\"is_error\":true");
            ensure!(!failed, "a call failed under {}: {:#}", side.name, request.body["messages"]);
        }
    }
    for _ in 0..rounds {
        for (side, needed) in sides.iter().zip(&mut needed) {
            let server = serve(runtime, turns, called)?;
            needed.wall.push(process::timed(&mut (side.command)(&server.url()), ANSWER)?);
        }
    }
    Ok(needed)
}

/// Creates a model that makes one call in each of this many turns.
fn serve(runtime: &Runtime, turns: usize, called: Called) -> Result<ModelServer> {
    let server = runtime.block_on(ModelServer::start())?;
    server.otherwise(move |request| {
        let messages = request.body.get("messages").and_then(Value::as_array);
        let turn = messages.map_or(0, |messages| {
            messages
                .iter()
                .filter(|message| message.get("role").is_some_and(|role| role == "assistant"))
                .count()
        });
        if turn >= turns {
            return Reply::new().text(ANSWER);
        }
        let id = format!("call_{turn}");
        match called {
            Called::Read => Reply::new().call(&id, "read", &json!({ "path": format!("notes/{turn}.txt") })),
            Called::Custom => {
                Reply::new().call(&id, "count_words", &json!({ "text": format!("This is note {turn}.") }))
            }
        }
    });
    Ok(server)
}

fn our_command(program: &Program, project: &Path, tool: &Path, url: &str) -> Command {
    let mut command = program.start(project);
    command
        .env("BENCH_KEY", "none")
        .args(["-p", "--provider", "anthropic", "--model", "claude-sonnet-4-5", "--base-url", url])
        .args(["--api-key-env", "BENCH_KEY", "--auto-approve", "--max-turns", "1000", "--tool"])
        .arg(tool)
        .arg("Read the notes.");
    command
}

/// Installs omp; returns its command: Bun and its script.
fn omp(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    peers::npm_install(folder, &[OMP, "bun@1.4.4", "@oven/bun-linux-x64@1.4.4"])?;
    let bun = peers::bun(folder).context("bun was not installed")?;
    let script = folder.join("node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js");
    ensure!(script.is_file(), "{OMP} has no {}", script.display());
    Ok((bun, script))
}

fn omp_command(bun: &Path, script: &Path, folder: &Path, project: &Path, url: &str) -> Command {
    let mut command = clean(bun, project, &folder.join("omp-home"));
    command
        .env("ANTHROPIC_BASE_URL", url)
        .env("ANTHROPIC_API_KEY", "none")
        .arg(script)
        .args(["-p", "--auto-approve", "--model", "anthropic/claude-sonnet-4-5", "--extension"])
        .arg(folder.join("extension.ts"))
        .arg("Read the notes.");
    command
}
