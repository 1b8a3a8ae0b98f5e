//! `toolsmith completions SHELL`: prints a shell completion script, and answers the shell when it asks for completions. Tool
//! names and parameters come from the tools of the directory.

use std::{ffi::OsStr, process::ExitCode};

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::{CompleteEnv, Shell, engine::CompletionCandidate, env::Shells};
use toolsmith::{LoadScope, LoadedTools};

use crate::{
    arguments::{Arguments, Shared},
    project::Project,
    runtime,
};

/// Set by the scripts when they ask for completions; its value is the shell.
const VARIABLE: &str = "TOOLSMITH_COMPLETE";
const PROGRAM: &str = "toolsmith";

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArguments {
    /// Target shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(own: &CompletionsArguments) -> Result<ExitCode> {
    let shells = Shells::builtins();
    let shell = shells.completer(&own.shell.to_string()).context("this shell cannot be completed")?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    std::io::Write::write_all(&mut crate::streams::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}

/// Answers a shell that asks for completions, and exits. Does nothing otherwise.
pub(crate) fn answer_shell() {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(Arguments::command)
            .var(VARIABLE)
            .bin(PROGRAM)
            .completer(PROGRAM)
            .complete();
    }
}

/// Completes the name of a tool.
pub(crate) fn complete_tool(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(start) = current.to_str() else { return Vec::new() };
    let tools = tools().unwrap_or_default();
    let found = tools.tools.iter().map(|found| (found.name(), found.tool.spec().description.as_str()));
    let built_in = toolsmith::BUILT_IN_NAMES.iter().map(|name| (*name, ""));
    found
        .chain(built_in)
        .filter(|(name, _)| name.starts_with(start))
        .map(|(name, description)| CompletionCandidate::new(name).help(first_line(description)))
        .collect()
}

/// Completes a parameter of the tool that is called.
pub(crate) fn complete_pair(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(start) = current.to_str() else { return Vec::new() };
    let words: Vec<_> = std::env::args_os().collect();
    let name = words.iter().skip_while(|word| *word != "call").nth(1).and_then(|name| name.to_str());
    let tools = tools().unwrap_or_default();
    let Some(found) = name.and_then(|name| tools.get(name)) else { return Vec::new() };
    let properties = found.tool.spec().parameters.get("properties").and_then(serde_json::Value::as_object);
    let mut candidates = Vec::new();
    for (key, schema) in properties.into_iter().flatten() {
        // Values that the schema lists are completed too.
        let values = schema.get("enum").and_then(serde_json::Value::as_array);
        let texts = values.into_iter().flatten().filter_map(serde_json::Value::as_str);
        let mut pairs: Vec<String> = texts.map(|value| format!("{key}={value}")).collect();
        if pairs.is_empty() || !start.contains('=') {
            pairs = vec![format!("{key}=")];
        }
        let help = schema.get("description").and_then(serde_json::Value::as_str).unwrap_or_default();
        let matching = pairs.into_iter().filter(|pair| pair.starts_with(start));
        candidates.extend(matching.map(|pair| CompletionCandidate::new(pair).help(first_line(help))));
    }
    candidates
}

fn first_line(text: &str) -> Option<clap::builder::StyledStr> {
    let line = toolsmith_tool::visible_line(text.lines().next()?).into_owned();
    Some(line.into()).filter(|_| !text.is_empty())
}

/// Reads the definitions of trusted tools. Nothing is asked: a shell shows no question.
fn tools() -> Result<LoadedTools> {
    let project = Project::open(&Shared::default())?;
    let discovered = project.discover();
    runtime::block_on_briefly(async {
        let engine = project.caching_engine(&discovered);
        Ok(project.load(discovered, &engine, LoadScope::Scan).await)
    })
}
