//! Output of `dev`: a cleared screen per round on a terminal, consecutive rounds in a pipe, one line each as JSON.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use toolsmith_tool::{ContentBlock, ToolResult};

use super::{Called, explain};
use toolsmith_text::plain;

use crate::{
    commands::check::print_finding,
    lint::{Finding, Severity},
    output::{indented, one_line},
    project::Project,
    streams::{self, Control},
    terminal::{self, DIM, ERROR, GOOD, NAME, WARNING, paint},
    thrown,
};

/// One round.
pub(super) struct Run<'a> {
    path: &'a Path,
    changed: &'a [PathBuf],
    findings: Vec<Finding>,
    pub(super) called: Option<Called>,
}

impl<'a> Run<'a> {
    pub(super) fn new(path: &'a Path, changed: &'a [PathBuf], findings: Vec<Finding>) -> Self {
        Self { path, changed, findings, called: None }
    }
}

/// Output target of rounds.
pub(super) struct Screen {
    as_json: bool,
    verbose: bool,
    is_terminal: bool,
    rounds: usize,
}

impl Screen {
    pub(super) fn new(as_json: bool, verbose: bool) -> Self {
        Self { as_json, verbose, is_terminal: terminal::is_output_terminal(), rounds: 0 }
    }

    /// Shows what is known before the call.
    pub(super) fn begin(&mut self, run: &Run<'_>, project: &Project) -> io::Result<()> {
        self.rounds += 1;
        if self.as_json {
            return Ok(());
        }
        let mut out = streams::stdout();
        if self.is_terminal {
            out.control(Control::ClearScreen)?;
        } else if self.rounds > 1 {
            writeln!(out)?;
        }
        let changed: Vec<String> = run.changed.iter().map(|path| project.show(path)).collect();
        let why =
            if changed.is_empty() { String::new() } else { format!("  changed: {}", changed.join(", ")) };
        writeln!(out, "{}{}", paint(NAME, project.show(run.path)), paint(DIM, why))?;
        for finding in &run.findings {
            print_finding(&mut out, finding, project)?;
        }
        out.flush()
    }

    /// Shows the outcome of the call.
    pub(super) fn end(&self, run: &Run<'_>, files: usize, project: &Project) -> io::Result<()> {
        if self.as_json {
            let line = json!({
                "round": self.rounds,
                "changed": run.changed,
                "findings": run.findings,
                "call": run.called.as_ref().map(called_json),
            });
            return streams::print_json_line(&line);
        }
        let does_not_load = run.findings.iter().any(|finding| finding.severity == Severity::Error);
        match &run.called {
            None => writeln!(streams::stdout(), "{}", paint(WARNING, "stopped: its files changed"))?,
            // That it cannot be called needs no words where it did not load.
            Some(Called::Not(_)) if does_not_load => {}
            Some(Called::Not(error)) => explain(error),
            Some(Called::Ended { tool, result, updates, staged, drawn, .. }) => {
                match drawn {
                    Some(rows) => rows.iter().try_for_each(|row| streams::stdout().row(row))?,
                    None => show_call(tool, result, updates)?,
                }
                thrown::show(result, project, self.verbose)?;
                show_more(result, staged)?;
            }
        }
        let mut out = streams::stdout();
        let plural = if files == 1 { "" } else { "s" };
        writeln!(
            out,
            "{}",
            paint(
                DIM,
                format_args!(
                    "Watching {files} file{plural}. r and Enter save the call as a case; Ctrl-C ends."
                )
            )
        )?;
        out.flush()
    }
}

impl Screen {
    /// Shows which case was written.
    pub(super) fn saved(&self, path: &Path, project: &Project) -> io::Result<()> {
        if self.as_json {
            return streams::print_json_line(&json!({ "saved": path.to_string_lossy() }));
        }
        let mut out = streams::stdout();
        writeln!(out, "Saved {}", project.show(path))?;
        out.flush()
    }
}

fn show_call(tool: &str, result: &ToolResult, updates: &[ToolResult]) -> io::Result<()> {
    let mut out = streams::stdout();
    for update in updates {
        writeln!(out, "{}", paint(DIM, format_args!("… {}", plain(&update.joined_text()))))?;
    }
    let (style, word) = if result.is_error { (ERROR, "failed") } else { (GOOD, "answered") };
    writeln!(out, "{}", paint(style, format_args!("{} {word}", one_line(tool))))?;
    for block in &result.content {
        match block {
            ContentBlock::Text { text } if result.is_error => writeln!(out, "    {}", indented(text))?,
            ContentBlock::Text { text } => writeln!(out, "{}", plain(text))?,
            ContentBlock::Image { mime_type, data } => {
                writeln!(out, "({mime_type}, {} bytes in base64)", data.len())?;
            }
            _ => writeln!(out, "(unsupported content)")?,
        }
    }
    Ok(())
}

fn show_more(result: &ToolResult, staged: &[String]) -> io::Result<()> {
    let mut out = streams::stdout();
    if let Some(details) = thrown::own_details(result) {
        writeln!(out, "{}", paint(DIM, format_args!("details {}", one_line(&details.to_string()))))?;
    }
    for label in staged {
        writeln!(out, "{}", paint(WARNING, format_args!("staged, not applied: {}", one_line(label))))?;
    }
    Ok(())
}

fn called_json(called: &Called) -> Value {
    match called {
        Called::Not(error) => json!({ "problem": format!("{error:#}") }),
        Called::Ended { tool, result, updates, staged, .. } => {
            json!({ "tool": tool, "result": result, "updates": updates, "staged": staged })
        }
    }
}
