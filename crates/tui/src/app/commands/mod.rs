//! Slash commands: their names, descriptions and arguments. Unknown ones are an error with suggestions, never a prompt.

mod hooks;
mod of_session;
mod pending;
mod session;
mod show;

use toolsmith::{
    CommandInfo,
    llm::ThinkingLevel,
    tool::{NoticeLevel, closest_names},
};

use super::{effect::Effect, interface::App};
use crate::{
    composer::completion::{Candidate, fuzzy_filter},
    text::Theme,
};

/// A command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    /// Argument for help; empty if it takes none.
    pub(super) argument: &'static str,
    pub(super) doc: &'static str,
    run: fn(&mut App, &str),
}

/// The commands, in the order of `/help`.
pub(super) const COMMANDS: &[Command] = &[
    Command { name: "help", argument: "", doc: "Show commands", run: |app, _| app.help() },
    Command { name: "hotkeys", argument: "", doc: "Show keys", run: |app, _| app.hotkeys() },
    Command { name: "model", argument: "[NAME]", doc: "Choose the model", run: App::model_command },
    Command {
        name: "thinking",
        argument: "[LEVEL]",
        doc: "Choose the thinking level",
        run: App::thinking_command,
    },
    Command { name: "new", argument: "", doc: "Start a new session", run: |app, _| app.new_session() },
    Command { name: "resume", argument: "[ID]", doc: "Continue another session", run: App::resume_command },
    Command { name: "name", argument: "[NAME]", doc: "Name the session", run: App::name_command },
    Command {
        name: "session",
        argument: "",
        doc: "Show the session's file, size and cost",
        run: |app, _| app.session_info(),
    },
    Command {
        name: "tree",
        argument: "",
        doc: "Go to another place in the session",
        run: |app, _| app.open_tree(),
    },
    Command {
        name: "fork",
        argument: "",
        doc: "Start a session from an earlier prompt",
        run: |app, _| app.fork_command(),
    },
    Command {
        name: "clone",
        argument: "",
        doc: "Continue in a copy of the session",
        run: |app, _| app.clone_session(),
    },
    Command {
        name: "compact",
        argument: "[INSTRUCTIONS]",
        doc: "Summarise the older part of the session",
        run: App::compact_command,
    },
    Command { name: "copy", argument: "", doc: "Copy the last answer", run: |app, _| app.copy_answer() },
    Command {
        name: "export",
        argument: "[FILE]",
        doc: "Write the session to a file (.html, .md or .jsonl)",
        run: App::export_command,
    },
    Command {
        name: "pending",
        argument: "[apply|discard]",
        doc: "Review pending changes",
        run: App::pending_command,
    },
    Command {
        name: "undo",
        argument: "",
        doc: "Undo the last change of a tool",
        run: |app, _| app.undo_command(),
    },
    Command { name: "todo", argument: "", doc: "Show the todo list", run: |app, _| app.show_todo() },
    Command {
        name: "tools",
        argument: "",
        doc: "Show tools and load errors",
        run: |app, _| app.show_tools(),
    },
    Command { name: "skills", argument: "", doc: "Show skills", run: |app, _| app.show_skills() },
    Command {
        name: "login",
        argument: "[PROVIDER]",
        doc: "Store the key of a provider",
        run: App::login_command,
    },
    Command { name: "logout", argument: "PROVIDER", doc: "Remove a stored key", run: App::logout_command },
    Command {
        name: "settings",
        argument: "",
        doc: "Change settings of the interface",
        run: |app, _| app.settings_command(),
    },
    Command { name: "mcp", argument: "", doc: "Show tools of MCP servers", run: |app, _| app.show_mcp() },
    Command {
        name: "hooks",
        argument: "[trust|decline]",
        doc: "Show hooks, and confirm those of the project",
        run: App::hooks_command,
    },
    Command { name: "trust", argument: "", doc: "Trust this directory", run: |app, _| app.trust_command() },
    Command {
        name: "reload",
        argument: "",
        doc: "Load tools and settings again",
        run: |app, _| app.reload(),
    },
    Command { name: "theme", argument: "[NAME]", doc: "Choose the colours", run: App::theme_command },
    Command {
        name: "transcript",
        argument: "",
        doc: "Show the transcript on the whole screen",
        run: |app, _| app.open_full(false),
    },
    Command { name: "redraw", argument: "", doc: "Draw the screen again", run: |app, _| app.redraw() },
    Command { name: "quit", argument: "", doc: "Quit", run: |app, _| app.perform(Effect::Quit) },
];

/// Candidates offered.
const MAX_CANDIDATES: usize = 100;

/// A command in the menu.
enum Listed<'a> {
    Own(&'a Command),
    OfSession(&'a CommandInfo),
}

impl App {
    pub(super) fn command(&mut self, name: &str, argument: &str) {
        if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
            return (command.run)(self, argument);
        }
        if self.run_session_command(name, argument) {
            return;
        }
        self.refresh_commands();
        let others = self.session_commands().iter().map(|command| command.name.as_str());
        let closest = closest_names(name, COMMANDS.iter().map(|command| command.name).chain(others));
        let hint = match closest.as_slice() {
            [] => "/help lists the commands.".to_owned(),
            closest => {
                let names: Vec<String> = closest.iter().map(|name| format!("/{name}")).collect();
                format!("Did you mean {}?", names.join(" or "))
            }
        };
        self.notice(NoticeLevel::Error, &format!("Unknown command \"/{name}\". {hint}"));
        // What was typed is not lost.
        let text = match argument {
            "" => format!("/{name}"),
            argument => format!("/{name} {argument}"),
        };
        self.composer.set_text(&text);
        self.changed_now();
    }

    pub(super) fn command_candidates(&self, query: &str) -> Vec<Candidate> {
        let own = COMMANDS.iter().map(|command| (command.name, Listed::Own(command)));
        let others =
            self.session_commands().iter().map(|command| (command.name.as_str(), Listed::OfSession(command)));
        let all: Vec<(&str, Listed<'_>)> = own.chain(others).collect();
        fuzzy_filter(query, &all, |(name, _)| name, MAX_CANDIDATES)
            .into_iter()
            .map(|(_, listed)| match listed {
                Listed::OfSession(command) => Self::session_candidate(command),
                Listed::Own(command) => {
                    let needs_argument = command.argument.starts_with(|c: char| c.is_ascii_uppercase());
                    let space = if command.argument.is_empty() { "" } else { " " };
                    Candidate {
                        label: format!("/{} {}", command.name, command.argument).trim_end().to_owned(),
                        detail: command.doc.to_owned(),
                        text: format!("/{}{space}", command.name),
                        submits: !needs_argument,
                    }
                }
            })
            .collect()
    }

    pub(super) fn argument_candidates(&self, command: &str, query: &str) -> Vec<Candidate> {
        let words: Vec<String> = match command {
            "thinking" => ThinkingLevel::ALL.iter().map(|level| level.as_str().to_owned()).collect(),
            "theme" => self.theme_names(),
            "hooks" => ["trust", "decline"].map(str::to_owned).to_vec(),
            "pending" => ["apply", "discard"].map(str::to_owned).to_vec(),
            _ => return Vec::new(),
        };
        fuzzy_filter(query, &words, |word| word, 20)
            .into_iter()
            .map(|word| Candidate {
                label: word.clone(),
                detail: String::new(),
                text: word.clone(),
                submits: true,
            })
            .collect()
    }

    /// Built-in themes and those of the user.
    pub(super) fn theme_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Theme::built_in_names().iter().map(|name| (*name).to_owned()).collect();
        let files =
            std::fs::read_dir(self.options.home.toolsmith().join("themes")).into_iter().flatten().flatten();
        names.extend(
            files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".json")?.to_owned())),
        );
        names.insert(0, "auto".to_owned());
        names
    }
}
