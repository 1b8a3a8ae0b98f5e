//! `toolsmith hooks test`: runs one hook for a call that is not made, and shows what it answered.

use std::{io::Write as _, process::ExitCode, time::Instant};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{HookStatus, hook_from_file};
use toolsmith_middleware::hooks::{Answer, HookEvent, HookRun, Permission};
use toolsmith_tool::{CancelToken, ContentBlock, ToolResult};

use super::find;
use crate::{
    arguments::Shared,
    commands::call::arguments::read_json,
    failure::Problem,
    interrupts,
    output::{harmless, indented, one_line, print_json},
    project::Project,
    runtime,
    terminal::{DIM, ERROR, GOOD, paint},
};

/// Arguments of `hooks test`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolsmith hooks test .toolsmith/hooks/pre/bash.sh --tool bash --input '{\"command\":\"rm -rf /\"}'\n  toolsmith hooks test 3f9a1c22b0de --tool write --input '{\"path\":\".env\",\"content\":\"\"}'\n\n--tool is the name of the called tool here (default: the name of the file).\n\nExit codes: 0 the call would go on, 1 it would be blocked or the hook failed."
)]
pub(crate) struct TestArguments {
    /// A file, or the first characters of a hash from `toolsmith hooks list`.
    #[arg(value_name = "FILE|HASH")]
    hook: String,
    /// Input of the call, or fields of another event, as JSON, as @FILE, or - for standard input.
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}", allow_hyphen_values = true)]
    input: String,
    /// Text of the result that a hook after the call sees.
    #[arg(long, value_name = "TEXT", default_value = "")]
    result: String,
    /// The call failed.
    #[arg(long)]
    failed: bool,
}

pub(super) fn run(shared: &Shared, own: &TestArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let found = project.hooks();
    let path = project.cwd.join(&own.hook);
    let hook = if path.is_file() {
        let is_post = path.parent().and_then(|folder| folder.file_name()).is_some_and(|name| name == "post");
        let event = if is_post { HookEvent::PostToolUse } else { HookEvent::PreToolUse };
        let timeout = project.loaded.settings.hooks.timeout;
        let problem = |reason| Problem::failed(format!("{} {reason}", project.show(&path)));
        std::sync::Arc::new(hook_from_file(&path, event, timeout).map_err(problem)?)
    } else {
        let known = find(&found, &own.hook)?;
        if !matches!(known.status, HookStatus::User | HookStatus::Confirmed) {
            let what = format!("the hook is not confirmed ({})", known.status.as_str());
            return Err(Problem::failed(what).hint("`toolsmith hooks trust HASH` confirms it.").into());
        }
        std::sync::Arc::clone(&known.hook)
    };
    // The option is global and names modules elsewhere; here it is the tool that is called.
    let tool = shared.tools.first().cloned().unwrap_or_else(|| match hook.matcher.as_text() {
        text if text.is_empty() => "bash".to_owned(),
        text => text,
    });
    let input = read_json("--input", &own.input)?;
    let result =
        ToolResult { content: vec![ContentBlock::text(&own.result)], details: None, is_error: own.failed };
    let started = Instant::now();
    let cancel = CancelToken::new();
    let stopping = cancel.clone();
    let trial = runtime::block_on_briefly(async {
        let _came = interrupts::listen(
            move |reason, force| {
                if force { stopping.force(reason) } else { stopping.cancel(reason) }
            },
        );
        Ok(found.session().try_hook(&hook, &tool, &input, &result, &cancel).await)
    })?;
    let verdict = Verdict::of(&trial.run, hook.fails_closed);
    if shared.json {
        let ran = trial.run.ran.as_ref().ok();
        print_json(&json!({
            "event": hook.event.as_str(),
            "runs": hook.label(),
            "input": trial.payload,
            "exitCode": ran.map(|ran| ran.code),
            "stdout": ran.map(|ran| &ran.stdout),
            "stderr": ran.map(|ran| &ran.stderr),
            "verdict": verdict.word,
            "reason": verdict.reason,
            "updatedInput": trial.run.answer.as_ref().ok().and_then(|answer| answer.input.clone()),
            "context": trial.run.answer.as_ref().ok().map(|answer| &answer.context),
            "durationMs": u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }))?;
    } else {
        show(&trial.payload, &trial.run, &verdict)?;
    }
    Ok(if verdict.is_blocked { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Meaning of an answer.
struct Verdict {
    word: &'static str,
    reason: Option<String>,
    is_blocked: bool,
}

impl Verdict {
    fn of(run: &HookRun, fails_closed: bool) -> Self {
        let answer = match &run.answer {
            Ok(answer) => answer,
            Err(problem) => {
                let word = if fails_closed { "failed, which blocks the call" } else { "failed" };
                return Self { word, reason: Some(problem.clone()), is_blocked: true };
            }
        };
        let Answer { permission, reason, block, stop, .. } = answer;
        if let Some(stop) = stop {
            return Self { word: "stop", reason: Some(stop.clone()), is_blocked: true };
        }
        if let Some(block) = block {
            return Self { word: "block", reason: Some(block.clone()), is_blocked: true };
        }
        let (word, is_blocked) = match permission {
            Some(Permission::Deny) => ("deny", true),
            Some(Permission::Defer) => ("defer", true),
            Some(Permission::Ask) => ("ask", false),
            Some(Permission::Allow) => ("allow", false),
            _ => ("pass", false),
        };
        Self { word, reason: reason.clone(), is_blocked }
    }
}

fn show(payload: &Value, run: &HookRun, verdict: &Verdict) -> Result<()> {
    let mut out = crate::streams::stdout();
    writeln!(out, "{} {}", paint(DIM, "input "), one_line(&payload.to_string()))?;
    if let Ok(ran) = &run.ran {
        writeln!(out, "{} {}", paint(DIM, "exit  "), ran.code)?;
        for (name, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
            for line in text.lines() {
                writeln!(out, "{} {}", paint(DIM, name), harmless(line))?;
            }
        }
    }
    if let Ok(answer) = &run.answer {
        if let Some(input) = &answer.input {
            writeln!(out, "{} {}", paint(DIM, "update"), one_line(&input.to_string()))?;
        }
        for text in &answer.context {
            writeln!(out, "{} {}", paint(DIM, "model "), indented(text))?;
        }
        for text in &answer.messages {
            writeln!(out, "{} {}", paint(DIM, "person"), indented(text))?;
        }
    }
    let style = if verdict.is_blocked { ERROR } else { GOOD };
    match &verdict.reason {
        Some(reason) => writeln!(out, "{}: {}", paint(style, verdict.word), indented(reason))?,
        None => writeln!(out, "{}", paint(style, verdict.word))?,
    }
    Ok(())
}
