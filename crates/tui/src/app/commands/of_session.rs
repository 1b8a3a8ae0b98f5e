//! Commands of the session: those of extensions, Markdown files, skills and MCP servers.

use std::ops::Range;

use toolsmith::{CommandInfo, CommandOutcome, Prompt, tool::NoticeLevel};
use toolsmith_tool::CancelToken;

use super::{
    super::{event::Event, interface::App},
    COMMANDS,
};
use crate::composer::{Submission, completion::Candidate};

/// Longest description in the menu.
const MAX_DETAIL: usize = 200;

impl App {
    /// Returns the commands of the session, as they were when a command was last begun.
    pub(super) fn session_commands(&self) -> &[CommandInfo] {
        self.commands.as_deref().unwrap_or_default()
    }

    /// Reads the commands again; extensions and servers may have added some.
    pub(in crate::app) fn refresh_commands(&mut self) {
        let is_own = |info: &CommandInfo| COMMANDS.iter().any(|command| command.name == info.name);
        self.commands = self
            .session
            .as_ref()
            .map(|session| session.commands().into_iter().filter(|info| !is_own(info)).collect::<Vec<_>>());
    }

    /// Returns label, description and text of a command of the session.
    pub(super) fn session_candidate(info: &CommandInfo) -> Candidate {
        let hint = info.argument_hint.as_deref().unwrap_or_default();
        let origin = info.origin.as_deref().map(|origin| format!(" ({origin})")).unwrap_or_default();
        let end = info.description.floor_char_boundary(MAX_DETAIL);
        Candidate {
            label: format!("/{} {hint}", info.name).trim_end().to_owned(),
            detail: format!("{}{origin}", &info.description[..end]),
            text: format!("/{} ", info.name),
            submits: false,
        }
    }

    /// Runs a command of the session; `false` if there is none of this name.
    pub(super) fn run_session_command(&mut self, name: &str, argument: &str) -> bool {
        let line = format!("/{name} {argument}");
        if self.is_busy {
            // The session is being opened or switched.
            self.wait(Submission { text: line.trim_end().to_owned(), images: Vec::new() });
            return true;
        }
        let Some(session) = self.session.clone() else { return false };
        if session.find_command(&line).is_none() {
            return false;
        }
        let cancel = CancelToken::new();
        self.command_cancel = Some(cancel.clone());
        let (name, argument) = (name.to_owned(), argument.to_owned());
        self.spawn(async move {
            let outcome = session.run_command(&name, &argument, cancel).await;
            Event::CommandEnded(outcome.map_err(|error| error.to_string()))
        });
        true
    }

    /// Sends the prompt that a command returned.
    pub(in crate::app) fn command_ended(&mut self, outcome: Result<CommandOutcome, String>) {
        self.command_cancel = None;
        match outcome {
            Ok(CommandOutcome::Prompt(prompt)) => self.send_or_steer(prompt),
            Ok(_) => {}
            Err(error) => self.notice(NoticeLevel::Error, &error),
        }
    }

    fn send_or_steer(&mut self, prompt: Prompt) {
        match (&self.session, self.running) {
            (Some(session), Some(_)) => {
                if let Err(error) = session.steer(prompt) {
                    self.notice(NoticeLevel::Error, &error.to_string());
                }
            }
            _ => self.send_prompt(prompt),
        }
    }

    /// Asks a command for completions of its arguments.
    pub(in crate::app) fn complete_arguments(
        &self,
        number: u64,
        command: String,
        query: String,
        range: Range<usize>,
    ) {
        let has_completions =
            self.session_commands().iter().any(|info| info.name == command && info.has_completions);
        let Some(session) = self.session.clone().filter(|_| has_completions) else { return };
        self.spawn(async move {
            let found = session.complete_command(&command, &query).await;
            let candidate = |completion: toolsmith_tool::Completion| Candidate {
                label: completion.label,
                detail: completion.description.unwrap_or_default(),
                text: completion.value,
                submits: true,
            };
            Event::Candidates(number, found.into_iter().map(candidate).collect(), range)
        });
    }
}
