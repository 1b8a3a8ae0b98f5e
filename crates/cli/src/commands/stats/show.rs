//! The table of `toolsmith stats`, with a bar for each row's share of the time.

use std::io::Write as _;

use anyhow::Result;
use toolsmith_text::{count_text, size_text, time_text};

use super::{
    By, StatsRow,
    totals::{Sum, Totals},
};
use crate::{
    output::{Cell, print_table},
    streams,
    terminal::{self, DIM, NAME, paint},
};

/// Columns of a bar.
const BAR: u64 = 12;
/// Parts of a column, from an eighth to a whole.
const PARTS: [&str; 8] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// Says that there is nothing to show.
pub(super) fn nothing(sessions: usize, all: bool) -> Result<()> {
    let mut out = streams::stdout();
    match (sessions, all) {
        (0, false) => writeln!(out, "No sessions in this directory; --all includes other directories.")?,
        (0, true) => writeln!(out, "No sessions.")?,
        (count, _) => writeln!(out, "Nothing recorded in {}.", counted(count, "session", "sessions"))?,
    }
    Ok(())
}

/// Prints the table, and the sums below it.
pub(super) fn table(by: By, rows: &[StatsRow], total: &Totals, sessions: usize) -> Result<()> {
    let mut out = streams::stdout();
    let name = by.as_str().to_uppercase();
    let mut heading = vec![name.as_str(), "", "TIME", "CALLS", "FAILED", "CPU", "MEMORY"];
    heading.extend(["READ", "WRITTEN", "REQUESTS", "PROCESSES", "TOKENS"]);
    if by != By::Tool {
        heading.extend(["MODEL TOKENS", "COST"]);
    }
    if by == By::Session {
        heading.push("ABOUT");
    }
    let most = rows.iter().map(|row| row.totals.wall_us.value).max().unwrap_or(0);
    let cells: Vec<Vec<Cell>> = rows.iter().map(|row| cells(by, row, most)).collect();
    print_table(&mut out, &heading, &cells, terminal::output_width())?;
    let mut sums = vec![
        counted(sessions, "session", "sessions"),
        counted(usize::try_from(total.calls).unwrap_or(usize::MAX), "call", "calls"),
        format!("{} in tools", time_text(total.wall_us.value)),
    ];
    if total.responses > 0 {
        let tokens = count_text(total.model_tokens);
        sums.push(format!("{} responses of models, {tokens} tokens", total.responses));
    }
    if total.cost > 0.0 {
        sums.push(format!("${:.4}", total.cost));
    }
    writeln!(out, "\n{}", sums.join(" · "))?;
    if rows.iter().any(|row| has_gaps(&row.totals)) {
        let note = "+ not known for all calls; – not known";
        writeln!(out, "{}", paint(DIM, note))?;
    }
    Ok(())
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn cells(by: By, row: &StatsRow, most: u64) -> Vec<Cell> {
    let totals = &row.totals;
    let sum = |sum: Sum, show: fn(u64) -> String| -> Cell {
        match sum.known {
            0 => ("–".to_owned(), Some(DIM)),
            known if known < totals.calls => (format!("{}+", show(sum.value)), None),
            _ => (show(sum.value), None),
        }
    };
    let mut cells: Vec<Cell> = vec![
        (row.name.clone(), Some(NAME)),
        (bar(totals.wall_us.value, most), None),
        sum(totals.wall_us, time_text),
        (totals.calls.to_string(), None),
        (totals.failed.to_string(), (totals.failed == 0).then_some(DIM)),
        sum(totals.cpu_us, time_text),
        sum(totals.memory, size_text),
        sum(totals.read, size_text),
        sum(totals.written, size_text),
        sum(totals.requests, count_text),
        sum(totals.processes, count_text),
        sum(totals.result_tokens, count_text),
    ];
    if by != By::Tool {
        cells.push((count_text(totals.model_tokens), None));
        let cost = if totals.cost > 0.0 { format!("${:.4}", totals.cost) } else { "–".to_owned() };
        cells.push((cost, None));
    }
    if by == By::Session {
        cells.push((row.about.clone().unwrap_or_default(), Some(DIM)));
    }
    cells
}

fn has_gaps(totals: &Totals) -> bool {
    let sums = [totals.cpu_us, totals.memory, totals.read, totals.written, totals.requests, totals.processes];
    sums.iter().chain([&totals.wall_us]).any(|sum| sum.known < totals.calls)
}

/// A bar whose length is the share of `value` in `most`; the smallest share that is not zero is still seen.
fn bar(value: u64, most: u64) -> String {
    if value == 0 || most == 0 {
        return String::new();
    }
    let eighths = u128::from(value) * u128::from(BAR * 8) / u128::from(most);
    let eighths = usize::try_from(eighths).unwrap_or(0).max(1);
    let rest = if eighths % 8 == 0 { "" } else { PARTS.get(eighths % 8 - 1).copied().unwrap_or_default() };
    format!("{}{rest}", "█".repeat(eighths / 8))
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;
