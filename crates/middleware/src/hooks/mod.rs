//! Hooks: external commands that run before and after tool calls and at other events of a session (CONTRACT 11.1, 11.2).
//!
//! There are two kinds. A *file hook* is an executable `hooks/pre/<tool>` or `hooks/post/<tool>`. An *event hook* is an entry
//! of a hook file in the format of Claude Code. Both are [`Hook`]s; [`Hooks`] holds those of a session and runs them,
//! [`HookGate`] puts them into the path of a call, and [`HookEvents`] into the loop.
//!
//! This module does not know where hooks are configured or which ones are trusted.

mod answer;
mod command;
mod definition;
mod gate;
mod matcher;
mod names;
mod payload;
mod response;
mod runner;
mod session_events;
mod trial;
mod turn_events;

pub use answer::{Answer, Permission};
pub use command::Ran;
pub use definition::{Check, Dialect, Handler, Hook, HookEvent};
pub use gate::HookGate;
pub use matcher::{BadMatcher, CallRule, Matcher};
pub use names::claude_name;
pub use runner::{HookRun, Hooks, HooksOptions};
pub use session_events::{SessionEndReason, SessionStartSource};
pub use trial::Trial;
pub use turn_events::HookEvents;
