//! `toolsmith doctor`: shows the installation and checks whether it works.

mod models;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{Discovered, Home, trust_store};
use toolsmith_host::exec::{self, Request};
use toolsmith_tool::CancelToken;

use self::models::Models;
use crate::{
    arguments::Shared,
    commands::config::state_word,
    failure, logging,
    output::{one_line, print_json, print_page},
    project::Project,
    runtime,
    terminal::{DIM, ERROR, GOOD, HEADING, WARNING, paint},
};

/// Sidecar programs for modules the embedded engine cannot run.
const SIDECARS: &[&str] = &["bun", "node"];
/// Deadline for a program to print its version.
const TIMEOUT: Duration = Duration::from_secs(5);
/// A module that exercises the compiler, a virtual module and the schema library.
const PROBE: &str = "import { Type } from \"@sinclair/typebox\";\n\
    export default () => ({ name: \"probe\", description: \"\", parameters: Type.Object({}), execute: async () => ({ content: [] }) });\n";

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArguments {}

/// A line of the report: name, value, and whether it is all right.
struct Finding {
    group: &'static str,
    name: String,
    value: String,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Good,
    Absent,
    Bad,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Absent => "absent",
            Self::Bad => "bad",
        }
    }
}

pub(crate) fn run(shared: &Shared, _own: &DoctorArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let mut findings = Vec::new();
    engine(&project, &mut findings)?;
    folders(&project, &mut findings);
    trust(&project, &mut findings);
    let models = runtime::block_on_while_read(async { Ok(models::look(&project).await) })?;
    models.report(&mut findings);
    let failed = findings.iter().any(|finding| finding.state == State::Bad);
    if shared.json {
        print_json(&to_json(&project, &findings, &models))?;
    } else {
        show(&findings)?;
        project.warn();
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn engine(project: &Project, findings: &mut Vec<Finding>) -> Result<()> {
    let mut add = |group, name: &str, value: String, state| {
        findings.push(Finding { group, name: name.to_owned(), value, state });
    };
    add("versions", "toolsmith", env!("CARGO_PKG_VERSION").to_owned(), State::Good);
    let limits = project.loaded.settings.limits.clone();
    runtime::block_on_while_read(async {
        let folder = tempfile::tempdir()?;
        let probe = folder.path().join("probe.ts");
        std::fs::write(&probe, PROBE)?;
        let engine = project.engine(&Discovered::default());
        let module = engine.scan(&[probe]).await.into_iter().next();
        match module.filter(|module| module.errors.is_empty() && !module.tools.is_empty()) {
            Some(_) => {
                let memory = limits.memory >> 20;
                add("engine", "embedded", format!("QuickJS-NG, {memory} MB per module"), State::Good);
            }
            None => add("engine", "embedded", "fails to load a test module".to_owned(), State::Bad),
        }
        for program in SIDECARS {
            match version(project, program).await {
                Some(version) => add("engine", program, version, State::Good),
                None => add("engine", program, "not installed".to_owned(), State::Absent),
            }
        }
        Ok(())
    })
}

/// Returns the version a program prints; `None` if it is missing or does not answer.
async fn version(project: &Project, program: &str) -> Option<String> {
    let program = project.program(program)?;
    let request = Request::new(program.to_string_lossy()).args(["--version"]).timeout(TIMEOUT);
    let outcome = exec::run(&request, &CancelToken::new(), |_| {}).await.ok()?;
    let text = outcome.stdout.text();
    (outcome.code == 0 && !outcome.killed).then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

fn folders(project: &Project, findings: &mut Vec<Finding>) {
    let home = project.home.toolsmith().to_path_buf();
    let named: [(&str, PathBuf); 4] = [
        ("home", home.clone()),
        ("user's tools", home.join("agent/tools")),
        ("working folder", project.cwd.clone()),
        ("project's tools", project.root.join(".toolsmith/tools")),
    ];
    for (name, path) in named {
        let (value, state) = look(&path, &project.home);
        findings.push(Finding { group: "folders", name: name.to_owned(), value, state });
    }
    let log = logging::file(&project.home);
    let state = if log.exists() { State::Good } else { State::Absent };
    let value = log.display().to_string();
    findings.push(Finding { group: "folders", name: "log".to_owned(), value, state });
    for file in &project.loaded.files {
        let word = state_word(file.state);
        let state = match word {
            "read" => State::Good,
            "missing" => State::Absent,
            _ => State::Bad,
        };
        let value = format!("{} ({word})", file.path.display());
        findings.push(Finding { group: "folders", name: "settings".to_owned(), value, state });
    }
}

/// Returns whether a directory is usable; a missing one is created when needed.
fn look(path: &Path, home: &Home) -> (String, State) {
    let shown = path.display();
    match std::fs::read_dir(path) {
        Ok(_) if path.starts_with(home.toolsmith()) && !is_writable(path) => {
            (format!("{shown} (not writable)"), State::Bad)
        }
        Ok(_) => (shown.to_string(), State::Good),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            (format!("{shown} (not there)"), State::Absent)
        }
        Err(error) => (format!("{shown} ({error})"), State::Bad),
    }
}

/// Checked by trying, because permissions are not the only obstacle.
fn is_writable(folder: &Path) -> bool {
    tempfile::tempfile_in(folder).is_ok()
}

fn trust(project: &Project, findings: &mut Vec<Finding>) {
    let store = trust_store(&project.home);
    let waiting = project.discover().waiting().count() + project.loaded.waiting.len();
    let (value, state) = match store.load() {
        Err(error) => (error.to_string(), State::Bad),
        Ok(_) if project.trust.is_for_this_run() => ("for this run".to_owned(), State::Good),
        Ok(list) if list.covers(&project.root) => ("yes".to_owned(), State::Good),
        Ok(_) if waiting == 0 => ("not trusted; nothing pending".to_owned(), State::Good),
        Ok(_) => (format!("not trusted; {waiting} modules waiting; run `toolsmith trust`"), State::Absent),
    };
    findings.push(Finding { group: "trust", name: "project".to_owned(), value, state });
}

fn to_json(project: &Project, findings: &[Finding], models: &Models) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "home": project.home.toolsmith().to_string_lossy(),
        "cwd": project.cwd.to_string_lossy(),
        "findings": findings.iter().map(|finding| json!({
            "group": finding.group,
            "name": finding.name,
            "value": finding.value,
            "state": finding.state.word(),
        })).collect::<Vec<_>>(),
        "models": models.to_json(),
        "warnings": project.warnings.iter().map(failure::warning_json).collect::<Vec<_>>(),
    })
}

fn show(findings: &[Finding]) -> Result<()> {
    let mut out = Vec::new();
    let mut group = "";
    for finding in findings {
        if finding.group != group {
            group = finding.group;
            writeln!(out, "{}", paint(HEADING, group))?;
        }
        let (style, mark) = match finding.state {
            State::Good => (GOOD, "✓"),
            State::Absent => (DIM, "·"),
            State::Bad => (ERROR, "✗"),
        };
        let value = if finding.state == State::Bad {
            paint(WARNING, one_line(&finding.value))
        } else {
            one_line(&finding.value)
        };
        writeln!(out, "  {} {:16} {value}", paint(style, mark), one_line(&finding.name))?;
    }
    print_page(&out)?;
    Ok(())
}
