//! The report of the cases, as text and as JSON.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::outcome::Mismatch;
use crate::{
    output::{harmless, lossy, one_line, print_json},
    project::Project,
    terminal::{DIM, ERROR, GOOD, HINT, WARNING, paint},
};

/// How a case ended.
#[derive(Debug)]
pub(super) enum Verdict {
    Passed,
    /// The file was updated.
    Updated,
    /// The outcome differs from the expectation.
    Differs(Vec<Mismatch>),
    /// The call was not made, or the file is invalid.
    Broken(String),
}

/// One case, or an invalid file.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) path: PathBuf,
    /// Number of the case in the file, starting at one; `None` for files with one case.
    pub(super) number: Option<usize>,
    pub(super) about: String,
    pub(super) verdict: Verdict,
}

/// All cases.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) lines: Vec<Line>,
    /// Modules without a case.
    pub(super) without: Vec<PathBuf>,
    /// Modules and case files that wait for trust. They were requested and did not run.
    pub(super) waiting: Vec<PathBuf>,
}

impl Report {
    pub(super) fn has_failed(&self) -> bool {
        self.failed() > 0 || !self.waiting.is_empty()
    }

    fn failed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Differs(_) | Verdict::Broken(_)))
    }

    fn count(&self, fits: impl Fn(&Verdict) -> bool) -> usize {
        self.lines.iter().filter(|line| fits(&line.verdict)).count()
    }

    pub(super) fn print(&self, as_json: bool, project: &Project) -> io::Result<()> {
        if as_json {
            return print_json(&self.json());
        }
        let mut out = crate::streams::stdout();
        for line in &self.lines {
            print_line(&mut out, line, &project.show(&line.path))?;
        }
        for path in &self.without {
            writeln!(out, "{}  {}  no cases", paint(DIM, "none  "), project.show(path))?;
        }
        for path in &self.waiting {
            writeln!(
                out,
                "{}  {}  waiting for trust, not run",
                paint(WARNING, "waits "),
                project.show(path)
            )?;
        }
        if !self.waiting.is_empty() {
            writeln!(out, "    {} {}", paint(HINT, "→"), crate::failure::TRUST_HINT)?;
        }
        let waiting = match self.waiting.len() {
            0 => String::new(),
            count => format!(", {count} waiting for trust"),
        };
        let passed = self.count(|verdict| matches!(verdict, Verdict::Passed));
        let updated = self.count(|verdict| matches!(verdict, Verdict::Updated));
        let updated = if updated > 0 { format!(", {updated} updated") } else { String::new() };
        writeln!(out, "{passed} passed, {} failed{updated}{waiting}", self.failed())
    }

    fn json(&self) -> Value {
        let cases: Vec<Value> = self.lines.iter().map(line_json).collect();
        json!({
            "cases": cases,
            "without": self.without,
            "waiting": lossy(&self.waiting),
            "passed": self.count(|verdict| matches!(verdict, Verdict::Passed)),
            "updated": self.count(|verdict| matches!(verdict, Verdict::Updated)),
            "failed": self.failed(),
        })
    }
}

fn line_json(line: &Line) -> Value {
    let (status, differs, problem) = match &line.verdict {
        Verdict::Passed => ("passed", None, None),
        Verdict::Updated => ("updated", None, None),
        Verdict::Differs(list) => ("failed", Some(list), None),
        Verdict::Broken(why) => ("failed", None, Some(why)),
    };
    let differs: Vec<Value> = differs
        .into_iter()
        .flatten()
        .map(|item| json!({ "what": item.what, "expected": item.expected, "came": item.came }))
        .collect();
    json!({
        "path": line.path.to_string_lossy(), "case": line.number, "about": line.about, "status": status,
        "differs": differs, "problem": problem,
    })
}

fn print_line(out: &mut dyn Write, line: &Line, path: &str) -> io::Result<()> {
    let word = match &line.verdict {
        Verdict::Passed => paint(GOOD, "ok    "),
        Verdict::Updated => paint(WARNING, "update"),
        Verdict::Differs(_) | Verdict::Broken(_) => paint(ERROR, "FAILED"),
    };
    write!(out, "{word}  {path}")?;
    if let Some(number) = line.number {
        write!(out, " ({number})")?;
    }
    if !line.about.is_empty() {
        write!(out, "  {}", one_line(&line.about))?;
    }
    writeln!(out)?;
    match &line.verdict {
        Verdict::Passed | Verdict::Updated => Ok(()),
        Verdict::Broken(why) => harmless(why).lines().try_for_each(|line| writeln!(out, "    {line}")),
        Verdict::Differs(list) => {
            list.iter().try_for_each(|item| print_difference(out, item))?;
            let hint = "If this is now correct, run `toolsmith test --update` to save it.";
            writeln!(out, "    {} {hint}", paint(HINT, "→"))
        }
    }
}

/// Context lines around differences.
const CONTEXT: usize = 3;

pub(crate) fn print_difference(out: &mut dyn Write, item: &Mismatch) -> io::Result<()> {
    writeln!(
        out,
        "    {} ({}, {})",
        one_line(&item.what),
        paint(ERROR, "- expected"),
        paint(GOOD, "+ actual")
    )?;
    let diff = TextDiff::from_lines(&item.expected, &item.came);
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if index > 0 {
            writeln!(out, "      {}", paint(DIM, "…"))?;
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = change.value().trim_end_matches('\n');
            match change.tag() {
                ChangeTag::Delete => writeln!(out, "    {}", paint(ERROR, format_args!("- {text}")))?,
                ChangeTag::Insert => writeln!(out, "    {}", paint(GOOD, format_args!("+ {text}")))?,
                ChangeTag::Equal => writeln!(out, "      {}", harmless(text))?,
            }
        }
    }
    Ok(())
}
