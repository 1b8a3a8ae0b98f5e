//! The model's view of a session: the path from the root to the leaf as messages, and the settings at the leaf.

use std::sync::Arc;

use serde_json::Value;
use toolsmith_llm::{ContentBlock, Endpoint, InputMessage, Message};

use super::{
    blobs::Blobs,
    entry::{ENDPOINT, Entry, EntryKind},
    format::{read_entry, read_message_line},
    live::{Live, LiveEntry, live},
    tree::{Position, Tree},
};

const COMPACTED: &str = "The conversation before this point was compacted into this summary:";
const LEFT_BRANCH: &str = "An abandoned branch from this point, summarised:";

/// The settings at the leaf.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionState {
    /// The model, `provider/id`: the last one that was selected or that answered.
    pub model: Option<String>,
    /// Where that model was asked; `None` when the session does not say.
    pub endpoint: Option<Endpoint>,
    /// The thinking level.
    pub thinking: Option<String>,
    /// The mode, with its data.
    pub mode: Option<(String, Option<Value>)>,
    /// Stream rules that were already sent to the model.
    pub stream_rules: Vec<String>,
}

/// Cached messages of the path to one leaf. A turn only appends to them.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The leaf they belong to, if there are any.
    leaf: Option<Option<Position>>,
    messages: Vec<Arc<Message>>,
    /// Index of the first message after the last change to earlier messages.
    unchanged_from: usize,
}

impl Told {
    /// Builds the messages for the leaf. The newest compaction on the path contributes its summary, then what it kept,
    /// then later entries.
    pub(crate) fn at_leaf(&mut self, tree: &Tree, blobs: Option<&Blobs>) -> &[Arc<Message>] {
        let leaf = tree.leaf();
        if self.leaf != Some(leaf) {
            match self.added_since(tree, leaf) {
                Some(added) => {
                    let added =
                        added.into_iter().rev().filter_map(|at| message_for_model(read(tree, at, blobs)));
                    self.messages.extend(added.map(Arc::new));
                }
                None => self.tell(live(tree, leaf, blobs)),
            }
            self.leaf = Some(leaf);
        }
        &self.messages
    }

    /// Counts the messages that differ from those of the model's last response.
    pub(crate) fn unchanged_from(&self) -> usize {
        self.unchanged_from
    }

    fn tell(&mut self, live: Live) {
        let told = |entries: &[LiveEntry]| entries.iter().filter(|entry| entry.message.is_some()).count();
        let summary = live
            .compaction
            .map(|(timestamp, compaction)| summary_message(COMPACTED, &compaction.summary, &timestamp));
        self.unchanged_from = usize::from(summary.is_some()) + told(&live.entries[..live.unchanged_from]);
        let rest = live.entries.into_iter().filter_map(|entry| entry.message);
        self.messages = summary.into_iter().chain(rest).map(Arc::new).collect();
    }

    /// Returns the entries after the cached ones, newest first, if nothing else has changed.
    fn added_since(&self, tree: &Tree, leaf: Option<Position>) -> Option<Vec<Position>> {
        let told = self.leaf?;
        let mut added = Vec::new();
        let mut at = leaf;
        while at != told {
            let position = at?;
            if tree.changes_others(position) {
                return None;
            }
            added.push(position);
            at = tree.parent(position);
        }
        Some(added)
    }
}

/// Returns the settings at the end of a path.
pub(crate) fn state(tree: &Tree, leaf: Option<Position>) -> SessionState {
    let mut state = SessionState::default();
    let path = tree.path_to(leaf);
    // Of messages, the last response with a model tells all that counts; most of a session is messages.
    let last_answer = path.iter().rev().copied().find(|at| is_answer(tree, *at));
    for at in path.into_iter().filter(|at| !tree.is_message(*at) || Some(*at) == last_answer) {
        match read(tree, at, None).kind {
            EntryKind::ModelChange { model, role: None } => state.model = Some(model),
            EntryKind::Message(Message::Assistant(said)) if !said.provider.is_empty() => {
                state.model = Some(format!("{}/{}", said.provider, said.model));
            }
            EntryKind::Custom { custom_type, data } if custom_type == ENDPOINT => {
                let data = data.unwrap_or_default();
                state.endpoint = serde_json::from_value(data.clone()).ok();
                if let (Some(endpoint), Some(id)) = (&state.endpoint, data["model"].as_str()) {
                    state.model = Some(format!("{}/{id}", endpoint.provider));
                }
            }
            EntryKind::ThinkingChange { level } => state.thinking = Some(level),
            EntryKind::ModeChange { mode, data } => state.mode = Some((mode, data)),
            EntryKind::StreamRules { rules } => state.stream_rules.extend(rules),
            _ => {}
        }
    }
    let provider =
        state.model.as_deref().and_then(|model| model.split_once('/')).map(|(provider, _)| provider);
    // One of an earlier model says nothing about this one.
    state.endpoint = state.endpoint.filter(|endpoint| provider.is_none_or(|name| name == endpoint.provider));
    state
}

/// Returns whether an entry is a response of a known model.
fn is_answer(tree: &Tree, at: Position) -> bool {
    tree.is_message(at)
        && tree.line(at).contains("assistant")
        && matches!(
            read(tree, at, None).kind,
            EntryKind::Message(Message::Assistant(said)) if !said.provider.is_empty()
        )
}

/// Reads an entry with its images.
pub(crate) fn read(tree: &Tree, at: Position, blobs: Option<&Blobs>) -> Entry {
    // Most entries are messages without images, and are read without the detour over JSON values.
    let line = tree.line(at);
    if tree.is_message(at)
        && !line.contains("image")
        && let Some(entry) = read_message_line(&line)
    {
        return entry;
    }
    let mut line = Value::Object(tree.value(at));
    if let Some(blobs) = blobs {
        blobs.fetch_images(&mut line);
    }
    match line {
        Value::Object(fields) => read_entry(fields),
        // Restoring images replaces only image blocks, and an entry is not one.
        _ => read_entry(tree.value(at)),
    }
}

/// Converts an entry to a message for the model.
pub fn message_for_model(entry: Entry) -> Option<Message> {
    match entry.kind {
        EntryKind::Message(message) => Some(message),
        EntryKind::CustomMessage(custom) => {
            let mut input = InputMessage::new(custom.content);
            input.timestamp = milliseconds(&entry.timestamp);
            input.custom_type = Some(custom.custom_type);
            input.display = Some(custom.display);
            input.details = custom.details;
            Some(match custom.attribution.as_deref() {
                Some("user") => Message::User(input),
                _ => Message::Developer(input),
            })
        }
        EntryKind::BranchSummary(left) if !left.summary.trim().is_empty() => {
            Some(summary_message(LEFT_BRANCH, &left.summary, &entry.timestamp))
        }
        // An older compaction on the path; the newest summary covers it.
        _ => None,
    }
}

fn summary_message(introduction: &str, summary: &str, timestamp: &str) -> Message {
    let text = format!("{introduction}\n\n<summary>\n{summary}\n</summary>");
    let mut input = InputMessage::new(vec![ContentBlock::text(text)]);
    input.timestamp = milliseconds(timestamp);
    Message::User(input)
}

fn milliseconds(timestamp: &str) -> u64 {
    let parsed = timestamp.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
    parsed.ok().and_then(|time| u64::try_from(time).ok()).unwrap_or_default()
}
