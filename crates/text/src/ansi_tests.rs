//! Lines of tools as rows.

use proptest::prelude::*;

use super::*;
use crate::style::ColorDepth;

#[test]
fn colours_and_links_become_styles() {
    let row =
        parse_row("a\x1b[1;38;2;1;2;3mb\x1b[22;39;48;5;200mc\x1b[0md\x1b]8;;https://e\x07e\x1b]8;;\x07f");
    let spans: Vec<_> =
        row.spans().iter().map(|span| (span.text(), span.style, span.link.as_deref())).collect();
    assert_eq!(
        spans,
        [
            ("a", Style::PLAIN, None),
            ("b", Style::PLAIN.fg(Color::Rgb(1, 2, 3)).bold(), None),
            ("c", Style::PLAIN.bg(Color::Indexed(200)), None),
            ("d", Style::PLAIN, None),
            ("e", Style::PLAIN, Some("https://e")),
            ("f", Style::PLAIN, None),
        ]
    );
}

#[test]
fn c9_1_cursor_movement_titles_and_the_clipboard_are_dropped() {
    for hostile in [
        "\x1b[2J",
        "\x1b[10;10H",
        "\x1b]0;t\x07",
        "\x1b]52;c;eA==\x07",
        "\x1bc",
        "\x1b[?1049h",
        "\u{9b}H",
        "\x1bPq\x1b\\",
    ] {
        assert_eq!(parse_row(&format!("a{hostile}b")).text(), "ab", "{hostile:?}");
    }
    assert_eq!(parse_row("\x1b[8mhidden").spans()[0].style, Style::PLAIN, "hidden text is shown");
}

#[test]
fn the_cursor_marker_is_found_and_removed() {
    let drawn = parse_drawn(&format!("\x1b[31m日x\x1b[0m{CURSOR_MARKER}\x1b[7m \x1b[27m"));
    assert_eq!(drawn.cursor, Some(3));
    assert_eq!(drawn.row.text(), "日x ");
    assert_eq!(parse_drawn("x").cursor, None);
}

#[test]
fn a_style_continues_over_lines_of_a_text() {
    let rows = parse_text("\x1b[31ma\nb\x1b[0m\nc");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1].spans()[0].style.fg, Color::Indexed(1));
    assert_eq!(rows[2].spans()[0].style, Style::PLAIN);
}

proptest! {
    #[test]
    fn c9_1_no_input_yields_a_control_character(text in "(\x1b|\\[|\\]|[0-9;:mHJ8]|\u{7}|\u{9b}|\\\\|[a-z\n\r\t])*") {
        for row in parse_text(&text) {
            prop_assert!(!row.text().contains(char::is_control));
            let again = parse_row(&row.to_ansi(ColorDepth::TrueColor));
            prop_assert_eq!(again.text(), row.text());
        }
    }
}
