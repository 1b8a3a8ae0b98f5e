//! The wire formats, selected by the requested path.

use super::{
    anthropic::Anthropic,
    bedrock::Bedrock,
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
    /// Amazon Bedrock's Converse.
    Bedrock,
}

impl Wire {
    /// All wire formats.
    pub const ALL: [Self; 5] = [Self::Anthropic, Self::Responses, Self::Chat, Self::Gemini, Self::Bedrock];

    pub(super) fn of_path(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/messages") || path.ends_with(":streamRawPredict") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else if path.ends_with("/converse-stream") {
            Some(Self::Bedrock)
        } else {
            None
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Bedrock => "application/vnd.amazon.eventstream",
            _ => "text/event-stream",
        }
    }

    pub(super) fn renderer(self) -> Box<dyn Renderer> {
        match self {
            Self::Anthropic => Box::new(Anthropic::default()),
            Self::Responses => Box::new(Responses::default()),
            Self::Chat => Box::new(Chat::default()),
            Self::Gemini => Box::new(Gemini),
            Self::Bedrock => Box::new(Bedrock::default()),
        }
    }
}

/// One event as it is sent.
pub(super) type Frame = Vec<u8>;

/// Writes a reply as a provider would, event by event.
pub(super) trait Renderer: Send {
    fn start(&mut self, tokens: &Tokens) -> Vec<Frame>;
    fn text(&mut self, deltas: &[String]) -> Vec<Frame>;
    fn thinking(&mut self, deltas: &[String], signature: Option<&str>) -> Vec<Frame>;
    fn calls(&mut self, calls: &[Call]) -> Vec<Frame>;
    fn end(&mut self, stop: Stop, tokens: &Tokens) -> Vec<Frame>;
}
