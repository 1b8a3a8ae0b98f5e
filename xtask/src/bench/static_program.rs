//! `cargo xtask bench static GLIBC STATIC`: two programs beside each other, which differ in their C library and so in their
//! allocator. They are given as paths, because they are built for different targets; both must be built with the same profile.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context as _, Result, ensure};
use toolsmith_host::exec::{Request, run as run_supervised};
use toolsmith_tool::{CancelToken, Figure, Meter};

use super::{
    modules,
    sample::{Sample, describe},
};

/// Rounds in which each program runs once.
const ROUNDS: usize = 15;

/// A tool that allocates: it writes and parses lists of objects as JSON.
const LISTS: &str = r#"export default (pi) => ({
  name: "lists", description: "Writes and parses lists", approval: "read", parameters: pi.zod.object({}),
  execute: async () => {
    let total = 0;
    for (let round = 0; round < 8; round++) {
      const list = Array.from({ length: 20000 }, (_, i) => ({ id: i, name: `item ${i}`, tags: [`${i}`, "x"] }));
      total += JSON.parse(JSON.stringify(list)).length;
    }
    return { content: [{ type: "text", text: `total ${total}` }] };
  },
});
"#;

/// A measured command: its name, its arguments, a part of its output, and whether it starts with nothing cached.
type Command = (&'static str, &'static [&'static str], &'static str, bool);

const COMMANDS: [Command; 5] = [
    ("`toolsmith --version`", &["--version"], "toolsmith", false),
    ("`toolsmith call` of a zod tool", &["call", "tool_0", "n=1", "--tool", "tools/t0.ts"], "Found 3", false),
    (
        "`toolsmith call` that writes and parses lists",
        &["call", "lists", "--tool", "lists.mjs"],
        "total 160000",
        false,
    ),
    ("`toolsmith list` of 100 zod modules, nothing cached", &["list", "--trust"], "tool_99 ", true),
    ("`toolsmith list` of 100 zod modules, cached", &["list", "--trust"], "tool_99 ", false),
];

pub(crate) fn run(glibc: &str, musl: &str) -> Result<()> {
    let place = tempfile::tempdir()?;
    let project = place.path().join("project");
    let tools = project.join(".toolsmith/tools");
    fs::create_dir_all(&tools)?;
    fs::create_dir(project.join("tools"))?;
    for index in 0..modules::COUNT {
        fs::write(tools.join(format!("t{index}.ts")), modules::module("zod", index))?;
    }
    fs::write(project.join("tools/t0.ts"), modules::module("zod", 0))?;
    fs::write(project.join("lists.mjs"), LISTS)?;
    println!(
        "static: CPU time of the process and its descendants, {ROUNDS} rounds in turns, median (middle half)"
    );
    let programs =
        [("glibc", glibc), ("static", musl)].map(|(name, path)| (name, place.path().join(name), path));
    for (name, copy, path) in &programs {
        // A copy, as installing creates one: the file that a linker wrote starts more slowly.
        fs::copy(path, copy).with_context(|| format!("{path} cannot be copied"))?;
        fs::File::open(copy)?.sync_all()?;
        println!("  {name:<7} {path}, {:.1} MB", fs::metadata(copy)?.len() as f64 / 1e6);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("| command | glibc | static | ratio |\n|---|---|---|---|");
    for command in COMMANDS {
        let mut samples = [Sample::default(), Sample::default()];
        for _ in 0..ROUNDS {
            for ((name, program, _), sample) in programs.iter().zip(&mut samples) {
                let home = place.path().join(format!("home-{name}"));
                if command.3 {
                    let _ = fs::remove_dir_all(&home);
                }
                fs::create_dir_all(&home)?;
                sample.push(runtime.block_on(cpu_time(program, command, &project, &home))?);
            }
        }
        let [glibc, musl] = samples;
        println!(
            "| {} | {} | {} | {:.2} |",
            command.0,
            describe(&glibc),
            describe(&musl),
            musl.ratio(&glibc)
        );
    }
    Ok(())
}

/// Runs a command to its end and returns the CPU time of all its processes.
async fn cpu_time(program: &Path, command: Command, project: &Path, home: &Path) -> Result<Duration> {
    let (name, arguments, expected, _) = command;
    let meter = Meter::new();
    meter.knows(&[Figure::Cpu]);
    let mut request =
        Request::new(program.display().to_string()).args(arguments.iter().copied()).cwd(project);
    request.clear_env = true;
    let path = std::env::var("PATH").unwrap_or_default();
    let request = request.env("HOME", home.display().to_string()).env("PATH", path).meter(&meter);
    let outcome = run_supervised(&request, &CancelToken::new(), |_| {}).await?;
    let printed = outcome.stdout.text();
    ensure!(
        outcome.code == 0 && printed.contains(expected),
        "{name} of {} failed: {printed}{}",
        program.display(),
        outcome.stderr.text()
    );
    meter.read().cpu_us.map(Duration::from_micros).context("the CPU time is unknown")
}
