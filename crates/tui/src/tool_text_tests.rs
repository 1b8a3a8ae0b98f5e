//! Texts of tools are cut where they arrive (CONTRACT 9.2).

use std::time::{Duration, Instant};

use super::*;

#[test]
fn c9_2_a_line_of_a_tool_is_cut_to_what_a_screen_can_show() {
    assert_eq!(row(&"漢".repeat(1_000_000)).width(), MAX_COLUMNS);
    assert_eq!(line("first\nsecond"), "first");
    assert!(line(&"ä".repeat(1_000_000)).len() <= MAX_LINE);
    assert_eq!(row("\x1b[31mred\x1b[0m").text(), "red");
}

#[test]
fn c9_2_a_widget_keeps_a_bounded_number_of_rows() {
    let lines = vec!["x".repeat(500); 20_000];
    assert_eq!(rows(&lines, MAX_WIDGET_ROWS).len(), MAX_WIDGET_ROWS);
}

#[test]
fn a_long_text_ends_with_an_ellipsis_and_a_short_one_is_unchanged() {
    assert_eq!(shown("Sure?\nReally?"), "Sure?\nReally?");
    let cut = shown(&"ä".repeat(1_000_000));
    assert!(cut.ends_with('…'));
    assert_eq!(cut.chars().count(), MAX_TEXT + 1);
}

#[test]
fn notices_are_limited_per_second() {
    let (mut limit, start) = (NoticeLimit::default(), Instant::now());
    for _ in 0..MAX_NOTICES {
        assert_eq!(limit.pass("text", start), Notice::Text("text".to_owned()));
    }
    assert!(matches!(limit.pass("text", start), Notice::Last(_)));
    assert_eq!(limit.pass("text", start), Notice::None);
    let later = start + Duration::from_secs(1);
    assert_eq!(limit.pass("text", later), Notice::Text("text".to_owned()));
}

#[test]
fn c9_2_notices_of_a_second_share_their_characters() {
    let (mut limit, now) = (NoticeLimit::default(), Instant::now());
    let long = "x".repeat(1_000_000);
    let mut lengths = Vec::new();
    while let Notice::Text(text) = limit.pass(&long, now) {
        lengths.push(text.chars().count());
    }
    assert_eq!(lengths.first(), Some(&(MAX_NOTICE + 1)));
    assert!(lengths.iter().skip(1).all(|length| *length == MIN_NOTICE + 1));
}
