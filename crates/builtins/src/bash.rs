//! `bash`: runs a command in a shell, without a terminal.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::{
    exec::{ExecError, PathRule, Request, Shell, ShellKind, run, shell, shells},
    output::{FULL_OUTPUT, FULL_OUTPUT_INCOMPLETE, OutputBuffer, OutputLimits, usable_folder},
};
use toolsmith_tool::{
    Approval, Concurrency, Figure, Keep, Place, Stop, Tier, Tool, ToolCall, ToolContext, ToolError,
    ToolResult, ToolSpec, async_trait,
};

use super::arguments;
use crate::files::Workspace;

const DEFAULT_TIMEOUT: u64 = 300;
const MAX_TIMEOUT: u64 = 3600;
/// Grace time after a stop request; shorter than that of dispatch, so that the output is not lost.
const GRACE: Duration = Duration::from_millis(500);
/// Bytes kept in memory of each end; beyond that the whole output is in a file.
const KEPT: usize = 1 << 20;
/// Interval of updates, and their size.
const UPDATE_EVERY: Duration = Duration::from_millis(100);
const UPDATE_BYTES: usize = 4096;
/// Size of the output included when the command was stopped.
const STOPPED_BYTES: usize = 4096;
pub(super) struct Bash {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
    timeout: Option<u64>,
    cwd: Option<String>,
}

impl Bash {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        let spec = ToolSpec::new("bash", description(shell().kind))
        .label("Bash")
        .approval(Tier::Exec)
        .concurrency(Concurrency::Exclusive)
        .keep(Keep::Tail)
        .deadline(Duration::from_secs(MAX_TIMEOUT + 60))
        .parameters(json!({
            "type": "object",
            "properties": {
                "command": { "type": "string" },
                "timeout": { "type": "integer", "minimum": 1, "description": "seconds, default 300, at most 3600" },
                "cwd": { "type": "string" },
            },
            "required": ["command"],
        }));
        Self { spec, workspace }
    }

    /// Returns the directory the command runs in: the one that was approved.
    fn folder(&self, wanted: &Arguments, context: &ToolContext) -> Result<PathBuf, ToolError> {
        match &wanted.cwd {
            Some(cwd) => self.workspace.target(cwd, context).map(|target| target.real),
            None => Ok(self.workspace.cwd().to_path_buf()),
        }
    }
}

#[async_trait]
impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn approval(&self, arguments: &Value) -> Approval {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        match critical(command) {
            Some(what) => Approval {
                tier: Tier::Exec,
                reason: Some(format!("the command {what}")),
                override_mode: true,
                ..Approval::default()
            },
            None => Tier::Exec.into(),
        }
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        arguments["cwd"].as_str().map(|cwd| self.workspace.place(cwd)).into_iter().collect()
    }

    /// Names the directory if it is not the one that its argument spells.
    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let written = arguments["cwd"].as_str()?;
        let spelled = self.workspace.resolve(written).ok()?;
        let real = self.workspace.place(written).leads_to.filter(|real| *real != spelled)?;
        Some(vec![format!("Leads to: {}", real.display())])
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let wanted: Arguments = arguments(call.arguments)?;
        let folder = self.folder(&wanted, &ctx)?;
        let timeout = Duration::from_secs(wanted.timeout.unwrap_or(DEFAULT_TIMEOUT).clamp(1, MAX_TIMEOUT));
        let (artifacts, temporary) = (ctx.session.artifacts_dir(), std::env::temp_dir());
        let place = usable_folder(artifacts.as_deref().into_iter().chain([temporary.as_path()]));
        let mut kept = OutputBuffer::new(OutputLimits::new(KEPT, KEPT).spill_dir(place));
        let mut shown = Progress::new();
        let mut on_chunk = |text: &str| {
            kept.push(text.as_bytes());
            if let Some(partial) = shown.push(text) {
                ctx.updates.send(ToolResult::text(clean(&partial)));
            }
        };
        // The requests of its processes are not seen here.
        let known = [Figure::Cpu, Figure::Memory, Figure::Read, Figure::Written, Figure::Processes];
        ctx.meter.knows(&known);
        let mut outcome = Err(ExecError::NoProgram);
        for shell in shells() {
            let request = request(&shell, &wanted.command, &folder, timeout).meter(&ctx.meter);
            outcome = run(&request, &ctx.cancel, |chunk| on_chunk(&chunk.text)).await;
            if !outcome.as_ref().is_err_and(ExecError::is_not_found) {
                break;
            }
        }
        let outcome = outcome.map_err(|error| ToolError::reply(error.to_string()))?;
        let output = kept.finish();
        let text = clean(&output.text());
        if outcome.killed && ctx.cancel.is_cancelled() {
            let mut note = ctx.cancel.reason().unwrap_or_default();
            if !text.trim().is_empty() {
                let end = &text[text.ceil_char_boundary(text.len().saturating_sub(STOPPED_BYTES))..];
                note = format!("{note}; its last output:\n{}\n", end.trim_end());
            }
            let stop = if ctx.cancel.is_forced() { Stop::Forced } else { Stop::Stopped };
            return Err(ToolError::Stopped { stop, note: Some(note) });
        }
        let mut details = json!({ "exitCode": outcome.code, "killed": outcome.killed });
        if let Some(file) = &output.file {
            details[FULL_OUTPUT] = json!(file);
            details[FULL_OUTPUT_INCOMPLETE] = json!(output.file_incomplete);
        }
        let end = if outcome.killed {
            format!(
                "[timed out after {} s; the command and its child processes were killed]",
                timeout.as_secs()
            )
        } else if outcome.code != 0 {
            format!("[exit code {}]", outcome.code)
        } else if text.trim().is_empty() {
            "(no output)".to_owned()
        } else {
            String::new()
        };
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let text = if end.is_empty() { text } else { format!("{text}{gap}{end}") };
        let is_error = outcome.killed || outcome.code != 0;
        Ok(ToolResult { is_error, ..ToolResult::text(text).with_details(details) })
    }
}

/// The description for the model, which names the shell where commands have to be written for another than bash.
fn description(shell: ShellKind) -> &'static str {
    match shell {
        ShellKind::PowerShell => {
            "Run a command in PowerShell on Windows (not bash: write PowerShell syntax); returns stdout and stderr \
             together. No terminal, no input. Long output is cut to its end; the rest is saved to a file."
        }
        _ => {
            "Run a shell command; returns stdout and stderr together. No terminal, no input. Long output is cut to its \
             end; the rest is saved to a file."
        }
    }
}

/// Commands that are asked about even if commands are allowed, because their effects cannot be undone. This catches
/// accidents; it is not a filter against intent.
fn critical(command: &str) -> Option<&'static str> {
    const EVERYTHING: [&str; 9] = ["/", "/*", "~", "~/", "~/*", "$HOME", "$HOME/", "$HOME/*", "/home"];
    let command = command.replace("> ", ">");
    let parts = command.split(['\n', ';', '|', '&', '(', ')']);
    parts.map(|part| part.split_whitespace().collect::<Vec<_>>()).find_map(|words| {
        let has = |word: &str| words.contains(&word);
        let starts = |start: &str| words.iter().any(|word| word.starts_with(start));
        let names_everything = words.iter().any(|word| EVERYTHING.contains(&word.trim_matches(['"', '\''])));
        if (has("rm") || has("chmod") || has("chown")) && names_everything {
            return Some("removes or changes everything below / or the home directory");
        }
        if starts("mkfs") || (has("dd") && starts("of=/dev/")) || starts(">/dev/sd") || starts(">/dev/nvme") {
            return Some("overwrites a disk");
        }
        if has("git") && has("push") && (starts("--force") || has("-f")) {
            return Some("overwrites history in the remote repository");
        }
        None
    })
}

fn request(shell: &Shell, command: &str, folder: &Path, timeout: Duration) -> Request {
    // The output comes through `on_chunk`, both streams in the order of writing.
    shell
        .request(command)
        .cwd(folder)
        // The command was approved, and finds what it finds in a terminal.
        .path_rule(PathRule::PassedOn)
        .timeout(timeout)
        .grace(GRACE)
        .output(OutputLimits::new(0, 0).spill_dir(None))
        // Nobody can press a key or enter a password here.
        .env("PAGER", "cat")
        .env("GIT_PAGER", "cat")
        .env("GIT_TERMINAL_PROMPT", "0")
}

/// Sends the end of the output so far, at most once per interval.
struct Progress {
    tail: String,
    last: Instant,
}

impl Progress {
    fn new() -> Self {
        Self { tail: String::new(), last: Instant::now() }
    }

    fn push(&mut self, text: &str) -> Option<String> {
        self.tail.push_str(text);
        if self.tail.len() > 2 * UPDATE_BYTES {
            let from = self.tail.ceil_char_boundary(self.tail.len() - UPDATE_BYTES);
            self.tail.drain(..from);
        }
        let now = Instant::now();
        if now.duration_since(self.last) < UPDATE_EVERY {
            return None;
        }
        self.last = now;
        Some(self.tail.clone())
    }
}

/// Removes terminal sequences: colours and overwritten lines.
fn clean(text: &str) -> String {
    if !text.contains(['\x1b', '\r']) {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\x1b', Some('[')) => {
                chars.next();
                // Up to the letter that ends the sequence.
                let _ = chars.by_ref().find(|c| ('\x40'..='\x7e').contains(c));
            }
            ('\x1b', Some(']')) => {
                // A title or link, up to its terminator.
                while let Some(c) = chars.next() {
                    if c == '\x07' || (c == '\x1b' && chars.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            ('\x1b', _) => {
                chars.next();
            }
            ('\r', Some('\n')) => {}
            ('\r', _) => {
                let line = plain.rfind('\n').map_or(0, |at| at + 1);
                plain.truncate(line);
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
#[path = "bash_tests.rs"]
mod tests;
