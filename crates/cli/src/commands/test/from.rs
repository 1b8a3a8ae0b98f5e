//! `test --from`: makes case files of the calls of a session.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use toolsmith::{LoadScope, secret_values};

use crate::{
    failure::Problem,
    output::print_json,
    project::Project,
    recorded_calls::{NewCase, choose, modules_of, read_session},
    runtime, streams,
    terminal::{DIM, WARNING, paint},
};

/// Writes a case beside the tool of each call.
pub(super) fn run(mut project: Project, what: &str, as_json: bool) -> Result<ExitCode> {
    let (session, call) = match what.rsplit_once(':') {
        // A path may contain a colon.
        Some((session, call)) if !call.contains('/') => (session, Some(call)),
        _ => (what, None),
    };
    let (log, calls) = read_session(&project, session)?;
    let discovered = project.discover_asking()?;
    let chosen = choose(calls, call)?;
    let modules = modules_of(&chosen, &discovered, &project);
    runtime::block_on(async {
        // A recording names the module; others are found by the names of their tools.
        let loaded = match modules.iter().all(Option::is_some) {
            true => None,
            false => {
                let engine = project.engine(&discovered);
                Some(project.load(discovered, &engine, LoadScope::Scan).await)
            }
        };
        // The id comes from the file, and becomes part of a path.
        let id: String = log.id().chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let secrets = secret_values();
        let (mut written, mut other) = (Vec::new(), Vec::new());
        for (call, module) in chosen.iter().zip(modules) {
            let by_name = || Some(loaded.as_ref()?.get(&call.tool)?.path.clone());
            let Some(module) = module.or_else(by_name) else {
                other.push(format!("{} (call {}) is not a custom tool here", call.tool, call.number));
                continue;
            };
            let complete = call.whole_recording().filter(|recording| recording.incomplete.is_none());
            let why = match (&call.recording, &complete) {
                (_, Some(_)) => None,
                (Some(recording), None) => recording.incomplete.clone(),
                (None, None) => Some("the session has no recording of the call".to_owned()),
            };
            let case = NewCase {
                about: format!("Call {} of session {id}", call.number),
                module: &module,
                tool: &call.tool,
                arguments: &call.arguments,
                recording: complete,
                result: &call.result,
                cwd: &log.cwd(),
                mark: format!("{id}-{}", call.number),
            };
            match case.write(&secrets) {
                Ok(path) => written.push((path, why)),
                Err(error) => other.push(format!("{} (call {}): {error:#}", call.tool, call.number)),
            }
        }
        if as_json {
            let list = written
                .iter()
                .map(|(path, why)| json!({ "path": path.to_string_lossy(), "withoutRecording": why }));
            print_json(&json!({ "written": list.collect::<Vec<_>>(), "skipped": other }))?;
        } else {
            use std::io::Write as _;
            let mut out = streams::stdout();
            for (path, why) in &written {
                let why = why.as_ref().map(|why| format!("  without a recording: {why}")).unwrap_or_default();
                writeln!(out, "{}{}", project.show(path), paint(WARNING, why))?;
            }
            for line in &other {
                writeln!(out, "{}", paint(DIM, format_args!("skipped: {}", toolsmith_text::plain(line))))?;
            }
        }
        if written.is_empty() {
            return Err(Problem::failed("no case was written").into());
        }
        Ok(ExitCode::SUCCESS)
    })
}
