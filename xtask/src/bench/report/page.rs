//! `docs/benchmarks.md`.

use std::fmt::Write as _;

use anyhow::Result;

use super::{Comparison, Machine, Report};
use crate::bench::sample::describe;

/// The cost of an option of the linker, which is measured with a program made for it.
const POSITION_INDEPENDENCE: &str = "\
## Position independence\n\
\n\
The program can be loaded at any address, because it runs other people's code and randomised addresses make attacks harder. The cost\n\
was measured with a small C program of 54,000 relocations over 2 MB, the number this program had when they were last counted: 1.7 ms\n\
instead of 0.6 ms from start to exit, the best of 1,500 runs each, taken in turns on a busy machine. `-z pack-relative-relocs` made no\n\
difference (1.7 ms), so it is not used.\n";

/// Ratios closer to one than this are not significant.
const ALIKE: f64 = 0.03;

pub(super) fn write(report: &Report, machine: &Machine) -> Result<String> {
    let mut page = format!(
        "# Benchmarks\n\n\
         <!-- Written by `cargo xtask bench all`. -->\n\n\
         Toolsmith {} (commit {}, profile `dist`) and others, measured in turns in one run on {} ({} cores), {}; load average at the\n\
         end {}. Times are medians with the middle half;\n\
         a ratio is our time by theirs, so less than 1 is faster, with the least and most it can be by the middle halves.\n\
         Measure again with `cargo xtask bench all`: what it needs is installed outside the checkout.\n\n\
         ![Our time by theirs](benchmarks.svg)\n\n",
        env!("CARGO_PKG_VERSION"),
        machine.commit,
        machine.processor,
        machine.cores,
        machine.system,
        machine.load,
    );
    page.push_str("## Where others are faster\n\n");
    let slower: Vec<&Comparison> =
        report.comparisons.iter().filter(|comparison| comparison.ratio() > 1.0 + ALIKE).collect();
    if slower.is_empty() {
        page.push_str("Nowhere in this run.\n");
    }
    for comparison in slower {
        let (what, peer, ratio) = (&comparison.what, comparison.peer, comparison.ratio());
        writeln!(page, "- {what}: we take {ratio:.2} times as long as {peer}.")?;
    }
    for why in &report.absent {
        writeln!(page, "\nNot measured: {why}.")?;
    }
    for subject in subjects(report) {
        write!(page, "\n## {subject}\n\n")?;
        let rows: Vec<&Comparison> =
            report.comparisons.iter().filter(|comparison| comparison.subject == subject).collect();
        if !rows.is_empty() {
            page.push_str("| what | toolsmith | other | | ratio | budget |\n|---|---|---|---|---|---|\n");
        }
        for row in rows {
            let (low, high) = row.spread();
            let budget = row.budget.map(|budget| kept(row.ratio() <= budget, format!("≤ {budget}")));
            writeln!(
                page,
                "| {} | {} | {} | {} | **{:.2}** ({low:.2}–{high:.2}) | {} |",
                cell(&row.what),
                describe(&row.ours),
                row.peer,
                describe(&row.theirs),
                row.ratio(),
                budget.unwrap_or_default(),
            )?;
        }
        let figures: Vec<_> = report.figures.iter().filter(|figure| figure.subject == subject).collect();
        if !figures.is_empty() {
            page.push_str("\n| what | toolsmith | budget |\n|---|---|---|\n");
        }
        for figure in figures {
            let budget = figure.budget.as_deref().unwrap_or_default();
            writeln!(page, "| {} | {} | {budget} |", cell(&figure.what), cell(&figure.value))?;
        }
    }
    page.push('\n');
    page.push_str(POSITION_INDEPENDENCE);
    Ok(page)
}

/// Formats a budget and whether it was met.
pub(crate) fn kept(is_kept: bool, budget: impl std::fmt::Display) -> String {
    format!("{budget}, {}", if is_kept { "kept" } else { "**missed**" })
}

/// Returns the subjects in the order of measurement.
fn subjects(report: &Report) -> Vec<&'static str> {
    let mut subjects: Vec<&str> = Vec::new();
    let all = report.comparisons.iter().map(|comparison| comparison.subject);
    for subject in all.chain(report.figures.iter().map(|figure| figure.subject)) {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    subjects
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
