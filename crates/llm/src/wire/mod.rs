//! The wires: how a request is written for each kind of provider and how its reply is read. One file writes, one reads.
//!
//! These codecs are our own. `rig-core` 0.44, which could have stood here, was tried against a scripted server first.
//! It names a call's id only when the call is over, so nothing can follow a call while it streams; it ends a thinking
//! block after the calls that came later; when a stream breaks it forgets the signatures and token counts that had
//! arrived, and says nothing of whether to try again; it has no strict mode for a single tool; it sends thinking along
//! with a demanded call, which Anthropic refuses. It costs 39 packages, a minute of a clean release build on two cores,
//! 2.9 MB of program, and 6 MB and 8 ms of every first request, most of that for a list of models it reads whole.

mod anthropic_read;
mod anthropic_write;
mod chat_read;
mod chat_write;
mod gemini_read;
mod gemini_write;
mod history;
mod json;
mod object_root;
mod responses_read;
mod responses_write;
mod schema;

use serde_json::Value;

use crate::{
    config::{ApiKind, Quirks},
    error::LlmError,
    provider::Capabilities,
    reply::Reply,
    request::Request,
    sse::SseEvent,
};

/// A request as it goes out. The key is not in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Encoded {
    /// Follows the base URL.
    pub(crate) path: String,
    /// Headers of this wire.
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: Value,
}

/// Reads one reply.
pub(crate) trait Decoder: Send {
    /// Reads one event into the reply.
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError>;

    /// The connection ended and the reply had not. Wires without a reliable end decide here whether it is one.
    fn end(&mut self, _reply: &mut Reply) -> Result<(), LlmError> {
        Err(LlmError::network("the connection ended before the answer did"))
    }
}

/// Writes `request`.
pub(crate) fn encode(api: ApiKind, request: &Request<'_>, quirks: &Quirks) -> Encoded {
    match api {
        ApiKind::AnthropicMessages => anthropic_write::encode(request, quirks),
        ApiKind::OpenAiResponses => responses_write::encode(request),
        ApiKind::OpenAiChat => chat_write::encode(request, quirks),
        ApiKind::GoogleGemini => gemini_write::encode(request),
    }
}

/// A reader for one reply.
pub(crate) fn decoder(api: ApiKind) -> Box<dyn Decoder> {
    match api {
        ApiKind::AnthropicMessages => Box::new(anthropic_read::AnthropicDecoder::default()),
        ApiKind::OpenAiResponses => Box::new(responses_read::ResponsesDecoder),
        ApiKind::OpenAiChat => Box::new(chat_read::ChatDecoder::default()),
        ApiKind::GoogleGemini => Box::new(gemini_read::GeminiDecoder::default()),
    }
}

/// What this wire leaves of what a model can do.
pub(crate) fn capabilities(api: ApiKind, quirks: &Quirks, mut of_model: Capabilities) -> Capabilities {
    if let Some(forced_tool) = quirks.forced_tool {
        of_model.forced_tool = of_model.forced_tool.min(forced_tool);
    }
    of_model.thinking_with_forced_tool = api != ApiKind::AnthropicMessages;
    of_model
}
