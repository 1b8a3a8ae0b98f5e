//! Shell commands of the person: `!command` is shown to the model, `!!command` is not.

use std::time::{Duration, Instant};

use toolsmith::{
    UserBashResult,
    tool::{CancelToken, NoticeLevel},
};

use super::{
    event::Event,
    interface::App,
    transcript::{Item, ShellItem},
};
use crate::blocks::BashBlock;

/// Output kept for the screen.
const MAX_OUTPUT: usize = 1 << 20;
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
        let Some(session) = self.session.clone() else {
            return self
                .notice(NoticeLevel::Warning, "The session is still starting. Try again in a moment.");
        };
        self.shell_number += 1;
        let id = self.shell_number;
        let block = BashBlock::new(command, is_private);
        self.transcript.push(Item::Shell(ShellItem { id, block, started: Instant::now(), is_final: false }));
        let cancel = CancelToken::new();
        self.shell_cancel = Some(cancel.clone());
        let (command, events) = (command.to_owned(), self.events.clone());
        self.spawn(async move {
            let (mut collected, mut reported) = (String::new(), Instant::now());
            let outcome = session.user_bash(&command, is_private, cancel, |text| {
                collected.push_str(text);
                if reported.elapsed() >= REPORT_TIME {
                    events.send(Event::ShellOutput(id, std::mem::take(&mut collected)));
                    reported = Instant::now();
                }
            });
            let outcome = outcome.await;
            if !collected.is_empty() {
                events.send(Event::ShellOutput(id, collected));
            }
            Event::ShellEnd(id, outcome.map_err(|error| error.to_string()))
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

    pub(super) fn shell_end(&mut self, id: u64, end: Result<UserBashResult, String>) {
        self.shell_cancel = None;
        let Some(shell) = self.transcript.shell(id) else { return };
        shell.is_final = true;
        shell.block.elapsed = Some(shell.started.elapsed());
        match end {
            Ok(result) => {
                (shell.block.exit_code, shell.block.is_cancelled) = (result.exit_code, result.cancelled);
                // An extension returns the output at the end.
                if result.from_extension {
                    shell.block.output = result.output;
                }
            }
            Err(error) => shell.block.output.push_str(&error),
        }
    }
}
