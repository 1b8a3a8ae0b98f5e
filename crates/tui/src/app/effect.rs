//! What panels and commands ask the interface to do.

use std::path::PathBuf;

use toolsmith::{SessionSource, agent::PendingChoice, tool::FileSelection};

use crate::dialog::Panel;

/// Something to do.
#[non_exhaustive]
pub enum Effect {
    /// Opens a panel.
    Open(Box<dyn Panel>),
    /// Shows an informational notice.
    Notice(String),
    /// Shows an error.
    Error(String),
    /// Runs a slash command or sends a prompt.
    Submit(String),
    /// Replaces the composer's text.
    SetText(String),
    /// Inserts text as if it was pasted.
    Paste(String),
    /// Builds the session again, stored as given.
    Reopen(Option<SessionSource>),
    /// Switches to a session file.
    Switch(PathBuf),
    /// Names a session file.
    Rename(PathBuf, String),
    /// Deletes a session file.
    Delete(PathBuf),
    /// Goes to an entry of the tree, with a summary of what is left or without.
    GoTo(String, bool),
    /// Starts a session from before a user message.
    Branch(String),
    /// Labels an entry of the tree.
    Label(String, Option<String>),
    /// Changes the model.
    SetModel(String),
    /// Changes the thinking level.
    SetThinking(String),
    /// Changes the theme.
    SetTheme(String),
    /// Changes a setting.
    SetSetting(String, String),
    /// Asks for the key of a provider: its name and variable.
    AskKey(String, String),
    /// Stores a key for a variable.
    StoreKey(String, String),
    /// Answers the trust question.
    Trust(bool),
    /// Applies a pending action, or some of its files and hunks.
    Apply(PendingChoice, Option<Vec<FileSelection>>),
    /// Discards a pending action.
    Discard(PendingChoice),
    /// Undoes a change.
    Undo(Option<String>),
    /// Ends the interface and starts the demo.
    Demo,
    /// Ends the program.
    Quit,
}

impl std::fmt::Debug for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Self::Open(_) => "Open",
            Self::Notice(_) => "Notice",
            Self::Error(_) => "Error",
            Self::Submit(_) => "Submit",
            Self::SetText(_) => "SetText",
            Self::Paste(_) => "Paste",
            Self::Reopen(_) => "Reopen",
            Self::Switch(_) => "Switch",
            Self::Rename(..) => "Rename",
            Self::Delete(_) => "Delete",
            Self::GoTo(..) => "GoTo",
            Self::Branch(_) => "Branch",
            Self::Label(..) => "Label",
            Self::SetModel(_) => "SetModel",
            Self::SetThinking(_) => "SetThinking",
            Self::SetTheme(_) => "SetTheme",
            Self::SetSetting(..) => "SetSetting",
            Self::AskKey(..) => "AskKey",
            Self::StoreKey(..) => "StoreKey",
            Self::Trust(_) => "Trust",
            Self::Apply(..) => "Apply",
            Self::Discard(_) => "Discard",
            Self::Undo(_) => "Undo",
            Self::Demo => "Demo",
            Self::Quit => "Quit",
        };
        f.write_str(name)
    }
}
