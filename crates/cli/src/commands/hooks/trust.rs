//! `toolsmith hooks trust`: confirms or declines hooks of the project as they are now.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith::{FoundHook, HookStatus, Scope};

use super::{describe, find, to_json};
use crate::{
    arguments::Shared,
    failure::{self, Problem},
    output::print_json,
    project::Project,
    terminal::{self, GOOD, WARNING, paint},
};

/// Arguments of `hooks trust`.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArguments {
    /// Hashes of the hooks, or their first characters (default: all that are new or changed, after a question).
    #[arg(value_name = "HASH")]
    hashes: Vec<String>,
    /// All hooks that are new or changed, without a question.
    #[arg(long, conflicts_with = "hashes")]
    all: bool,
    /// Decline the hooks instead.
    #[arg(long)]
    decline: bool,
    /// Forget all decisions about hooks of this project.
    #[arg(long, conflicts_with_all = ["hashes", "all", "decline"])]
    forget: bool,
}

pub(super) fn run(shared: &Shared, own: &TrustArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let found = project.hooks();
    failure::warn_all(&found.warnings);
    let mut out = crate::streams::stdout();
    if own.forget {
        found.forget(&project.home)?;
        if shared.json {
            print_json(&json!({ "project": found.project().to_string_lossy(), "decided": [] }))?;
        } else {
            writeln!(out, "No hook of this project is confirmed any more.")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let is_untrusted = found.hooks.iter().any(|hook| hook.status == HookStatus::Untrusted);
    if is_untrusted {
        let what = "the hooks of this project wait for trust in its directory";
        return Err(Problem::failed(what).hint(failure::TRUST_HINT).into());
    }
    let chosen: Vec<&FoundHook> = match own.hashes.is_empty() {
        true => found.waiting().collect(),
        false => own.hashes.iter().map(|hash| find(&found, hash)).collect::<Result<_>>()?,
    };
    if let Some(own) = chosen.iter().find(|hook| hook.scope != Scope::Project) {
        let what = format!("{} is a hook of yours, which needs no confirmation", own.what());
        return Err(Problem::wrong_use(what).into());
    }
    if let Some(broken) = chosen.iter().find(|hook| hook.hash.is_none()) {
        let what = format!("{} cannot be confirmed", broken.what());
        return Err(Problem::failed(what).hint("`toolsmith hooks list` shows the reason.").into());
    }
    if own.hashes.is_empty() && !own.all && !chosen.is_empty() {
        if !terminal::is_interactive() {
            let what = format!("{} hooks wait for confirmation", chosen.len());
            return Err(Problem::wrong_use(what).hint("Name them by their hash, or use --all.").into());
        }
        let mut question: String = chosen.iter().map(|hook| describe(&project, hook)).collect();
        question.push_str(match own.decline {
            true => "Decline these hooks?",
            false => "Hooks can do whatever you can. Run these?",
        });
        if terminal::ask_yes_or_no(&question) != Some(true) {
            return Err(Problem::failed("nothing was decided").into());
        }
    }
    // Also without a choice: confirmed hooks that are gone are forgotten.
    found.decide(&project.home, &chosen, !own.decline)?;
    if shared.json {
        print_json(&json!({
            "project": found.project().to_string_lossy(),
            "confirmed": !own.decline,
            "decided": chosen.iter().map(|hook| to_json(hook)).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if chosen.is_empty() {
        writeln!(out, "No hook of this project waits for confirmation.")?;
    }
    let (style, word) = if own.decline { (WARNING, "Declined:") } else { (GOOD, "Confirmed:") };
    for hook in chosen {
        writeln!(out, "{} {} {}", paint(style, word), hook.hook.event.as_str(), hook.what())?;
    }
    Ok(ExitCode::SUCCESS)
}
