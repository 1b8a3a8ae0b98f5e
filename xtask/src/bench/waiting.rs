//! An agent that was started, has its tools, and waits for the first answer of its model.

use std::{
    fs,
    io::{BufRead, BufReader, Read as _},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::program::Program;

/// A waiting agent, and the time from its start to its first request.
pub(crate) struct Waiting {
    pub(crate) child: Child,
    pub(crate) elapsed: Duration,
    /// Held open: an agent whose output is closed exits.
    pub(crate) _output: BufReader<ChildStdout>,
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
    let mut output = BufReader::new(stdout);
    let mut elapsed = None;
    for line in output.by_ref().lines() {
        let line = line?;
        if line.contains("\"message_start\"") && line.contains("\"assistant\"") {
            elapsed = Some(start.elapsed());
            break;
        }
    }
    ensure!(elapsed.is_some(), "the agent exited before its first request");
    Ok(Waiting { child, elapsed: elapsed.unwrap_or_default(), _output: output })
}
