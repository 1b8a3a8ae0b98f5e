//! Where conversations are cut, by their shape.

use proptest::prelude::*;
use serde_json::json;
use toolsmith_llm::{
    AssistantBlock, AssistantMessage, ContentBlock, Message, TextBlock, ToolCall, ToolResultMessage,
};

use super::{Cut, LiveEntry, find};

/// `u` a prompt, `a` an answer, `c` a call, `r` its result, `d` a reminder, `m` a change of the model; each 10 tokens.
fn conversation(kinds: &str) -> Vec<LiveEntry> {
    let text = "x".repeat(40);
    let mut open = Vec::new();
    let entries = kinds.chars().enumerate().map(|(at, kind)| {
        let message = match kind {
            'u' => Some(Message::user(&text)),
            'd' => Some(Message::developer(&text)),
            'a' | 'c' => {
                let mut said = AssistantMessage::default();
                let mut block = TextBlock::default();
                block.text.clone_from(&text);
                said.content = vec![AssistantBlock::Text(block)];
                if kind == 'c' {
                    let id = format!("call-{at}");
                    said.content.push(AssistantBlock::ToolCall(ToolCall::new(&id, "", json!(0))));
                    open.insert(0, id);
                }
                Some(Message::Assistant(said))
            }
            'r' => {
                let id = open.pop().unwrap_or_default();
                Some(Message::ToolResult(ToolResultMessage::new(id, "t", vec![ContentBlock::text(&text)])))
            }
            _ => None,
        };
        LiveEntry { id: format!("{at}"), message }
    });
    entries.collect()
}

fn cut(kinds: &str, keep: u64) -> Option<(usize, Option<usize>)> {
    find(&conversation(kinds), keep, 1000).map(|Cut { first_kept, turn_start }| (first_kept, turn_start))
}

#[test]
fn cuts_at_the_first_place_that_keeps_no_more_than_wanted() {
    assert_eq!(cut("uauaua", 20), Some((4, None)));
    assert_eq!(cut("uauaua", 21), Some((4, None)), "a turn is better left whole");
    assert_eq!(cut("uaaaaua", 50), Some((2, Some(0))), "unless too little would be kept");
    assert_eq!(cut("uauaua", 10), Some((5, Some(4))));
    assert_eq!(cut("uauaua", 1), Some((5, Some(4))));
}

#[test]
fn nothing_is_cut_where_all_of_it_is_kept() {
    assert_eq!(cut("uaua", 41), None);
    assert_eq!(cut("", 0), None);
    assert_eq!(cut("mmm", 0), None);
    assert_eq!(cut("u", 1), None);
}

#[test]
fn a_result_stays_with_its_call() {
    assert_eq!(cut("ucrcru", 11), Some((5, None)), "the result before the prompt is no place to cut");
    assert_eq!(cut("ucrcra", 31), Some((3, Some(0))));
    // Nothing legal is newer, so the call comes along.
    assert_eq!(cut("uaucr", 5), Some((3, Some(2))));
}

#[test]
fn results_that_would_not_fit_go_with_their_call() {
    let found = find(&conversation("uaucr"), 5, 15).unwrap();
    assert_eq!(found, Cut { first_kept: 5, turn_start: Some(2) });
}

#[test]
fn a_turn_that_is_cut_in_two_begins_with_its_prompt() {
    assert_eq!(cut("uaucrdcra", 25), Some((6, Some(2))));
    assert_eq!(cut("dcra", 10), Some((3, None)), "nobody prompted");
}

#[test]
fn changes_of_the_model_stay_with_what_follows() {
    assert_eq!(cut("uammua", 20), Some((2, None)));
}

proptest! {
    #[test]
    fn c7_no_cut_splits_a_call_from_its_result(kinds in "[uacrdm]{0,40}", keep in 0_u64..400, most in 0_u64..400) {
        let entries = conversation(&kinds);
        if let Some(cut) = find(&entries, keep, most) {
            prop_assert!(cut.first_kept > 0 && cut.first_kept <= entries.len());
            prop_assert!(cut.turn_start.is_none_or(|start| start < cut.first_kept));
            let (before, after) = entries.split_at(cut.first_kept);
            let calls: Vec<&str> = before.iter().filter_map(|entry| match &entry.message {
                Some(Message::Assistant(said)) => said.tool_calls().next().map(|call| call.id.as_str()),
                _ => None,
            }).collect();
            for entry in after {
                if let Some(Message::ToolResult(result)) = &entry.message {
                    prop_assert!(!calls.contains(&result.tool_call_id.as_str()), "{kinds} {cut:?}");
                }
            }
            let first = after.iter().find_map(|entry| entry.message.as_ref());
            prop_assert!(!matches!(first, Some(Message::ToolResult(_))), "{kinds} {cut:?}");
        }
    }
}
