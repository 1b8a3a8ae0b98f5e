//! Which output is left out.

use toolsmith_llm::{ContentBlock, Message, ToolResultMessage};

use super::{LiveEntry, find};

/// Results of so many thousand tokens each, oldest first.
fn results(sizes: &[(&str, usize)]) -> Vec<LiveEntry> {
    let entries = sizes.iter().enumerate().map(|(at, (tool, thousands))| {
        let text = ContentBlock::text("x".repeat(thousands * 4000));
        let result = ToolResultMessage::new("", *tool, vec![text]);
        LiveEntry { id: format!("{at}"), message: Some(Message::ToolResult(result)) }
    });
    entries.collect()
}

fn pruned(sizes: &[(&str, usize)]) -> Option<(Vec<String>, u64)> {
    find(&results(sizes)).map(|prune| (prune.entry_ids, prune.saved))
}

#[test]
fn the_newest_output_stays() {
    assert_eq!(pruned(&[("bash", 30), ("bash", 20), ("bash", 20)]), Some((vec!["0".to_owned()], 29_990)));
    assert_eq!(pruned(&[("bash", 30), ("bash", 39)]), None);
    assert_eq!(pruned(&[]), None);
}

#[test]
fn a_little_is_not_worth_it() {
    assert_eq!(pruned(&[("bash", 19), ("bash", 40)]), None);
    let both = pruned(&[("bash", 11), ("grep", 11), ("bash", 40)]);
    assert_eq!(both, Some((vec!["1".to_owned(), "0".to_owned()], 21_980)));
}

#[test]
fn files_that_were_read_stay_and_count_as_newer_output() {
    assert_eq!(pruned(&[("read", 30), ("bash", 40)]), None);
    assert_eq!(pruned(&[("bash", 30), ("read", 40)]), Some((vec!["0".to_owned()], 29_990)));
}
