//! `toolsmith replay SESSION`: runs the calls of a session against today's tools, from their recordings, and shows what
//! differs. Nothing outside the tools is read or changed.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{LoadScope, LoadedTools, secret_values};
use toolsmith_agent::{CallEnd, RESOLVE, RecordedEnd};
use toolsmith_tool::{
    CWD_MARK, CallTape, ContentBlock, LoadRecording, PendingHandle, PendingStack, Recording, ReplayEnd,
    ToolContext,
};

use super::test::{Mismatch, print_difference};
use crate::{
    arguments::Shared,
    calling::call_alone,
    failure,
    output::{one_line, print_json},
    project::Project,
    recorded_calls::{SessionCall, choose, comparable, modules_of, read_session},
    runtime, streams,
    terminal::{DIM, ERROR, GOOD, paint},
};

/// The reason for skipping calls of `resolve`.
const APPLIES_NOTHING: &str = "it decides about a staged change, and a replay changes nothing";

/// The reason for not replaying a call whose module is not known.
const WAITS: &str = "there is no trusted tool of this name, and modules wait for trust";

/// Start of the result of a call whose arguments do not fit.
const VALIDATION_FAILED: &str = "Validation failed";

/// Arguments of `replay`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Calls are recorded while the setting `tools.record` is on.\n\nExamples:\n  toolsmith -p --set tools.record=true \"Deploy the site\"\n  toolsmith replay 5f3a\n  toolsmith replay 5f3a --call 2"
)]
pub(crate) struct ReplayArguments {
    /// Id of the session, an id prefix, or the path of its file.
    #[arg(value_name = "SESSION")]
    session: String,
    /// The only call to replay: its number, or a prefix of its id.
    #[arg(long, value_name = "CALL")]
    call: Option<String>,
}

/// Outcome of the replay of a call.
enum Verdict {
    Same,
    Differs(Vec<Mismatch>),
    Skipped(String),
    /// The module may be one of those that wait for trust (CONTRACT 2.8).
    Waiting,
}

pub(crate) fn run(shared: &Shared, own: &ReplayArguments) -> Result<ExitCode> {
    let mut project = Project::open(shared)?;
    project.warn();
    let (log, calls) = read_session(&project, &own.session)?;
    let calls = choose(calls, own.call.as_deref())?;
    let mut discovered = project.discover_asking()?;
    let modules = modules_of(&calls, &discovered, &project);
    // Modules that no call needs are not loaded: without a recording they would ask the system.
    if calls.iter().zip(&modules).all(|(call, module)| module.is_some() || !call.is_replayed()) {
        discovered.modules.retain(|found| modules.iter().flatten().any(|path| *path == found.path));
    }
    runtime::block_on_while_read(async {
        let engine = project.replaying_engine(&discovered, first_loads(&calls, &modules, &project));
        let loaded = project.load(discovered, &engine, LoadScope::Call).await;
        let mut verdicts = Vec::new();
        for (call, module) in calls.iter().zip(&modules) {
            verdicts.push(replay(call, module.as_deref(), &log.cwd(), &loaded, &project).await);
        }
        let failed = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Differs(_))).count();
        if shared.json {
            let list: Vec<Value> =
                calls.iter().zip(&verdicts).map(|(call, verdict)| as_json(call, verdict)).collect();
            print_json(&json!({ "session": log.id(), "calls": list, "differing": failed }))?;
        } else {
            print(&calls, &verdicts)?;
        }
        // What was asked for and not replayed must not look like success.
        let is_waiting = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Waiting));
        if is_waiting && !shared.json {
            failure::warn_about_tools(&loaded);
        }
        Ok(ExitCode::from(u8::from(failed > 0 || is_waiting)))
    })
}

/// Returns the recording of the first load of each module.
fn first_loads(
    calls: &[SessionCall],
    modules: &[Option<PathBuf>],
    project: &Project,
) -> Vec<(PathBuf, LoadRecording)> {
    let mut loads: Vec<(PathBuf, LoadRecording)> = Vec::new();
    for (call, module) in calls.iter().zip(modules) {
        if let (Some(load), Some(path)) = (&call.load, module)
            && !loads.iter().any(|(known, _)| known == path)
        {
            let load = LoadRecording::clone(load).replacing(CWD_MARK, &project.cwd.to_string_lossy());
            loads.push((path.clone(), load));
        }
    }
    loads
}

async fn replay(
    call: &SessionCall,
    module: Option<&Path>,
    cwd: &Path,
    loaded: &LoadedTools,
    project: &Project,
) -> Verdict {
    let recording = match (call.whole_recording(), call.was_called) {
        _ if call.tool == RESOLVE => return Verdict::Skipped(APPLIES_NOTHING.to_owned()),
        (Some(Recording { incomplete: Some(why), .. }), _) => return Verdict::Skipped(why),
        (Some(_), _) if call.end == RecordedEnd::Stopped => {
            return Verdict::Skipped("it was stopped before it ended".to_owned());
        }
        (Some(recording), _) => recording,
        // A call that was refused asked for nothing.
        (None, false) => Recording::default(),
        (None, true) => return Verdict::Skipped("it was not recorded".to_owned()),
    };
    let Some(tool) = loaded.get(&call.tool) else {
        let failed = loaded.errors.iter().find(|error| Some(error.path.as_path()) == module);
        return match failed {
            Some(error) => Verdict::Differs(vec![Mismatch::new("load", "", error.to_string())]),
            None if !loaded.waiting.is_empty() => Verdict::Waiting,
            None => Verdict::Skipped("it is not a custom tool here".to_owned()),
        };
    };
    let tape = CallTape::play_back(recording.replacing(CWD_MARK, &project.cwd.to_string_lossy()));
    let pending = PendingStack::new();
    let context = ToolContext::detached()
        .with_pending(PendingHandle::new(Arc::clone(&pending)))
        .with_cancel(tape.stop_token().clone())
        .with_tape(tape.clone());
    let settings = &project.loaded.settings;
    let deadline = settings.tool(&call.tool).timeout.unwrap_or(settings.limits.call);
    let outcome = match call_alone(Arc::clone(&tool.tool), call.sent(), context, deadline).await {
        Ok(outcome) => outcome,
        Err(error) => return Verdict::Differs(vec![Mismatch::new("call", "", error.to_string())]),
    };
    let ReplayEnd { missing, unused } = tape.end();
    if call.end == RecordedEnd::TimedOut {
        // The recording ends where the deadline did, so only that it passed again can be compared.
        if matches!(outcome.end, CallEnd::TimedOut(_)) {
            return Verdict::Same;
        }
        if !missing.is_empty() {
            return Verdict::Skipped("it missed its deadline, where its recording ends".to_owned());
        }
    }
    if !call.was_called && outcome.end != CallEnd::InvalidArguments {
        // Of the reasons for a refusal, a replay has only the arguments: it asks nobody, and runs no hooks.
        if !call.result.joined_text().starts_with(VALIDATION_FAILED) {
            return Verdict::Skipped("it was not allowed to run".to_owned());
        }
    }
    let mut found = Vec::new();
    let secrets = secret_values();
    let (mut expected, mut actual) = (call.result.clone(), outcome.result.clone());
    // Long results are cut after the tool; the whole text is in a file.
    if let Some(whole) = outcome.full_output.as_ref().and_then(|path| std::fs::read_to_string(path).ok()) {
        expected.content = vec![ContentBlock::text(expected.joined_text().trim_end())];
        actual.content = vec![ContentBlock::text(whole.trim_end())];
    }
    let before = comparable(&expected, cwd, &secrets);
    let after = comparable(&actual, &project.cwd, &secrets);
    if before != after {
        let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
        found.push(Mismatch::new("result", pretty(&before), pretty(&after)));
    }
    if !missing.is_empty() {
        found.push(Mismatch::new("asked for, but not in the recording", "", missing.join("\n")));
    }
    if !unused.is_empty() {
        found.push(Mismatch::new("in the recording, but not asked for", unused.join("\n"), ""));
    }
    if found.is_empty() { Verdict::Same } else { Verdict::Differs(found) }
}

fn as_json(call: &SessionCall, verdict: &Verdict) -> Value {
    let (status, why, list) = match verdict {
        Verdict::Same => ("same", None, &[][..]),
        Verdict::Differs(list) => ("differs", None, list.as_slice()),
        Verdict::Skipped(why) => ("skipped", Some(why.as_str()), &[][..]),
        Verdict::Waiting => ("waiting", Some(WAITS), &[][..]),
    };
    let differs =
        list.iter().map(|item| json!({ "what": item.what, "expected": item.expected, "actual": item.came }));
    json!({
        "call": call.number, "id": call.id, "tool": call.tool, "status": status, "reason": why,
        "differs": differs.collect::<Vec<_>>(),
    })
}

fn print(calls: &[SessionCall], verdicts: &[Verdict]) -> Result<()> {
    let mut out = streams::stdout();
    let count = |fits: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| fits(verdict)).count();
    for (call, verdict) in calls.iter().zip(verdicts) {
        let (word, why) = match verdict {
            Verdict::Same => (paint(GOOD, "same   "), String::new()),
            Verdict::Differs(_) => (paint(ERROR, "differs"), String::new()),
            Verdict::Skipped(why) => (paint(DIM, "skipped"), format!("  {}", one_line(why))),
            Verdict::Waiting => (paint(ERROR, "waiting"), format!("  {WAITS}")),
        };
        writeln!(out, "{word}  {} {}{why}", call.number, one_line(&call.tool))?;
        if let Verdict::Differs(list) = verdict {
            list.iter().try_for_each(|item| print_difference(&mut out, item))?;
        }
    }
    let waiting = match count(|verdict| matches!(verdict, Verdict::Waiting)) {
        0 => String::new(),
        waiting => format!(", {waiting} waiting for trust"),
    };
    writeln!(
        out,
        "{} same, {} differing, {} skipped{waiting}",
        count(|verdict| matches!(verdict, Verdict::Same)),
        count(|verdict| matches!(verdict, Verdict::Differs(_))),
        count(|verdict| matches!(verdict, Verdict::Skipped(_)))
    )?;
    Ok(())
}
