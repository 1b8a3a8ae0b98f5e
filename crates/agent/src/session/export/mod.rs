//! A session to read: the path to the leaf as Markdown, or as one HTML page that needs nothing else.

mod html;
mod markdown;
mod plain;
mod prose;
mod transcript;

pub(crate) use plain::plain;

use super::handle::Session;

impl Session {
    /// The conversation up to the leaf as Markdown, images included.
    pub fn to_markdown(&self) -> String {
        markdown::render(&transcript::of(self))
    }

    /// The conversation up to the leaf as one HTML page. It loads nothing, works without its script, and nothing that
    /// was said in the session can become a part of the page other than text and images.
    pub fn to_html(&self) -> String {
        html::render(&transcript::of(self))
    }
}
