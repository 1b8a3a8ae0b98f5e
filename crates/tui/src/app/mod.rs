//! The interface itself: a client of [`toolsmith::Session`] that owns the terminal, the transcript, the composer and the
//! panels. One task owns everything; background work reports to it through a queue.

mod agent_events;
mod asking;
mod bridge;
mod commands;
mod components;
mod compose;
mod effect;
mod event;
mod extensions;
mod full;
mod host;
mod images;
mod inbox;
mod interface;
mod keys;
mod operations;
mod outside;
mod panels;
mod restore;
mod shell;
mod start;
mod status;
mod transcript;
mod transcript_view;

pub use effect::Effect;
pub use host::{
    Exit, Host, ModelEntry, OpenError, OpenRequest, Options, ProviderEntry, ScreenMode, TrustQuestion,
};
pub use interface::run;
