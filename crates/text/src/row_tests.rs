//! Rows of wide, hostile and styled text.

use proptest::prelude::*;

use super::*;
use crate::style::Color;

const RED: Style = Style::PLAIN.fg(Color::Indexed(1));

#[test]
fn c9_1_a_span_has_no_character_that_a_terminal_obeys() {
    let row = Row::plain("a\x1b[2J\r\n\u{9b}1mb\tc\u{202e}d\u{7}");
    assert_eq!(row.text(), "a[2J1mb   cd");
    assert_eq!(Span::new("x", RED).link("https://e\x1b").link, None);
}

#[test]
fn rows_are_cut_padded_and_split_by_columns() {
    let row = Row::plain("日本").and("語x", RED);
    assert_eq!(row.width(), 7);
    assert_eq!(row.clone().cut(5).text(), "日本");
    assert_eq!(row.clone().ellipsized(6).text(), "日本…");
    assert_eq!(row.clone().cut(0).text(), "");
    assert_eq!(row.clone().ellipsized(0).text(), "");
    assert_eq!(row.clone().padded(9, Style::PLAIN).width(), 9);
    let (before, after) = row.split(6);
    assert_eq!((before.text().as_str(), after.text().as_str()), ("日本語", "x"));
}

#[test]
fn words_wrap_and_keep_their_style() {
    let rows = Row::plain("the quick ").and("brown fox", RED).wrap(10);
    assert_eq!(rows.iter().map(Row::text).collect::<Vec<_>>(), ["the quick", "brown fox"]);
    assert_eq!(rows[1].spans()[0].style, RED);
    assert_eq!(Row::new().wrap(5), [Row::new()]);
    assert_eq!(Row::plain("abcdefgh").wrap(3).len(), 3);
    assert_eq!(Row::plain("日本").wrap(1).len(), 1, "a wide character does not fit one column");
}

#[test]
fn escape_sequences_are_written_for_the_depth_and_closed() {
    let row = Row::from(vec![Span::new("a", RED), Span::new("b", RED).link("https://e")]);
    assert_eq!(row.to_ansi(ColorDepth::Ansi16), "\x1b[0;31ma\x1b]8;;https://e\x1b\\b\x1b]8;;\x1b\\\x1b[0m");
    assert_eq!(Row::plain("x").to_ansi(ColorDepth::TrueColor), "x");
    assert_eq!(Row::styled("x", RED).to_ansi(ColorDepth::None), "x");
}

proptest! {
    #[test]
    fn c6_3_nothing_is_ever_wider_than_asked(text in "\\PC{0,60}|[日本👩‍👧e\u{301}\u{fe0f}❤ \t]{0,60}", columns in 0usize..30) {
        let row = Row::plain(&text);
        prop_assert!(row.clone().cut(columns).width() <= columns);
        prop_assert!(row.clone().ellipsized(columns).width() <= columns);
        for wrapped in row.wrap(columns) {
            prop_assert!(wrapped.width() <= columns.max(1));
        }
    }
}

#[test]
fn a_row_breaks_at_the_column_wherever_its_spans_begin() {
    let bold = Style::PLAIN.bold();
    let row = Row::plain("abc").and("de", bold).and("日本x", Style::PLAIN).and("", bold).and("fghij", bold);
    let rows: Vec<String> = row.hard_wrap(4).iter().map(Row::text).collect();
    assert_eq!(rows, ["abcd", "e日", "本xf", "ghij"]);
    assert_eq!(Row::plain("日a").hard_wrap(1).iter().map(Row::text).collect::<Vec<_>>(), ["日", "a"]);
    assert_eq!(Row::plain("abcd").hard_wrap(4).len(), 1);
    assert_eq!(Row::new().hard_wrap(4).len(), 1);
    let starts = crate::row_starts("abcdef\n\n日本", 3);
    assert_eq!(starts, [0, 3, 7, 8, 11]);
}
