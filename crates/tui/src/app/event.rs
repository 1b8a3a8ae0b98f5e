//! What background work reports to the interface.

use std::sync::Arc;

use toolsmith::{CommandOutcome, FoundHooks, Session, SessionSwitched, UserBashResult};
use toolsmith_tool::{
    CancelToken, CompletionSource, Component, ComponentChange, ComponentId, CustomOptions, InputTap,
    NoticeLevel, WidgetPlacement, WorkingIndicator,
};

use super::{
    components::{Part, WidgetView},
    effect::Effect,
    host::{OpenError, TrustQuestion},
};
use crate::{
    composer::{
        Image,
        completion::{Candidate, FileIndex},
    },
    dialog::Panel,
    text::{DrawnRow, Row},
};

/// An event of the interface.
pub(super) enum Event {
    /// The trust question, if there is one.
    Trust(Option<TrustQuestion>),
    /// The session was built, or not.
    Opened(Box<Result<Session, OpenError>>),
    /// A tool, or the dispatcher, asks something, unless the token was cancelled meanwhile.
    Panel(u64, Box<dyn Panel>, CancelToken),
    /// The question was taken back.
    ClosePanel(u64),
    /// A notice.
    Notice(NoticeLevel, String),
    /// An entry of the status line.
    Status(String, Option<Row>),
    /// A block of lines near the composer.
    Widget(String, Option<WidgetView>, WidgetPlacement),
    /// A component takes the place of the composer, or lies over the screen.
    Custom(Arc<dyn Component>, CustomOptions),
    /// A component takes the place of a part of the interface.
    Part(Part, Option<Arc<dyn Component>>),
    /// A component changed.
    ComponentChanged(ComponentId, ComponentChange),
    /// A component was drawn at a width.
    Drawn(ComponentId, usize, Option<Vec<DrawnRow>>),
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
    /// A tool replaces the text of the prompt.
    EditorText(String),
    /// A tool inserts text into the prompt.
    EditorPaste(String),
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
    MessageDrawn(u64, Option<Vec<Row>>),
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

/// Something that has one value: of events for the same slot only the newest matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Status(String),
    Widget(String),
    Part(Part),
    /// A component, and the kind of its change.
    Component(ComponentId, Change),
    Drawn(ComponentId),
    Call(String),
    Working,
    Indicator,
    WorkingVisible,
    ThinkingLabel,
    Expanded,
    Title,
    EditorText,
    Theme,
    Redraw,
}

/// Kinds of changes of a component that replace each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    Render,
    Hidden,
    Focus,
    Removed,
    Text,
}

impl Event {
    /// Returns what the event sets, if a later event for the same makes it superfluous.
    pub(super) fn slot(&self) -> Option<Slot> {
        Some(match self {
            Self::Status(key, _) => Slot::Status(key.clone()),
            Self::Widget(key, ..) => Slot::Widget(key.clone()),
            Self::Part(part, _) => Slot::Part(*part),
            Self::ComponentChanged(id, change) => {
                let change = match change {
                    ComponentChange::Render => Change::Render,
                    ComponentChange::Hidden(_) => Change::Hidden,
                    ComponentChange::Focus(_) => Change::Focus,
                    ComponentChange::Removed => Change::Removed,
                    ComponentChange::TextChanged(_) => Change::Text,
                    _ => return None,
                };
                Slot::Component(*id, change)
            }
            Self::Drawn(id, ..) => Slot::Drawn(*id),
            Self::CallChanged(id) => Slot::Call(id.clone()),
            Self::Working(_) => Slot::Working,
            Self::Indicator(_) => Slot::Indicator,
            Self::WorkingVisible(_) => Slot::WorkingVisible,
            Self::ThinkingLabel(_) => Slot::ThinkingLabel,
            Self::Expanded(_) => Slot::Expanded,
            Self::Title(_) => Slot::Title,
            Self::EditorText(_) => Slot::EditorText,
            Self::Do(Effect::SetTheme(_)) => Slot::Theme,
            Self::Redraw => Slot::Redraw,
            _ => return None,
        })
    }

    /// Returns whether it may be dropped where too many events wait: a request of a tool that nothing waits for.
    pub(super) fn is_optional(&self) -> bool {
        match self {
            Self::Notice(..)
            | Self::Completions(_)
            | Self::Tap(_, Some(_))
            | Self::CallChanged(_)
            | Self::EditorPaste(_) => true,
            Self::ComponentChanged(_, change) => !matches!(change, ComponentChange::Removed),
            _ => false,
        }
    }
}
