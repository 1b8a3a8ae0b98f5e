//! `cargo xtask bench`: measures, and prints ratios of things measured beside each other in one run.

pub(crate) mod engine;
mod exec;
mod peers;
mod sample;

use anyhow::{Result, bail};

use crate::cargo::cargo;

pub(crate) fn run(subjects: &[&str]) -> Result<()> {
    if cfg!(debug_assertions) {
        // Figures of an unoptimised build say nothing.
        let again = ["run", "--quiet", "--release", "--package", "xtask", "--", "bench"];
        return cargo(&[again.as_slice(), subjects].concat());
    }
    for subject in if subjects.is_empty() { &["exec", "engine"] } else { subjects } {
        match *subject {
            "exec" => exec::run()?,
            "engine" => engine::run()?,
            other => bail!("no benchmark is called {other}; there are exec and engine"),
        }
    }
    Ok(())
}
