//! Choice of the cut: entries before it are summarised, entries after it stay. A call is never separated from its
//! result.

use std::collections::HashMap;

use toolsmith_llm::{Message, message_tokens};
use toolsmith_session::LiveEntry;

/// A position to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The first entry that stays; past the end if none does.
    pub(super) first_kept: usize,
    /// Start of the turn that is split, if any.
    pub(super) turn_start: Option<usize>,
}

/// Finds the position that keeps about `keep` tokens of the newest entries: the first legal one after which no more are
/// left, or the start of a turn soon after it. Larger results stay with their calls, up to `most`. Returns `None` if
/// there is nothing to summarise.
pub(super) fn find(entries: &[LiveEntry], keep: u64, most: u64) -> Option<Cut> {
    let sizes: Vec<u64> =
        entries.iter().map(|entry| entry.message.as_ref().map_or(0, message_tokens)).collect();
    let mut sum = 0;
    let full = sizes.iter().rposition(|size| {
        sum += size;
        sum >= keep
    })?;
    let legal = legal_cuts(entries);
    let kept = |at: usize| sizes[at..].iter().sum::<u64>();
    let mut fitting = legal.iter().copied().filter(|at| *at >= full);
    // A turn is preferably kept whole, if enough remains.
    let whole = fitting.clone().find(|at| begins_turn(&entries[*at])).filter(|at| kept(*at) >= keep / 2);
    let cut = match (whole.or_else(|| fitting.next()), legal.last()) {
        (Some(at), _) => at,
        (None, Some(at)) if kept(*at) <= most => *at,
        (None, _) if ends_with_result(entries) => entries.len(),
        (None, _) => return None,
    };
    let first_kept = with_what_sets_the_scene(entries, cut);
    let turn_start = if entries.get(cut).is_some_and(begins_turn) {
        None
    } else {
        entries[..cut].iter().rposition(begins_turn)
    };
    entries[..first_kept]
        .iter()
        .any(|entry| entry.message.is_some())
        .then_some(Cut { first_kept, turn_start })
}

fn begins_turn(entry: &LiveEntry) -> bool {
    matches!(entry.message, Some(Message::User(_)))
}

fn ends_with_result(entries: &[LiveEntry]) -> bool {
    let last = entries.iter().rev().find_map(|entry| entry.message.as_ref());
    matches!(last, Some(Message::ToolResult(_)))
}

/// Returns every position with something before it where a non-result message begins and no call is separated from its
/// result.
fn legal_cuts(entries: &[LiveEntry]) -> Vec<usize> {
    let mut asked: HashMap<&str, usize> = HashMap::new();
    // The last result of the calls of each entry.
    let mut answered_until = vec![0; entries.len()];
    for (at, entry) in entries.iter().enumerate() {
        match &entry.message {
            Some(Message::Assistant(said)) => asked.extend(said.tool_calls().map(|call| (&*call.id, at))),
            Some(Message::ToolResult(result)) => {
                if let Some(call) = asked.get(result.tool_call_id.as_str()) {
                    answered_until[*call] = at;
                }
            }
            _ => {}
        }
    }
    let mut open_until = 0;
    let mut something_before = false;
    let mut cuts = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let Some(message) = &entry.message else { continue };
        if something_before && open_until < at && !matches!(message, Message::ToolResult(_)) {
            cuts.push(at);
        }
        something_before = true;
        open_until = open_until.max(answered_until[at]);
    }
    cuts
}

/// Entries such as model changes stay with what follows them.
fn with_what_sets_the_scene(entries: &[LiveEntry], cut: usize) -> usize {
    if cut == entries.len() {
        return cut;
    }
    entries[..cut].iter().rposition(|entry| entry.message.is_some()).map_or(0, |last| last + 1)
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
