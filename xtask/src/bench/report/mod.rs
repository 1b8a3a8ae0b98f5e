//! Measurements of one run, and the two files with them: `docs/benchmarks.md` and `docs/benchmarks.svg`.

mod chart;
mod page;
#[cfg(test)]
mod report_tests;

use std::fs;

use anyhow::Result;
pub(crate) use page::kept;

use super::{peers, sample::Sample};
use crate::cargo::root;

/// A measurement beside that of a peer.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// Name of the benchmark.
    pub(super) subject: &'static str,
    /// Description.
    pub(super) what: String,
    /// Our time.
    pub(super) ours: Sample,
    /// Name of the peer.
    pub(super) peer: &'static str,
    /// The peer's time.
    pub(super) theirs: Sample,
    /// Maximum ratio of our time to the peer's.
    pub(super) budget: Option<f64>,
}

impl Comparison {
    fn ratio(&self) -> f64 {
        self.ours.ratio(&self.theirs)
    }

    /// Returns the range of the ratio, from the middle halves of both.
    fn spread(&self) -> (f64, f64) {
        let (own, other) = (self.ours.spread(), self.theirs.spread());
        (own.0.as_secs_f64() / other.1.as_secs_f64(), own.1.as_secs_f64() / other.0.as_secs_f64())
    }
}

/// A figure without a peer.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(super) subject: &'static str,
    pub(super) what: String,
    pub(super) value: String,
    pub(super) budget: Option<String>,
}

/// All measurements of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(super) comparisons: Vec<Comparison>,
    pub(super) figures: Vec<Figure>,
    /// Peers that were not measured, and why.
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

/// Describes the machine.
#[derive(Clone, Debug)]
struct Machine {
    processor: String,
    cores: usize,
    system: String,
    /// The commit that was measured.
    commit: String,
    /// Average number of running processes in the minute before the report was written, ours included.
    load: String,
}

impl Machine {
    fn here() -> Self {
        let field = |file: &str, name: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            line.map(|line| line.trim_start_matches([' ', '\t', ':', '=']).trim_matches('"').to_owned())
        };
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            commit: commit().unwrap_or_else(|| "unknown".to_owned()),
            load: load.split_whitespace().next().unwrap_or("unknown").to_owned(),
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: field("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| "unknown system".to_owned()),
        }
    }
}

/// Returns the current commit, marked if files were changed since.
fn commit() -> Option<String> {
    let output = peers::start("git", &root()).args(["describe", "--always", "--dirty"]).output().ok()?;
    let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}
