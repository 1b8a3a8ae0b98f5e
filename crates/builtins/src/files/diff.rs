//! What changed in a file, for people: never sent to a model.

use std::time::Duration;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

/// Finding the smallest difference of large files takes for ever; a larger one will do after this.
const TIMEOUT: Duration = Duration::from_millis(300);
const CONTEXT: usize = 3;
/// A diff for the result.
const MAX_BYTES: usize = 100_000;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diff {
    /// In unified form.
    pub(crate) diff: String,
    pub(crate) first_changed_line: usize,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

pub(crate) fn diff(name: &str, old: &str, new: &str) -> Diff {
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(old, new);
    let (mut added, mut removed, mut first) = (0, 0, None);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
        }
        first = first.or_else(|| change.new_index().or(change.old_index()));
    }
    let mut text = diff
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string();
    if text.len() > MAX_BYTES {
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        text.push_str("\n[cut]\n");
    }
    Diff { diff: text, first_changed_line: first.unwrap_or(0) + 1, added, removed }
}
