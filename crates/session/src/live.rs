//! The part of a path that the model receives: after the newest compaction, without pruned output. The entries
//! themselves stay unchanged for tools and people.

use std::collections::HashSet;

use serde_json::{Value, json};
use toolsmith_llm::{ContentBlock, Message};

use super::{
    blobs::Blobs,
    context::{message_for_model, read},
    entry::{Compaction, EntryKind},
    tree::{Position, Tree},
};

/// `customType` of the entry that lists pruned output.
pub(crate) const LEFT_OUT: &str = "toolsmith.left_out";

/// The part of the path that the model receives.
#[derive(Debug, Default)]
pub struct Live {
    /// The newest compaction on the path, and its time.
    pub compaction: Option<(String, Compaction)>,
    /// The entries from the first that was kept on, without the compaction.
    pub entries: Vec<LiveEntry>,
    /// Index of the first entry after the last change to earlier ones.
    pub unchanged_from: usize,
}

/// An entry and its message for the model.
#[derive(Clone, Debug)]
pub struct LiveEntry {
    /// Id of the entry.
    pub id: String,
    /// The message; `None` if the entry has none.
    pub message: Option<Message>,
}

/// Creates the entry that prunes the output of these results.
pub fn leave_out(results: &[String]) -> EntryKind {
    EntryKind::Custom { custom_type: LEFT_OUT.to_owned(), data: Some(json!({ "entryIds": results })) }
}

pub(crate) fn live(tree: &Tree, leaf: Option<Position>, blobs: Option<&Blobs>) -> Live {
    let path = tree.path_to(leaf);
    let mut compaction = None;
    let mut left_out = HashSet::new();
    let mut changed = 0;
    for (index, at) in path.iter().enumerate() {
        if !tree.changes_others(*at) {
            continue;
        }
        let entry = read(tree, *at, None);
        match entry.kind {
            EntryKind::Compaction(found) => compaction = Some((index, entry.timestamp, found)),
            EntryKind::Custom { custom_type, data } if custom_type == LEFT_OUT => {
                left_out.extend(ids_in(data.as_ref()));
            }
            _ => continue,
        }
        changed = index + 1;
    }
    let (before, after, compaction) = match compaction {
        None => (&path[..0], &path[..], None),
        Some((index, timestamp, compaction)) => {
            let is_first = |at: &Position| tree.id(*at) == compaction.first_kept_entry_id;
            let kept = path[..index].iter().position(is_first).unwrap_or(index);
            (&path[kept..index], &path[index + 1..], Some((timestamp, compaction)))
        }
    };
    let entries = before.iter().chain(after).map(|at| {
        let entry = read(tree, *at, blobs);
        let id = entry.id.clone();
        let mut message = message_for_model(entry);
        if let Some(Message::ToolResult(result)) = &mut message
            && left_out.contains(&id)
        {
            result.content = vec![ContentBlock::text(notice(&result.content))];
        }
        LiveEntry { id, message }
    });
    let entries: Vec<_> = entries.collect();
    let since = path.len() - changed;
    Live { compaction, unchanged_from: entries.len().saturating_sub(since), entries }
}

fn ids_in(data: Option<&Value>) -> Vec<String> {
    let ids = data.and_then(|data| data["entryIds"].as_array());
    ids.into_iter().flatten().filter_map(|id| id.as_str().map(str::to_owned)).collect()
}

fn notice(content: &[ContentBlock]) -> String {
    format!("[Output truncated - {} tokens]", toolsmith_llm::content_tokens(content))
}
