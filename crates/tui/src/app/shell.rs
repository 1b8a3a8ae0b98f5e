//! Shell commands of the person: `!command` is shown to the model, `!!command` is not.

use std::time::{Duration, Instant};

use toolsmith::{
    agent::session::{CustomMessage, EntryKind},
    tool::{CancelToken, ContentBlock, NoticeLevel},
};
use toolsmith_host::exec;

use super::{
    app::App,
    event::Event,
    transcript::{Item, ShellItem},
};

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
        self.transcript.push(Item::Shell(ShellItem {
            id,
            command: command.to_owned(),
            output: String::new(),
            end: None,
            is_private,
            started: Instant::now(),
        }));
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
        shell.output.push_str(text);
        if shell.output.len() > MAX_OUTPUT {
            // The end matters; the beginning is dropped.
            let mut from = shell.output.len() - MAX_OUTPUT / 2;
            while !shell.output.is_char_boundary(from) {
                from += 1;
            }
            shell.output.replace_range(..from, "");
        }
    }

    pub(super) fn shell_end(&mut self, id: u64, end: Result<(i32, bool), String>) {
        self.shell_cancel = None;
        let Some(shell) = self.transcript.shell(id) else { return };
        shell.end = Some(end.clone());
        let shell = shell.clone();
        let (false, Ok((code, killed)), Some(session)) = (shell.is_private, end, &self.session) else {
            return;
        };
        let mut output = toolsmith_tool::visible(shell.output.trim_end()).into_owned();
        if output.len() > MAX_SENT {
            let mut from = output.len() - MAX_SENT;
            while !output.is_char_boundary(from) {
                from += 1;
            }
            output = format!("(the beginning is omitted)\n{}", output.get(from..).unwrap_or_default());
        }
        let how = if killed { "stopped by the user".to_owned() } else { format!("exit code {code}") };
        let text = format!("The user ran a command ({how}):\n$ {}\n{output}", shell.command);
        let entry = EntryKind::CustomMessage(CustomMessage {
            custom_type: "toolsmith.shell".to_owned(),
            content: vec![ContentBlock::text(text)],
            display: true,
            details: Some(
                serde_json::json!({ "command": shell.command, "code": code, "output": shell.output }),
            ),
            attribution: Some("user".to_owned()),
        });
        if let Err(error) = session.log().append(entry) {
            self.notice(NoticeLevel::Error, &error.to_string());
        }
    }
}
