//! What background work reports to the interface.

use std::sync::Arc;

use toolsmith::{Session, SessionSwitched};
use toolsmith_tool::{NoticeLevel, WidgetContent, WidgetPlacement};

use super::{
    effect::Effect,
    host::{OpenError, TrustQuestion},
};
use crate::{
    composer::{
        Image,
        completion::{Candidate, FileIndex},
    },
    dialog::Panel,
};

/// An event of the interface.
pub(super) enum Event {
    /// The trust question, if there is one.
    Trust(Option<TrustQuestion>),
    /// The session was built, or not.
    Opened(Box<Result<Session, OpenError>>),
    /// A tool, or the dispatcher, asks something.
    Panel(u64, Box<dyn Panel>),
    /// The question was taken back.
    ClosePanel(u64),
    /// A notice.
    Notice(NoticeLevel, String),
    /// An entry of the status line.
    Status(String, Option<String>),
    /// A block of lines near the composer.
    Widget(String, Option<WidgetContent>, WidgetPlacement),
    /// The window title.
    Title(String),
    /// Earlier prompts.
    History(Vec<String>),
    /// The files of the directory.
    Files(Arc<FileIndex>),
    /// Candidates for the completion with this number.
    Candidates(u64, Vec<Candidate>, std::ops::Range<usize>),
    /// An image was read.
    Image(Result<Image, String>),
    /// The session moved elsewhere.
    Switched(Result<SessionSwitched, String>),
    /// A compaction that the person asked for ended.
    Compacted(Result<(), String>),
    /// Output of a shell command.
    ShellOutput(u64, String),
    /// A shell command ended: exit code, and whether it was stopped.
    ShellEnd(u64, Result<(i32, bool), String>),
    /// Something to do.
    Do(Effect),
    /// Something that is drawn elsewhere changed.
    Redraw,
    /// The branch that is checked out.
    Branch(Option<String>),
}
