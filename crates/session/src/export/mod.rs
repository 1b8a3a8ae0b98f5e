//! Export of a session: the path to the leaf as Markdown, or as a self-contained HTML page.

mod html;
mod markdown;
mod plain;
mod prose;
mod transcript;

pub(crate) use plain::plain;

use super::session_log::SessionLog;

impl SessionLog {
    /// Exports the conversation up to the leaf as Markdown, including images.
    pub fn to_markdown(&self) -> String {
        markdown::render(&transcript::of(self))
    }

    /// Exports the conversation up to the leaf as one HTML page. It loads nothing, works without its script, and
    /// session content can only become text and images in the page.
    pub fn to_html(&self) -> String {
        html::render(&transcript::of(self))
    }
}
