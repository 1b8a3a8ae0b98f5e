//! The file format: stored types and their conversion. `docs/sessions.md` describes the format.
//!
//! A line that was read is never written again in another form: unknown parts stay unchanged.

mod foreign;
mod header;
mod lines;

pub(crate) use foreign::convert;
pub(crate) use header::{HeadLine, Origin, read_header, title_line, write_header};
pub(crate) use lines::{EntryLine, MESSAGE, entry_line, read_entry, read_message, read_message_line};

/// Version of our format.
pub const FORMAT_VERSION: u64 = 1;
