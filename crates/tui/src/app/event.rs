//! What background work reports to the interface.

use std::sync::Arc;

use toolsmith::{CommandOutcome, FoundHooks, Session, SessionSwitched, UserBashResult};
use toolsmith_tool::{
    CompletionSource, Component, ComponentChange, ComponentId, CustomOptions, InputTap, NoticeLevel,
    WidgetContent, WidgetPlacement, WorkingIndicator,
};

use super::{
    components::Part,
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
    /// A component takes the place of the composer, or lies over the screen.
    Custom(Arc<dyn Component>, CustomOptions),
    /// A component takes the place of a part of the interface.
    Part(Part, Option<Arc<dyn Component>>),
    /// A component changed.
    ComponentChanged(ComponentId, ComponentChange),
    /// A component was drawn at a width.
    Drawn(ComponentId, usize, Option<Vec<String>>),
    /// The drawing of a call changed.
    CallChanged(String),
    /// The text beside the spinner.
    Working(Option<String>),
    /// The frames of the spinner.
    Indicator(Option<WorkingIndicator>),
    /// The spinner is shown or hidden.
    WorkingVisible(bool),
    /// The label of hidden thinking.
    ThinkingLabel(Option<String>),
    /// A source of completions.
    Completions(Arc<dyn CompletionSource>),
    /// A tap on the input was added or removed.
    Tap(ComponentId, Option<Arc<dyn InputTap>>),
    /// The rest of a key after the taps.
    Tapped(Vec<u8>),
    /// Tool output is expanded or not.
    Expanded(bool),
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
    /// A shell command ended.
    ShellEnd(u64, Result<UserBashResult, String>),
    /// An extension drew a message, or not.
    MessageDrawn(u64, Option<Vec<String>>),
    /// A command of the session ended.
    CommandEnded(Result<CommandOutcome, String>),
    /// Something to do.
    Do(Effect),
    /// The session is ready for the next prompt.
    Idle,
    /// Something that is drawn elsewhere changed.
    Redraw,
    /// The hooks that were found, to be shown.
    Hooks(Box<FoundHooks>),
    /// The branch that is checked out.
    Branch(Option<String>),
}
