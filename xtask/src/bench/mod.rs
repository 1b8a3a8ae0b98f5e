//! `cargo xtask bench`: measures, and prints ratios of things measured beside each other in one run.

mod agent;
mod ast;
pub(crate) mod engine;
mod exec;
mod list;
mod modules;
mod peers;
mod process;
mod program;
mod sample;
mod sessions;

use anyhow::{Result, bail};

use crate::cargo::cargo;

const SUBJECTS: [&str; 6] = ["exec", "engine", "list", "agent", "ast", "sessions"];

pub(crate) fn run(subjects: &[&str]) -> Result<()> {
    if cfg!(debug_assertions) {
        // Figures of an unoptimised build say nothing. Both programs in one build, which compiles what they share once.
        cargo(&["build", "--quiet", "--release", "--package", "xtask", "--package", program::PACKAGE])?;
        return program::rerun(subjects);
    }
    for subject in if matches!(subjects, [] | ["all"]) { &SUBJECTS } else { subjects } {
        match *subject {
            "exec" => exec::run()?,
            "engine" => engine::run()?,
            "list" => list::run()?,
            "agent" => agent::run()?,
            "ast" => ast::run()?,
            "sessions" => sessions::run()?,
            other => bail!("no benchmark is called {other}; there are {}, and all", SUBJECTS.join(", ")),
        }
    }
    Ok(())
}
