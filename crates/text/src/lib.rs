//! Styled terminal text as data.
//!
//! A [`Row`] is one line of a screen: spans of text with a [`Style`] and an optional link. Everything that is drawn becomes
//! rows: text of models, Markdown, highlighted code, diffs, and the lines that tools draw themselves. A row never contains
//! a character that a terminal would obey, so a writer only has to position rows.
//!
//! The crate does no I/O and knows no tool, session or terminal.
#![warn(missing_docs)]

mod amounts;
mod ansi;
mod diff;
mod filter;
mod highlight;
mod images;
mod markdown;
mod measure;
mod row;
mod style;
mod theme;
mod width;

pub use amounts::{count_text, size_text, time_text};
pub use ansi::{CURSOR_MARKER, DrawnRow, parse_drawn, parse_row, parse_text};
pub use diff::{FileDiff, Hunk, HunkLayout, HunkLine, LineKind, diff_rows, hunk_rows};
pub use filter::{Filter, Keep, plain};
pub use highlight::{highlight, language_of_path, warm_highlighter};
pub use images::{ImageProtocol, ImageSize, image_size, inline_image};
pub use markdown::{MarkdownOptions, MarkdownStream, highlight_json, markdown_json, markdown_rows};
pub use measure::{cut_to_width, visible_width, wrap};
pub use row::{Row, Span};
pub use style::{Attributes, Color, ColorDepth, Style};
pub use theme::{Appearance, Theme, ThemeError, Token};
pub use width::{grapheme_width, row_starts, width};
