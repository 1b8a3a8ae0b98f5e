//! Entries as stored in a file, and the conversion in both directions.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolsmith_llm::{AssistantBlock, ContentBlock, Message, Usage};

use crate::entry::{BranchSummary, Compaction, CustomMessage, Entry, EntryKind};

/// The common fields of every entry. Parsing only these makes opening a long session fast.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryLine<'a> {
    #[serde(rename = "type", borrow)]
    pub(crate) kind: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) id: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(crate) parent_id: Option<std::borrow::Cow<'a, str>>,
}

/// The fields of each type.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Body {
    Message {
        message: Value,
    },
    CustomMessage {
        custom_type: String,
        content: Text,
        #[serde(default)]
        display: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attribution: Option<String>,
    },
    Custom {
        custom_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    Compaction {
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        short_summary: Option<String>,
        #[serde(default)]
        first_kept_entry_id: String,
        #[serde(default)]
        tokens_before: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preserve_data: Option<Value>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        from_extension: bool,
    },
    BranchSummary {
        #[serde(default)]
        from_id: String,
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        from_extension: bool,
    },
    ModelChange {
        model: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<String>,
    },
    ThinkingLevelChange {
        thinking_level: String,
    },
    Label {
        target_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    TitleChange {
        #[serde(default)]
        title: String,
    },
    TtsrInjection {
        injected_rules: Vec<String>,
    },
    ModeChange {
        mode: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
}

/// Content that may be a bare string.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Bare(String),
    Blocks(Vec<ContentBlock>),
}

impl From<EntryKind> for Result<Body, Map<String, Value>> {
    fn from(kind: EntryKind) -> Self {
        Ok(match kind {
            EntryKind::Unknown(fields) => return Err(fields),
            EntryKind::Message(message) => {
                Body::Message { message: serde_json::to_value(message).unwrap_or_default() }
            }
            EntryKind::CustomMessage(CustomMessage {
                custom_type,
                content,
                display,
                details,
                attribution,
            }) => Body::CustomMessage {
                custom_type,
                content: Text::Blocks(content),
                display,
                details,
                attribution,
            },
            EntryKind::Custom { custom_type, data } => Body::Custom { custom_type, data },
            EntryKind::Compaction(it) => Body::Compaction {
                summary: it.summary,
                short_summary: it.short_summary,
                first_kept_entry_id: it.first_kept_entry_id,
                tokens_before: it.tokens_before,
                details: it.details,
                preserve_data: it.preserve_data,
                from_extension: it.from_extension,
            },
            EntryKind::BranchSummary(BranchSummary { from_id, summary, details, from_extension }) => {
                Body::BranchSummary { from_id, summary, details, from_extension }
            }
            EntryKind::ModelChange { model, role } => Body::ModelChange { model, role },
            EntryKind::ThinkingChange { level } => Body::ThinkingLevelChange { thinking_level: level },
            EntryKind::Label { target_id, label } => Body::Label { target_id, label },
            EntryKind::Title { title } => Body::TitleChange { title },
            EntryKind::StreamRules { rules } => Body::TtsrInjection { injected_rules: rules },
            EntryKind::ModeChange { mode, data } => Body::ModeChange { mode, data },
        })
    }
}

impl Body {
    /// Returns `None` if a message has an unknown role.
    fn into_kind(self) -> Option<EntryKind> {
        Some(match self {
            Self::Message { message } => EntryKind::Message(read_message(message)?),
            Self::CustomMessage { custom_type, content, display, details, attribution } => {
                let content = match content {
                    Text::Bare(text) => vec![ContentBlock::text(text)],
                    Text::Blocks(blocks) => blocks,
                };
                EntryKind::CustomMessage(CustomMessage {
                    custom_type,
                    content,
                    display,
                    details,
                    attribution,
                })
            }
            Self::Custom { custom_type, data } => EntryKind::Custom { custom_type, data },
            Self::Compaction {
                summary,
                short_summary,
                first_kept_entry_id,
                tokens_before,
                details,
                preserve_data,
                from_extension,
            } => EntryKind::Compaction(Compaction {
                summary,
                short_summary,
                first_kept_entry_id,
                tokens_before,
                details,
                preserve_data,
                from_extension,
            }),
            Self::BranchSummary { from_id, summary, details, from_extension } => {
                EntryKind::BranchSummary(BranchSummary { from_id, summary, details, from_extension })
            }
            Self::ModelChange { model, role } => EntryKind::ModelChange { model, role },
            Self::ThinkingLevelChange { thinking_level } => {
                EntryKind::ThinkingChange { level: thinking_level }
            }
            Self::Label { target_id, label } => EntryKind::Label { target_id, label },
            Self::TitleChange { title } => EntryKind::Title { title },
            Self::TtsrInjection { injected_rules } => EntryKind::StreamRules { rules: injected_rules },
            Self::ModeChange { mode, data } => EntryKind::ModeChange { mode, data },
        })
    }
}

/// Converts an entry to the stored object: `type`, `id`, `parentId`, `timestamp`, then its own fields.
pub(crate) fn entry_line(entry: Entry) -> Value {
    let fields = match Result::<Body, _>::from(entry.kind) {
        Ok(body) => match serde_json::to_value(body) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        },
        Err(fields) => fields,
    };
    let mut line = Map::new();
    line.insert("type".to_owned(), fields.get("type").cloned().unwrap_or_default());
    line.insert("id".to_owned(), entry.id.into());
    line.insert("parentId".to_owned(), entry.parent_id.into());
    line.insert("timestamp".to_owned(), entry.timestamp.into());
    for (key, value) in fields {
        line.entry(key).or_insert(value);
    }
    let mut line = Value::Object(line);
    limit_depth(&mut line);
    line
}

/// Converts a stored object to an entry. An unknown one becomes [`EntryKind::Unknown`], unchanged.
pub(crate) fn read_entry(line: Map<String, Value>) -> Entry {
    let text = |name: &str| line.get(name).and_then(Value::as_str).map(str::to_owned);
    let (id, parent_id, timestamp) = (text("id"), text("parentId"), text("timestamp"));
    let kind = Body::deserialize(&Value::Object(line.clone()))
        .ok()
        .and_then(Body::into_kind)
        .unwrap_or(EntryKind::Unknown(line));
    Entry { id: id.unwrap_or_default(), parent_id, timestamp: timestamp.unwrap_or_default(), kind }
}

/// The `type` of messages.
pub(crate) const MESSAGE: &str = "message";

/// The line of a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    parent_id: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    message: Message,
}

/// Reads the line of a message directly. `None` if it is not exactly as expected; [`read_entry`] is more lenient.
pub(crate) fn read_message_line(line: &str) -> Option<Entry> {
    let line: MessageLine<'_> = serde_json::from_str(line).ok()?;
    (line.kind == MESSAGE).then(|| Entry {
        id: line.id.unwrap_or_default(),
        parent_id: line.parent_id,
        timestamp: line.timestamp.unwrap_or_default(),
        kind: EntryKind::Message(line.message),
    })
}

/// Parses a message; unknown blocks are omitted and the rest is used.
pub(crate) fn read_message(message: Value) -> Option<Message> {
    if let Ok(message) = Message::deserialize(&message) {
        return Some(message);
    }
    let Value::Object(mut fields) = message else {
        return None;
    };
    let known = |block: &Value| {
        ContentBlock::deserialize(block).is_ok() || AssistantBlock::deserialize(block).is_ok()
    };
    if let Some(Value::Array(blocks)) = fields.get_mut("content") {
        blocks.retain(known);
    }
    if fields.get("timestamp").is_some_and(|value| !value.is_u64()) {
        fields.remove("timestamp");
    }
    if fields.get("usage").is_some_and(|value| Usage::deserialize(value).is_err()) {
        fields.remove("usage");
    }
    Message::deserialize(Value::Object(fields)).ok()
}

/// Maximum nesting of a line. JSON readers, including ours, stop at 128 levels, and what cannot be read back must not be
/// written.
const MAX_DEPTH: usize = 100;

/// Converts deeper values to their JSON text, so that they stay readable.
fn limit_depth(value: &mut Value) {
    limit_below(value, MAX_DEPTH);
}

fn limit_below(value: &mut Value, levels: usize) {
    if levels == 0 {
        if value.is_object() || value.is_array() {
            *value = Value::String(value.to_string());
        }
        return;
    }
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| limit_below(field, levels - 1)),
        Value::Array(items) => items.iter_mut().for_each(|item| limit_below(item, levels - 1)),
        _ => {}
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
