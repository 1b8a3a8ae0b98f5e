//! An agent that was started, has its tools, and waits for the first answer of its model.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::program::Program;

/// A waiting agent, and the time from its start to its first request.
pub(crate) struct Waiting {
    pub(crate) child: Child,
    pub(crate) elapsed: Duration,
}

/// Creates the command of an agent in `folder` whose model never answers. Options can be added before it is started.
pub(crate) fn command(program: &Program, folder: &Path) -> Result<Command> {
    let script = folder.join("waits.json");
    fs::write(&script, r#"{"turns":[{"reply":[{"waitForAbort":true}]}]}"#)?;
    let mut command = program.start(folder);
    command
        .args(["-p", "--no-session", "--mode", "json", "--model"])
        .arg(format!("script:{}", script.display()));
    Ok(command)
}

/// Starts it, and returns when it waits for its model.
pub(crate) fn start(mut command: Command) -> Result<Waiting> {
    let start = Instant::now();
    let mut child =
        command.arg("Wait.").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let stdout = child.stdout.take().context("it has an output")?;
    let mut elapsed = None;
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        if line.contains("\"message_start\"") && line.contains("\"assistant\"") {
            elapsed = Some(start.elapsed());
            break;
        }
    }
    ensure!(elapsed.is_some(), "the agent exited before its first request");
    Ok(Waiting { child, elapsed: elapsed.unwrap_or_default() })
}
