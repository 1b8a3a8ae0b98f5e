//! Runs one case: a directory, an engine, a call.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use toolsmith::engine_options;
use toolsmith_js::{Engine, LoadedModule, LoadedTool, ModuleRequest};
use toolsmith_tool::{
    CWD_MARK, CallTape, PendingHandle, PendingStack, Recording, ReplayEnd, ToolContext, UpdateSink,
    closest_names,
};

use super::{
    Around,
    case::{Case, Recorded},
    outcome::{Outcome, unmark_in},
    sandbox::Sandbox,
    tape::Tape,
};
use crate::calling::call_alone;

/// Outcome of a case.
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    /// Commands that were run while recording.
    pub(super) recorded: Vec<Recorded>,
    /// Unused recordings.
    pub(super) unused: Vec<String>,
    /// Commands without a recording.
    pub(super) missing: Vec<String>,
    /// Findings of the replay of a recording.
    pub(super) replay: ReplayEnd,
}

/// Runs a case in a folder of its own.
pub(super) async fn run(
    case: &Case,
    module: ModuleRequest,
    around: &Around<'_>,
    record: bool,
) -> Result<Ran> {
    let sandbox = Sandbox::new(&case.files)?;
    let cwd = sandbox.root();
    let tape = Arc::new(if record { Tape::record(cwd) } else { Tape::play(cwd, &case.exec) });
    let settings = around.settings;
    let mut options = engine_options(cwd, settings, &around.found)
        .exec(Arc::clone(&tape) as _)
        .replaying(case.recording.is_some());
    let recording = case.recording.clone().map(|it| it.replacing(CWD_MARK, &cwd.to_string_lossy()));
    if let Some(load) = recording.as_ref().and_then(|recording| recording.load.as_deref()) {
        options = options.load_from(&module.path, load.clone());
    }
    let engine = Engine::new(options);
    let loaded = engine.load_modules(vec![module]).await.into_iter().next().context("nothing was loaded")?;
    let tool = choose(&loaded, case.tool.as_deref())?;

    let updates = Arc::new(Mutex::new(Vec::new()));
    let sink = UpdateSink::new({
        let updates = Arc::clone(&updates);
        move |partial| updates.lock().unwrap_or_else(PoisonError::into_inner).push(partial)
    });
    let pending = PendingStack::new();
    let mut context =
        ToolContext::detached().with_updates(sink).with_pending(PendingHandle::new(Arc::clone(&pending)));
    let replay = match recording {
        Some(Recording { incomplete: Some(why), .. }) => bail!("its recording is not complete: {why}"),
        Some(recording) => Some(CallTape::play_back(recording)),
        None => None,
    };
    if let Some(replay) = &replay {
        context = context.with_cancel(replay.stop_token().clone()).with_tape(replay.clone());
    }
    let mut arguments = case.args.clone();
    unmark_in(&mut arguments, &cwd.to_string_lossy());
    let deadline = settings.tool(&tool.tool.spec().name).timeout.unwrap_or(settings.limits.call);
    let called = call_alone(Arc::clone(&tool.tool), arguments, context, deadline).await?;

    let mut labels = Vec::new();
    while let Some(action) = pending.pop() {
        labels.insert(0, action.label);
    }
    let updates = updates.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = Outcome::new(cwd, &called.result, &updates, sandbox.changes(), &labels);
    let (recorded, unused, missing) = tape.finish();
    let replay = replay.map(|tape| tape.end()).unwrap_or_default();
    Ok(Ran { outcome, recorded, unused, missing, replay })
}

/// Returns the tool of the case.
fn choose<'a>(module: &'a LoadedModule, name: Option<&str>) -> Result<&'a LoadedTool> {
    if let Some(error) = module.errors.first() {
        let frame = error.frame.as_ref().map(|frame| format!("\n{frame}")).unwrap_or_default();
        return Err(anyhow!("{error}{frame}"));
    }
    let names: Vec<&str> = module.tools.iter().map(|tool| tool.tool.spec().name.as_str()).collect();
    match (name, module.tools.as_slice()) {
        (_, []) => bail!("the module defines no tool"),
        (None, [only]) => Ok(only),
        (None, _) => bail!("the module has several tools ({}); set \"tool\"", names.join(", ")),
        (Some(name), tools) => tools.iter().find(|tool| tool.tool.spec().name == name).ok_or_else(|| {
            let close = closest_names(name, names.iter().copied());
            let hint = if close.is_empty() { names.join(", ") } else { close.join(", ") };
            anyhow!("the module has no tool \"{name}\"; it has {hint}")
        }),
    }
}
