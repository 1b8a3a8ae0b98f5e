//! Shell commands of the person: `!command` is shown to the model, `!!command` is not.

use std::time::{Duration, Instant};

use toolsmith::{
    agent::session::{CustomMessage, EntryKind},
    tool::{CancelToken, ContentBlock, NoticeLevel},
};
use toolsmith_host::exec;

use super::{
    event::Event,
    interface::App,
    transcript::{Item, ShellItem},
};
use crate::blocks::BashBlock;

/// Output kept for the screen.
const MAX_OUTPUT: usize = 1 << 20;
/// Output the model receives.
const MAX_SENT: usize = 30 << 10;
/// Time between two reports of output.
const REPORT_TIME: Duration = Duration::from_millis(50);

impl App {
    pub(super) fn run_shell(&mut self, command: &str, is_private: bool) {
        if command.is_empty() {
            return;
        }
        if self.shell_cancel.is_some() {
            return self.notice(
                NoticeLevel::Warning,
                "A shell command is still running. Stop it with escape first.",
            );
        }
        self.shell_number += 1;
        let id = self.shell_number;
        let block = BashBlock::new(command, is_private);
        self.transcript.push(Item::Shell(ShellItem { id, block, started: Instant::now(), is_final: false }));
        let cancel = CancelToken::new();
        self.shell_cancel = Some(cancel.clone());
        let shell = std::env::var("SHELL")
            .ok()
            .filter(|shell| shell.starts_with('/'))
            .unwrap_or_else(|| "/bin/sh".to_owned());
        let request = exec::Request::new(shell).args(["-c", command]).cwd(&self.options.cwd);
        let events = self.events.clone();
        self.spawn(async move {
            let (mut collected, mut reported) = (String::new(), Instant::now());
            let outcome = exec::run(&request, &cancel, |chunk| {
                collected.push_str(&chunk.text);
                if reported.elapsed() >= REPORT_TIME {
                    let _ = events.send(Event::ShellOutput(id, std::mem::take(&mut collected)));
                    reported = Instant::now();
                }
            });
            let outcome = outcome.await;
            if !collected.is_empty() {
                let _ = events.send(Event::ShellOutput(id, collected));
            }
            Event::ShellEnd(
                id,
                outcome.map(|outcome| (outcome.code, outcome.killed)).map_err(|error| error.to_string()),
            )
        });
        self.changed_now();
    }

    pub(super) fn shell_output(&mut self, id: u64, text: &str) {
        let Some(shell) = self.transcript.shell(id) else { return };
        shell.block.output.push_str(text);
        if shell.block.output.len() > MAX_OUTPUT {
            // The end matters; the beginning is dropped.
            let mut from = shell.block.output.len() - MAX_OUTPUT / 2;
            while !shell.block.output.is_char_boundary(from) {
                from += 1;
            }
            shell.block.output.replace_range(..from, "");
        }
    }

    pub(super) fn shell_end(&mut self, id: u64, end: Result<(i32, bool), String>) {
        self.shell_cancel = None;
        let Some(shell) = self.transcript.shell(id) else { return };
        shell.is_final = true;
        shell.block.elapsed = Some(shell.started.elapsed());
        match &end {
            Ok((code, killed)) => (shell.block.exit_code, shell.block.is_cancelled) = (Some(*code), *killed),
            Err(error) => shell.block.output.push_str(error),
        }
        let shell = shell.clone();
        let (false, Ok((code, killed)), Some(session)) = (shell.block.is_private, end, &self.session) else {
            return;
        };
        let mut output = toolsmith_tool::visible(shell.block.output.trim_end()).into_owned();
        if output.len() > MAX_SENT {
            let mut from = output.len() - MAX_SENT;
            while !output.is_char_boundary(from) {
                from += 1;
            }
            output = format!("(the beginning is omitted)\n{}", output.get(from..).unwrap_or_default());
        }
        let how = if killed { "stopped by the user".to_owned() } else { format!("exit code {code}") };
        let text = format!("The user ran a command ({how}):\n$ {}\n{output}", shell.block.command);
        let entry = EntryKind::CustomMessage(CustomMessage {
            custom_type: super::restore::SHELL.to_owned(),
            content: vec![ContentBlock::text(text)],
            display: true,
            details: Some(
                serde_json::json!({ "command": shell.block.command, "code": code, "output": shell.block.output }),
            ),
            attribution: Some("user".to_owned()),
        });
        if let Err(error) = session.log().append(entry) {
            self.notice(NoticeLevel::Error, &error.to_string());
        }
    }
}
