//! `cargo xtask bench`: measures, and prints ratios of things measured beside each other in one run.

mod exec;
mod sample;

use anyhow::{Result, bail};

use crate::cargo::cargo;

pub(crate) fn run(subjects: &[&str]) -> Result<()> {
    if cfg!(debug_assertions) {
        // Figures of an unoptimised build say nothing.
        let again = ["run", "--quiet", "--release", "--package", "xtask", "--", "bench"];
        return cargo(&[again.as_slice(), subjects].concat());
    }
    for subject in if subjects.is_empty() { &["exec"] } else { subjects } {
        match *subject {
            "exec" => exec::run()?,
            other => bail!("no benchmark is called {other}; there is exec"),
        }
    }
    Ok(())
}
