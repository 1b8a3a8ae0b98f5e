//! The terminal interface of Toolsmith: a client of [`toolsmith::Session`] that draws on a terminal.
//!
//! It reads the event stream, keeps a transcript, and sends what the person types. It knows neither the JavaScript engine
//! nor model providers.
#![warn(missing_docs)]

pub mod app;
pub mod blocks;
pub mod composer;
pub mod dialog;
pub mod input;
pub mod keys;
pub mod overlay;
pub mod plain;
pub mod review;
pub mod screen;
mod tool_text;
pub mod tool_view;
pub mod tty;

pub mod text {
    //! Styled rows and themes; see `toolsmith_text`.
    pub use toolsmith_text::*;
}
