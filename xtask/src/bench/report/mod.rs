//! What was measured in one run, and the two files that tell it: `docs/benchmarks.md` and `docs/benchmarks.svg`.

mod chart;
mod page;
#[cfg(test)]
mod report_tests;

use std::fs;

use anyhow::Result;
pub(crate) use page::kept;

use super::sample::Sample;
use crate::cargo::root;

/// A thing measured beside the same thing of somebody else.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// The benchmark it belongs to.
    pub(super) subject: &'static str,
    /// What was done.
    pub(super) what: String,
    /// How long it took us.
    pub(super) ours: Sample,
    /// Who else.
    pub(super) peer: &'static str,
    /// How long it took them.
    pub(super) theirs: Sample,
    /// Our time must not be more than so many of theirs.
    pub(super) budget: Option<f64>,
}

impl Comparison {
    fn ratio(&self) -> f64 {
        self.ours.ratio(&self.theirs)
    }

    /// The least and the most the ratio can be, by the middle halves of both.
    fn spread(&self) -> (f64, f64) {
        let (own, other) = (self.ours.spread(), self.theirs.spread());
        (own.0.as_secs_f64() / other.1.as_secs_f64(), own.1.as_secs_f64() / other.0.as_secs_f64())
    }
}

/// A figure nobody else has.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(super) subject: &'static str,
    pub(super) what: String,
    pub(super) value: String,
    pub(super) budget: Option<String>,
}

/// Everything of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(super) comparisons: Vec<Comparison>,
    pub(super) figures: Vec<Figure>,
    /// Who was not measured, and why.
    pub(super) absent: Vec<String>,
}

impl Report {
    pub(crate) fn compare(
        &mut self,
        subject: &'static str,
        what: impl Into<String>,
        ours: &Sample,
        (peer, theirs): (&'static str, &Sample),
        budget: Option<f64>,
    ) {
        let (ours, theirs) = (ours.clone(), theirs.clone());
        self.comparisons.push(Comparison { subject, what: what.into(), ours, peer, theirs, budget });
    }

    pub(crate) fn figure(
        &mut self,
        subject: &'static str,
        what: impl Into<String>,
        value: impl Into<String>,
        budget: Option<String>,
    ) {
        self.figures.push(Figure { subject, what: what.into(), value: value.into(), budget });
    }

    pub(crate) fn absent(&mut self, why: impl Into<String>) {
        self.absent.push(why.into());
    }

    /// Writes the files.
    pub(super) fn write(&self) -> Result<()> {
        let docs = root().join("docs");
        fs::write(docs.join("benchmarks.md"), page::write(self, &Machine::here())?)?;
        fs::write(docs.join("benchmarks.svg"), chart::draw(&self.comparisons)?)?;
        println!("docs/benchmarks.md and docs/benchmarks.svg are written");
        Ok(())
    }
}

/// What it was measured on.
#[derive(Clone, Debug)]
struct Machine {
    processor: String,
    cores: usize,
    system: String,
}

impl Machine {
    fn here() -> Self {
        let field = |file: &str, name: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            line.map(|line| line.trim_start_matches([' ', '\t', ':', '=']).trim_matches('"').to_owned())
        };
        Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: field("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| "unknown system".to_owned()),
        }
    }
}
