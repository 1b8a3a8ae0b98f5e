//! What the model is told: the path from the beginning to the leaf as messages, and the settings it ends with.

use std::sync::Arc;

use serde_json::Value;
use toolsmith_llm::{ContentBlock, Endpoint, InputMessage, Message};

use super::{
    blobs::Blobs,
    entry::{ENDPOINT, Entry, EntryKind},
    format::read_entry,
    live::{Live, LiveEntry, live, may_change_others},
    tree::{Position, Tree},
};

const COMPACTED: &str = "The conversation before this point was compacted into this summary:";
const LEFT_BRANCH: &str =
    "The conversation went another way before it came back to this point. A summary of that:";

/// The settings that hold at the leaf.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionState {
    /// The model, `provider/id`: the last one that was chosen or that answered.
    pub model: Option<String>,
    /// Where that model was asked; `None` when the session does not say.
    pub endpoint: Option<Endpoint>,
    /// The thinking level.
    pub thinking: Option<String>,
    /// The mode, with its data.
    pub mode: Option<(String, Option<Value>)>,
    /// Stream rules that were shown to the model already.
    pub stream_rules: Vec<String>,
}

/// The messages of the path to one leaf. A turn only adds to them, so they are made once.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The leaf they are for, once there are any.
    leaf: Option<Option<Position>>,
    messages: Vec<Arc<Message>>,
    /// The first of them that came after the last change to what the model is told.
    unchanged_from: usize,
}

impl Told {
    /// What the model is told at the leaf. The newest compaction on the path gives its summary, then what it kept, then
    /// what came after.
    pub(crate) fn at_leaf(&mut self, tree: &Tree, blobs: Option<&Blobs>) -> &[Arc<Message>] {
        let leaf = tree.leaf();
        if self.leaf != Some(leaf) {
            match self.added_since(tree, leaf) {
                Some(added) => {
                    let added = added.into_iter().rev().filter_map(|at| told_message(read(tree, at, blobs)));
                    self.messages.extend(added.map(Arc::new));
                }
                None => self.tell(live(tree, leaf, blobs)),
            }
            self.leaf = Some(leaf);
        }
        &self.messages
    }

    /// How many of the messages were told differently before, the last time the model answered.
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

    /// The entries after those told, newest first, if nothing else has changed.
    fn added_since(&self, tree: &Tree, leaf: Option<Position>) -> Option<Vec<Position>> {
        let told = self.leaf?;
        let mut added = Vec::new();
        let mut at = leaf;
        while at != told {
            let position = at?;
            if may_change_others(tree, position) {
                return None;
            }
            added.push(position);
            at = tree.parent(position);
        }
        Some(added)
    }
}

/// The settings at the end of a path.
pub(crate) fn state(tree: &Tree, leaf: Option<Position>) -> SessionState {
    let mut state = SessionState::default();
    for at in tree.path_to(leaf) {
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

/// An entry with its images brought back.
pub(crate) fn read(tree: &Tree, at: Position, blobs: Option<&Blobs>) -> Entry {
    let mut line = Value::Object(tree.value(at));
    if let Some(blobs) = blobs {
        blobs.fetch_images(&mut line);
    }
    match line {
        Value::Object(fields) => read_entry(fields),
        // Fetching images replaces image blocks only, and an entry is none.
        _ => read_entry(tree.value(at)),
    }
}

/// What the model is told of an entry.
pub(crate) fn told_message(entry: Entry) -> Option<Message> {
    match entry.kind {
        EntryKind::Message(message) => Some(message),
        EntryKind::CustomMessage(custom) => {
            let mut input = InputMessage::new(custom.content);
            input.timestamp = milliseconds(&entry.timestamp);
            Some(match custom.attribution.as_deref() {
                Some("user") => Message::User(input),
                _ => Message::Developer(input),
            })
        }
        EntryKind::BranchSummary(left) if !left.summary.trim().is_empty() => {
            Some(summary_message(LEFT_BRANCH, &left.summary, &entry.timestamp))
        }
        // An older compaction on the path; the newest one's summary covers it.
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
