//! `toolsmith test`: runs the case files of tools.

mod case;
mod find;
mod from;
mod outcome;
mod report;
mod run;
mod sandbox;
mod tape;
mod territory;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use serde_json::json;
use toolsmith::{Discovered, settings::Settings};
use toolsmith_tool::CancelToken;

use crate::{arguments::Shared, failure::Problem, interrupts, logging, project::Project, runtime};
use case::{Case, CaseFile};
pub(crate) use outcome::Mismatch;
pub(crate) use report::print_difference;
use report::{Line, Report, Verdict};
use territory::Territory;

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArguments {
    /// Case files, modules or directories (default: the cases of all tools).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Save the actual results as the expected ones.
    #[arg(long)]
    update: bool,
    /// Run programs for real and record their output in the case files. Implies --update.
    #[arg(long)]
    record: bool,
    /// Make case files of the calls of a session, or of one call by its number or id prefix.
    #[arg(long, value_name = "SESSION[:CALL]", conflicts_with_all = ["paths", "update", "record"])]
    from: Option<String>,
}

/// State shared by all cases: settings and modules.
struct Around<'a> {
    settings: &'a Settings,
    found: Discovered,
    territory: Territory,
}

/// Mode of the run.
#[derive(Clone, Copy)]
struct Mode {
    update: bool,
    record: bool,
}

pub(crate) fn run(shared: &Shared, own: &TestArguments) -> Result<ExitCode> {
    let mut project = Project::open(shared)?;
    project.warn();
    if !shared.json {
        logging::show_tool_output();
    }
    if let Some(session) = &own.from {
        return from::run(project, session, shared.json);
    }
    let mut report = Report::default();
    let mut files = Vec::new();
    let discovered = if own.paths.is_empty() { project.discover_asking()? } else { project.discover() };
    let mut territory = Territory::new(&project, discovered.ready().cloned().collect());
    if own.paths.is_empty() {
        for module in discovered.ready() {
            let cases = find::cases_beside(&module.path);
            if cases.is_empty() {
                report.without.push(module.path.clone());
            }
            let (runs, waits): (Vec<_>, Vec<_>) =
                cases.into_iter().partition(|case| territory.allows_case(case, module));
            files.extend(runs);
            report.waiting.extend(waits);
        }
        report.waiting.extend(discovered.waiting().map(|module| module.path.clone()));
    } else {
        for path in &own.paths {
            // Rebuilding the path removes "." components.
            let path: PathBuf = project.cwd.join(path).components().collect();
            territory.give(&path);
            let (runs, waits): (Vec<_>, Vec<_>) =
                find::cases_at(&path)?.into_iter().partition(|case| territory.allows_given(case));
            files.extend(runs);
            report.waiting.extend(waits);
        }
    }
    files.sort();
    files.dedup();
    report.waiting.sort();
    report.waiting.dedup();
    if files.is_empty() && report.waiting.is_empty() {
        return Err(Problem::failed("no cases found")
            .hint("Create NAME.case.json beside a tool: { \"args\": { … } }, then run `toolsmith test --update`.")
            .into());
    }
    let mode = Mode { update: own.update || own.record, record: own.record };
    let around = Around { settings: &project.loaded.settings, found: discovered, territory };
    let ended = runtime::block_on_while_read(async {
        let stop = CancelToken::new();
        let asked = stop.clone();
        let came = interrupts::listen(move |reason, _| asked.cancel(reason));
        for path in &files {
            tokio::select! {
                lines = run_file(path, &around, mode) => report.lines.extend(lines),
                // Dropping a case stops its tool and removes its directory.
                () = stop.cancelled() => break,
            }
        }
        Ok(came.exit_code())
    })?;
    if let Some(code) = ended {
        return Ok(ExitCode::from(code));
    }
    report.print(shared.json, &project)?;
    Ok(ExitCode::from(u8::from(report.has_failed())))
}

async fn run_file(path: &Path, around: &Around<'_>, mode: Mode) -> Vec<Line> {
    let line = |number, about: &str, verdict| Line {
        path: path.to_path_buf(),
        number,
        about: about.to_owned(),
        verdict,
    };
    let (mut file, cases) = match CaseFile::read(path) {
        Ok(read) => read,
        Err(error) => return vec![line(None, "", Verdict::Broken(format!("{error:#}")))],
    };
    let mut lines = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let number = (cases.len() > 1).then_some(index + 1);
        let verdict = match run_case(path, case, around, mode).await {
            Ok(Ran::Same) => Verdict::Passed,
            Ok(Ran::Differs(list)) => Verdict::Differs(list),
            Ok(Ran::Update { expect, exec }) => {
                if let Some(exec) = exec {
                    file.set(index, "exec", exec);
                }
                file.set(index, "expect", expect);
                Verdict::Updated
            }
            Err(error) => Verdict::Broken(format!("{error:#}")),
        };
        lines.push(line(number, &case.about, verdict));
    }
    let is_changed = lines.iter().any(|line| matches!(line.verdict, Verdict::Updated));
    if is_changed && let Err(error) = file.write(path) {
        for line in lines.iter_mut().filter(|line| matches!(line.verdict, Verdict::Updated)) {
            line.verdict = Verdict::Broken(format!("{error:#}"));
        }
    }
    lines
}

enum Ran {
    Same,
    Differs(Vec<Mismatch>),
    Update { expect: serde_json::Value, exec: Option<serde_json::Value> },
}

async fn run_case(path: &Path, case: &Case, around: &Around<'_>, mode: Mode) -> Result<Ran> {
    let module = around.territory.request(&find::module_of(path, case)?)?;
    if mode.record && case.recording.is_some() {
        anyhow::bail!("its recording is that of a session; make a new one with `toolsmith test --from`");
    }
    let ran = run::run(case, module, around, mode.record).await?;
    let mut found = match &case.expect {
        Some(expect) => ran.outcome.compare(expect),
        None => vec![],
    };
    // A missing recording invalidates everything after it, so the result is not saved as an expectation.
    if !ran.missing.is_empty() {
        anyhow::bail!(
            "no recording for: {}\nRun `toolsmith test --record` to run it and record its output.",
            ran.missing.join("; ")
        );
    }
    if !ran.unused.is_empty() {
        found.push(Mismatch::unused(&ran.unused));
    }
    if !ran.replay.missing.is_empty() {
        anyhow::bail!(
            "the call asked for something that is not in its recording:\n{}\nMake a new one with `toolsmith test --from`.",
            ran.replay.missing.join("\n")
        );
    }
    if !ran.replay.unused.is_empty() {
        let unused = ran.replay.unused.join("\n");
        found.push(Mismatch::new("in the recording, but not asked for", unused, ""));
    }
    let is_recorded = !mode.record || ran.recorded == case.exec;
    if mode.update && (!found.is_empty() || case.expect.is_none() || !is_recorded) {
        let exec = if mode.record {
            Some(json!(ran.recorded))
        } else {
            // Unused recordings are removed.
            (!ran.unused.is_empty()).then(|| json!(case.without_unused(&ran.unused)))
        };
        return Ok(Ran::Update { expect: ran.outcome.as_expectation(case.expect.as_ref()), exec });
    }
    if case.expect.is_none() {
        anyhow::bail!("it has no expectation; run `toolsmith test --update` to save the result");
    }
    Ok(if found.is_empty() { Ran::Same } else { Ran::Differs(found) })
}
