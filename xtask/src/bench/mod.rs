//! `cargo xtask bench`: prints ratios of things measured beside each other in one run. A run of everything also writes
//! `docs/benchmarks.md` and a chart.

mod agent;
mod ast;
mod cost;
mod crossing;
pub(crate) mod engine;
mod exec;
mod extensions;
mod hooks;
mod list;
mod mcp;
mod modules;
pub(crate) mod peers;
mod process;
mod program;
mod reloads;
mod report;
mod sample;
mod sessions;
pub(crate) mod static_program;
mod terminal;
mod turns;
mod waiting;

use anyhow::{Result, bail};

use crate::cargo::cargo;

/// Benchmarks within this program come last: a program that has grown starts others more slowly.
const SUBJECTS: [&str; 13] = [
    "exec",
    "list",
    "cost",
    "agent",
    "turns",
    "ast",
    "sessions",
    "terminal",
    "extensions",
    "hooks",
    "mcp",
    "engine",
    "reloads",
];

pub(crate) fn run(subjects: &[&str]) -> Result<()> {
    if cfg!(debug_assertions) {
        // Figures of an unoptimised build are meaningless. Both programs are in one build, which compiles shared code
        // once.
        cargo(&[
            "build",
            "--quiet",
            "--profile",
            "dist",
            "--package",
            "xtask",
            "--package",
            program::PACKAGE,
        ])?;
        return program::rerun(subjects);
    }
    let mut report = report::Report::default();
    for subject in if matches!(subjects, [] | ["all"]) { &SUBJECTS } else { subjects } {
        match *subject {
            "exec" => exec::run(&mut report)?,
            "engine" => engine::run(&mut report)?,
            "list" => list::run(&mut report)?,
            "cost" => cost::run(&mut report)?,
            "turns" => turns::run(&mut report)?,
            "reloads" => reloads::run(&mut report)?,
            "mcp" => mcp::run(&mut report)?,
            "agent" => agent::run(&mut report)?,
            "ast" => ast::run(&mut report)?,
            "sessions" => sessions::run(&mut report)?,
            "terminal" => terminal::run(&mut report)?,
            "extensions" => extensions::run(&mut report)?,
            "hooks" => hooks::run(&mut report)?,
            other => bail!("no benchmark is called {other}; there are {}, and all", SUBJECTS.join(", ")),
        }
    }
    // Files are written only after a complete run.
    if matches!(subjects, [] | ["all"]) { report.write() } else { Ok(()) }
}
