//! `toolsmith hooks`: the hooks of the project and the user, confirming those of the project, and trying one.

mod list;
mod test;
mod trust;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};
use toolsmith::{FoundHook, FoundHooks, Scope};
use toolsmith_middleware::hooks::{Dialect, Handler};

use crate::{arguments::Shared, failure::Problem, output::lossy, project::Project};

/// Characters of a hash that lists show.
const SHORT_HASH: usize = 12;

/// Arguments of `hooks`.
#[derive(Debug, clap::Args)]
pub(crate) struct HooksArguments {
    #[command(subcommand)]
    command: HooksCommand,
}

#[derive(Debug, Subcommand)]
enum HooksCommand {
    /// List hooks, their origin and whether they run.
    List(list::ListArguments),
    /// Confirm hooks of the project as they are now, so that they run.
    Trust(trust::TrustArguments),
    /// Run one hook and show its answer.
    Test(test::TestArguments),
}

pub(crate) fn run(shared: &Shared, own: &HooksArguments) -> Result<ExitCode> {
    match &own.command {
        HooksCommand::List(own) => list::run(shared, own),
        HooksCommand::Trust(own) => trust::run(shared, own),
        HooksCommand::Test(own) => test::run(shared, own),
    }
}

/// Describes a hook before it is confirmed: everything it runs.
pub(crate) fn describe(project: &Project, found: &FoundHook) -> String {
    let matcher = match found.hook.matcher.as_text() {
        text if text.is_empty() => String::new(),
        text => format!(" ({})", toolsmith_tool::visible_line(&text)),
    };
    let changed = if found.status == toolsmith::HookStatus::Changed { ", changed" } else { "" };
    let mut text = format!("  {}{matcher}{changed}: {}\n", found.hook.event.as_str(), found.what());
    text.push_str(&format!("    in {}\n", project.show(&found.hook.source)));
    for file in found.files.iter().filter(|file| **file != found.hook.source) {
        text.push_str(&format!("    with {}\n", project.show(file)));
    }
    if !found.uncovered.is_empty() {
        let programs = toolsmith_tool::visible_line(&found.uncovered.join(", ")).into_owned();
        text.push_str(&format!(
            "    {programs} also runs what files of the project say, also after they change\n"
        ));
    }
    text
}

fn short(hash: &str) -> &str {
    &hash[..hash.len().min(SHORT_HASH)]
}

/// Finds a hook by the beginning of its hash.
fn find<'a>(found: &'a FoundHooks, prefix: &str) -> Result<&'a FoundHook> {
    let matches = |hook: &&FoundHook| hook.hash.as_ref().is_some_and(|hash| hash.starts_with(prefix));
    let mut hooks = found.hooks.iter().filter(matches);
    match (prefix.len() >= 4, hooks.next()) {
        (true, Some(hook)) => Ok(hook),
        _ => {
            let what = format!("no hook has the hash \"{prefix}\"");
            Err(Problem::wrong_use(what).hint("`toolsmith hooks list` shows the hashes.").into())
        }
    }
}

fn to_json(found: &FoundHook) -> Value {
    let hook = &found.hook;
    let kind = match &hook.handler {
        Handler::Http { .. } => "http",
        Handler::File { .. } => "file",
        _ => "command",
    };
    let format = match hook.dialect {
        Dialect::Claude => "claude",
        Dialect::Codex => "codex",
        _ => "toolsmith",
    };
    json!({
        "event": hook.event.as_str(),
        "matcher": hook.matcher.as_text(),
        "type": kind,
        "runs": found.what(),
        "status": found.status.as_str(),
        "scope": if found.scope == Scope::Project { "project" } else { "user" },
        "format": format,
        "source": hook.source.to_string_lossy(),
        "files": lossy(&found.files),
        "uncovered": found.uncovered,
        "hash": found.hash,
        "timeoutMs": u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX),
        "failsClosed": hook.fails_closed,
    })
}
