//! Where a conversation is cut: what is before is summed up, what is after stays. A call is never cut off from its result.

use std::collections::HashMap;

use toolsmith_llm::Message;

use super::estimate::message_tokens;
use crate::session::LiveEntry;

/// A place to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The first entry that stays; past the end when none does.
    pub(super) first_kept: usize,
    /// Where the turn began that is cut in two, if one is.
    pub(super) turn_start: Option<usize>,
}

/// Finds the place that keeps about `keep` tokens of the newest entries: the first legal one after which no more are left,
/// or the beginning of a turn soon after it. Results of calls that are more than that stay with their calls, up to `most`.
/// `None` when there is nothing to sum up.
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
    // A turn is better left whole, if enough is kept even so.
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

/// Every place with something before it where a message begins that is no result, and no call before it has its result
/// behind it.
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

/// Changes of the model and the like stay with what follows them.
fn with_what_sets_the_scene(entries: &[LiveEntry], cut: usize) -> usize {
    if cut == entries.len() {
        return cut;
    }
    entries[..cut].iter().rposition(|entry| entry.message.is_some()).map_or(0, |last| last + 1)
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
