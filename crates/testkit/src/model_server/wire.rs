//! The wire formats, selected by the requested path.

use super::{
    anthropic::Anthropic,
    chat::Chat,
    gemini::Gemini,
    reply::{Call, Stop, Tokens},
    responses::Responses,
};

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions.
    Chat,
    /// Google Gemini.
    Gemini,
}

impl Wire {
    /// All wire formats.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Responses, Self::Chat, Self::Gemini];

    pub(super) fn of_path(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    pub(super) fn renderer(self) -> Box<dyn Renderer> {
        match self {
            Self::Anthropic => Box::new(Anthropic::default()),
            Self::Responses => Box::new(Responses::default()),
            Self::Chat => Box::new(Chat::default()),
            Self::Gemini => Box::new(Gemini),
        }
    }
}

/// Writes a reply as a provider would: each text is one event.
pub(super) trait Renderer: Send {
    fn start(&mut self, tokens: &Tokens) -> Vec<String>;
    fn text(&mut self, deltas: &[String]) -> Vec<String>;
    fn thinking(&mut self, deltas: &[String], signature: Option<&str>) -> Vec<String>;
    fn calls(&mut self, calls: &[Call]) -> Vec<String>;
    fn end(&mut self, stop: Stop, tokens: &Tokens) -> Vec<String>;
}
