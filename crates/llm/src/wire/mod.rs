//! Wire formats: for each kind of provider, one file encodes requests and one decodes responses.
//!
//! These codecs are our own. `rig-core` 0.44 was evaluated against a scripted server first. It reports a call's id only
//! at the end of the call, so a call cannot be followed while it streams; it closes a thinking block after later calls;
//! when a stream breaks, it loses signatures and token counts that had arrived and does not say whether to retry; it
//! has no strict mode for a single tool; it sends thinking with a forced call, which Anthropic rejects. It costs 39
//! packages, a minute of a clean release build on two cores, 2.9 MB of program size, and 6 MB and 8 ms on every first
//! request, mostly for a model list it reads whole.

mod anthropic_read;
mod anthropic_write;
mod bedrock_read;
mod bedrock_write;
mod body;
mod chat_read;
mod chat_write;
mod encoded_history;
mod gemini_read;
mod gemini_write;
mod history;
mod json;
mod object_root;
mod responses_read;
mod responses_write;
mod schema;

use serde_json::{Map, Value};

pub(crate) use self::body::Content;
pub use self::encoded_history::EncodedHistory;
use self::{
    body::Body,
    encoded_history::{last_boundary, release_ids},
    history::{SpellId, Turn},
};
use crate::{
    config::{ApiKind, Quirks},
    error::LlmError,
    provider::Capabilities,
    reply::Reply,
    request::Request,
    sse::SseEvent,
    tool_names::WireRequest,
};

/// An encoded request without the key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Encoded {
    /// Path appended to the base URL.
    pub(crate) path: String,
    /// Headers of this format.
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: Body,
}

/// A request without its conversation.
struct Head {
    path: String,
    headers: Vec<(&'static str, &'static str)>,
    /// The fields of the body. The one called `list` is null and marks the place of the conversation.
    fields: Map<String, Value>,
    list: &'static str,
    /// Items before the conversation.
    lead: Vec<Value>,
}

/// Decodes one response.
pub(crate) trait Decoder: Send {
    /// Decodes one event into the reply.
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError>;

    /// Returns the events that a stream of this complete message would have; `None` if it is not a message of this format.
    /// Some servers and gateways ignore the request to stream.
    fn whole(&self, message: &Value) -> Option<Vec<SseEvent>>;

    /// Handles the end of the connection before the end of the reply. Formats without a reliable end mark decide here
    /// whether the reply is complete.
    fn end(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        reply.finish_closed(None)
    }
}

/// Returns an event without a name.
fn unnamed(data: &Value) -> SseEvent {
    SseEvent { name: String::new(), data: data.to_string() }
}

/// Encodes `request`. What an earlier request of the same conversation encoded is reused.
pub(crate) fn encode(api: ApiKind, request: &Request<'_>, quirks: &Quirks) -> Encoded {
    let mut kept = EncodedHistory::take(request, api, quirks);
    let named = WireRequest::new(request, kept.len());
    let named = named.request();
    let head = match api {
        ApiKind::AnthropicMessages => anthropic_write::head(&named, quirks),
        ApiKind::OpenAiResponses | ApiKind::AzureResponses => responses_write::head(&named),
        ApiKind::OpenAiChat => chat_write::head(&named, quirks),
        ApiKind::GoogleGemini | ApiKind::GoogleVertex => gemini_write::head(&named),
        ApiKind::BedrockConverse => bedrock_write::head(&named, request),
        ApiKind::VertexAnthropic => anthropic_write::vertex_head(&named),
    };
    let spell: SpellId = match api {
        ApiKind::OpenAiChat => chat_write::spell_id(quirks),
        _ => history::plain_id,
    };
    let (turns, begin) = history::turns(&named, api.as_str(), spell, &mut kept.used_ids);
    let items = |turns: &[Turn<'_>], is_start: bool| match api {
        ApiKind::AnthropicMessages | ApiKind::VertexAnthropic => {
            anthropic_write::items(turns, &named, is_start)
        }
        ApiKind::OpenAiResponses | ApiKind::AzureResponses => responses_write::items(turns),
        ApiKind::OpenAiChat => chat_write::items(turns, quirks),
        ApiKind::GoogleGemini | ApiKind::GoogleVertex => gemini_write::items(turns, &named),
        ApiKind::BedrockConverse => bedrock_write::items(turns),
    };
    let boundary = last_boundary(&turns);
    let (settled, open) = turns.split_at(boundary);
    let settled_items = items(settled, kept.is_empty());
    let mut open_items = items(open, kept.is_empty() && settled_items.is_empty());
    match api {
        ApiKind::AnthropicMessages | ApiKind::VertexAnthropic => anthropic_write::mark_end(&mut open_items),
        ApiKind::BedrockConverse => bedrock_write::mark_end(&mut open_items, &named),
        _ => {}
    }
    release_ids(open, &mut kept.used_ids);
    let end = kept.len() + begin.get(boundary).copied().unwrap_or_default();
    kept.extend(request, end, &settled_items);
    let body =
        Body { fields: head.fields, list: head.list, lead: head.lead, kept: kept.items(), items: open_items };
    EncodedHistory::put(request, kept);
    Encoded { path: head.path, headers: head.headers, body }
}

/// Creates a decoder for one response.
pub(crate) fn decoder(api: ApiKind) -> Box<dyn Decoder> {
    match api {
        ApiKind::AnthropicMessages | ApiKind::VertexAnthropic => {
            Box::new(anthropic_read::AnthropicDecoder::default())
        }
        ApiKind::OpenAiResponses | ApiKind::AzureResponses => Box::new(responses_read::ResponsesDecoder),
        ApiKind::OpenAiChat => Box::new(chat_read::ChatDecoder::default()),
        ApiKind::GoogleGemini | ApiKind::GoogleVertex => Box::new(gemini_read::GeminiDecoder::default()),
        ApiKind::BedrockConverse => Box::new(bedrock_read::BedrockDecoder::default()),
    }
}

/// Restricts a model's capabilities to those of this format.
pub(crate) fn capabilities(api: ApiKind, quirks: &Quirks, mut of_model: Capabilities) -> Capabilities {
    if let Some(forced_tool) = quirks.forced_tool {
        of_model.forced_tool = of_model.forced_tool.min(forced_tool);
    }
    // Bedrock is mostly used for the same models.
    of_model.thinking_with_forced_tool =
        !matches!(api, ApiKind::AnthropicMessages | ApiKind::VertexAnthropic | ApiKind::BedrockConverse);
    of_model
}
