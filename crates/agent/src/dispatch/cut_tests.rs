//! Tests of cutting long output.

use std::fs;

use serde_json::json;

use super::*;

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

fn cut(text: &str, cut: OutputCut, keep: Keep) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let (result, file) = cut.apply(ToolResult::text(text), keep, Some(folder.path()));
    let saved = file.map(|file| std::fs::read_to_string(file).unwrap()).unwrap_or_default();
    (result.joined_text(), saved)
}

#[test]
fn c4_9_what_fits_is_not_touched() {
    let text = numbered(10);
    assert_eq!(cut(&text, OutputCut::new(1000, 10), Keep::Ends), (text, String::new()));
}

#[test]
fn c4_9_the_middle_goes_and_the_whole_is_in_the_file() {
    let text = numbered(100);
    let (shown, saved) = cut(&text, OutputCut::new(10_000, 10), Keep::Ends);
    assert_eq!(saved, text);
    assert!(shown.starts_with("line 1\nline 2\nline 3\nline 4\nline 5\n[90 lines, "), "{shown}");
    assert!(shown.ends_with("]\nline 96\nline 97\nline 98\nline 99\nline 100\n"), "{shown}");
    assert!(shown.contains("left out of 100 lines, 792 bytes; the whole output is in "), "{shown}");
}

#[test]
fn c4_9_a_tool_says_which_end_matters() {
    let text = numbered(100);
    let (shown, _) = cut(&text, OutputCut::new(10_000, 10), Keep::Head);
    assert!(shown.contains("line 10\n[90 lines") && shown.ends_with(']'), "{shown}");
    let (shown, _) = cut(&text, OutputCut::new(10_000, 10), Keep::Tail);
    assert!(shown.starts_with("line 1\n[90 lines") && shown.contains("]\nline 92\n"), "{shown}");
}

#[test]
fn c4_9_one_endless_line_is_cut_between_characters() {
    let text = "ä".repeat(1000);
    let (shown, saved) = cut(&text, OutputCut::new(101, 10), Keep::Ends);
    assert_eq!(saved, text);
    assert!(shown.len() < 101 + 300 && shown.starts_with("ää") && shown.ends_with("ää"), "{shown}");
}

#[test]
fn c4_9_images_stay_and_texts_become_one() {
    let image = ContentBlock::Image { data: "AAAA".to_owned(), mime_type: "image/png".to_owned() };
    let result = ToolResult {
        content: vec![ContentBlock::text(numbered(5)), image.clone(), ContentBlock::text(numbered(5))],
        ..ToolResult::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let (result, _) = OutputCut::new(1000, 6).apply(result, Keep::Ends, Some(folder.path()));
    assert_eq!(result.content.len(), 2);
    assert_eq!(result.content[1], image);
}

#[test]
fn c4_9_a_file_the_tool_already_wrote_is_named_and_not_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let result = ToolResult::text(numbered(100)).with_details(json!({ FULL_OUTPUT: "/somewhere/whole.txt" }));
    let (result, file) = OutputCut::new(1000, 6).apply(result, Keep::Ends, Some(folder.path()));
    assert!(result.joined_text().contains("the whole output is in /somewhere/whole.txt]"));
    assert_eq!(file.as_deref(), Some(Path::new("/somewhere/whole.txt")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn c4_9_a_folder_that_cannot_be_written_costs_the_file_only() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let bad = folder.path().join("file/below");
    let cut = OutputCut::new(100, 6).folder(&bad);
    let (result, file) = cut.apply(ToolResult::text(numbered(100)), Keep::Ends, Some(&bad));
    assert!(file.is_none());
    assert!(result.joined_text().contains("the whole output could not be saved]"));
}

#[test]
fn c4_9_a_folder_that_is_not_there_yet_is_made_and_one_that_cannot_be_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (new, spare) = (folder.path().join("session/artifacts"), folder.path().join("spare"));
    let cut = OutputCut::new(100, 6).folder(&spare);
    let (_, file) = cut.apply(ToolResult::text(numbered(100)), Keep::Ends, Some(&new));
    assert!(file.unwrap().starts_with(&new));
    fs::write(folder.path().join("file"), "").unwrap();
    let (_, file) =
        cut.apply(ToolResult::text(numbered(100)), Keep::Ends, Some(&folder.path().join("file/below")));
    assert!(file.unwrap().starts_with(&spare));
}

proptest::proptest! {
    #[test]
    fn c4_9_what_is_shown_is_both_ends_and_no_more_than_allowed(
        text in "([aä]{0,6}\n?){0,60}",
        bytes in 0..200_usize,
        lines in 0..20_usize,
        keep in proptest::sample::select(vec![Keep::Head, Keep::Tail, Keep::Ends]),
    ) {
        let shown = OutputCut::new(bytes, lines).cut_text(&text, keep, None, false);
        let at = shown.find('[').unwrap();
        let end = shown.find(']').unwrap();
        let (head, tail) = (&shown[..at], shown[end + 1..].strip_prefix('\n').unwrap_or(""));
        let head = if text.starts_with(head) { head } else { head.strip_suffix('\n').unwrap() };
        proptest::prop_assert!(text.starts_with(head) && text.ends_with(tail), "{shown}");
        // The newline before the notice may look like one of the text.
        proptest::prop_assert!(head.len() + tail.len() <= bytes + 1, "{shown}");
        proptest::prop_assert!(count_lines(head) + count_lines(tail) <= lines.max(1), "{shown}");
    }
}
