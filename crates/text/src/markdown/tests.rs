//! Markdown at widths, and while it grows.

use proptest::prelude::*;

use super::{tree::parse, *};
use crate::{row::Row, style::ColorDepth, theme::Theme};

fn drawn(text: &str, columns: usize) -> Vec<String> {
    markdown_rows(text, columns, &Theme::none(), MarkdownOptions::default()).iter().map(Row::text).collect()
}

const SAMPLE: &str = "# Title\n\nSome *text* with `code` and a [link](https://e.x).\n\n- one\n- two\n  - nested\n\n\
1. first\n2. second\n\n> quoted\n> more\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|--:|\n| 1 | 22 |\n\n---\n\nend";

#[test]
fn every_kind_of_block_is_drawn() {
    let expected = [
        "Title",
        "",
        "Some text with code and a link (https://e.x).",
        "",
        "• one",
        "• two",
        "  • nested",
        "",
        "1. first",
        "2. second",
        "",
        "│ quoted more",
        "",
        "```rust",
        "  fn main() {}",
        "```",
        "",
        "┌───┬────┐",
        "│ a │  b │",
        "├───┼────┤",
        "│ 1 │ 22 │",
        "└───┴────┘",
        "",
        &"─".repeat(50),
        "",
        "end",
    ];
    assert_eq!(drawn(SAMPLE, 50), expected);
}

#[test]
fn tables_wrap_their_cells_and_become_lists_where_they_do_not_fit() {
    let table = "| name | what it does |\n|---|---|\n| read | reads a file from the disk |";
    let narrow = drawn(table, 24);
    assert!(narrow.iter().all(|row| crate::width(row) <= 24), "{narrow:#?}");
    assert!(narrow.iter().any(|row| row.contains("reads a")), "{narrow:#?}");
    assert_eq!(drawn(table, 10)[0], "name: read");
}

#[test]
fn nested_and_empty_input_is_bounded() {
    assert_eq!(drawn("", 10), Vec::<String>::new());
    assert!(!drawn(&"> ".repeat(5_000), 10).iter().any(|row| crate::width(row) > 10));
    assert!(!parse(&"- ".repeat(5_000)).is_empty());
    assert!(!drawn(&format!("{}x", "*".repeat(10_000)), 5).is_empty());
}

#[test]
fn roles_are_named_for_components() {
    let json = markdown_json("# T\n\na **b** `c` [d](https://e)", 40);
    assert_eq!(
        json,
        r#"[[{"text":"T","role":"mdHeading","bold":true,"underline":true}],[],[{"text":"a "},{"text":"b","bold":true},{"text":" "},{"text":"c","role":"mdCode"},{"text":" "},{"text":"d","role":"mdLink","underline":true,"link":"https://e"},{"text":" (https://e)","role":"mdLinkUrl"}]]"#
    );
}

fn streamed(text: &str, chunk: usize, columns: usize, force: usize) -> Vec<Row> {
    let theme = Theme::none();
    let mut stream = MarkdownStream::new(MarkdownOptions::default());
    let mut rows = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    for (at, part) in chars.chunks(chunk.max(1)).enumerate() {
        stream.push(&part.iter().collect::<String>());
        rows.extend(stream.take_finished(columns, &theme));
        // The tail and what was taken are always the whole.
        let _ = stream.tail(columns, &theme);
        if force > 0 && at % 7 == 6 && stream.tail(columns, &theme).len() > force {
            rows.extend(stream.take_rows(1, columns, &theme));
        }
    }
    rows.extend(stream.finish(columns, &theme));
    assert!(stream.is_empty());
    rows
}

#[test]
fn rows_taken_while_a_text_grows_are_the_rows_of_the_whole() {
    let whole = markdown_rows(SAMPLE, 40, &Theme::none(), MarkdownOptions::default());
    for chunk in [1, 2, 3, 7, 50, 1000] {
        let rows: Vec<String> =
            streamed(SAMPLE, chunk, 40, 0).iter().map(|row| row.to_ansi(ColorDepth::TrueColor)).collect();
        let expected: Vec<String> = whole.iter().map(|row| row.to_ansi(ColorDepth::TrueColor)).collect();
        assert_eq!(rows, expected, "in pieces of {chunk}");
    }
}

#[test]
fn a_block_taller_than_the_screen_is_taken_row_by_row() {
    let code =
        format!("```\n{}\n```\n\nend", (0..100).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n"));
    let rows = streamed(&code, 9, 40, 5);
    let expected = markdown_rows(&code, 40, &Theme::none(), MarkdownOptions::default());
    assert_eq!(
        rows.iter().map(Row::text).collect::<Vec<_>>(),
        expected.iter().map(Row::text).collect::<Vec<_>>()
    );
}

#[test]
fn taking_rows_survives_a_change_of_the_width() {
    let theme = Theme::none();
    let mut stream = MarkdownStream::new(MarkdownOptions::default());
    stream.push("one two three four five six seven eight");
    let first = stream.take_rows(1, 10, &theme);
    assert_eq!(first[0].text(), "one two");
    let rest: Vec<String> = stream.finish(20, &theme).iter().map(Row::text).collect();
    assert!(
        rest.join(" ").ends_with("eight") && rest.join(" ").contains("three"),
        "nothing is lost: {rest:?}"
    );
}

proptest! {
    #[test]
    fn no_row_is_wider_than_asked(text in "[-*_`#>|~\\[\\]() \n\ta-z0-9日本👩‍👧\x1b]{0,200}", columns in 1usize..40) {
        for row in markdown_rows(&text, columns, &Theme::dark(), MarkdownOptions::default()) {
            prop_assert!(row.width() <= columns.max(8), "{:?}", row.text());
            prop_assert!(!row.text().contains(char::is_control));
        }
    }

    #[test]
    fn pieces_lose_no_text(text in "[-*`#>| \na-z]{0,200}", chunk in 1usize..20) {
        let letters = |rows: &[Row]| rows.iter().map(Row::text).collect::<String>().replace([' ', '\n'], "");
        let whole = letters(&markdown_rows(&text, 30, &Theme::none(), MarkdownOptions::default()));
        let taken = letters(&streamed(&text, chunk, 30, 0));
        // Marks may be read differently once their context is gone; letters must stay.
        let only = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        prop_assert_eq!(only(&taken), only(&whole));
    }
}

#[test]
fn c9_2_much_text_is_taken_in_parts_and_whole() {
    for separator in [" ", "\n", "\n\n", ""] {
        let text: String = (0..200_000).map(|number| format!("w{number}{separator}")).collect();
        let mut stream = MarkdownStream::new(MarkdownOptions::default());
        stream.push(&text);
        let (mut rows, mut parts) = (Vec::new(), 0);
        while stream.has_backlog() {
            rows.extend(stream.take_finished(80, &Theme::none()));
            parts += 1;
            assert!(parts < 100);
        }
        rows.extend(stream.finish(80, &Theme::none()));
        assert!(parts >= 10, "{parts} parts");
        let words = |text: String| text.split_whitespace().collect::<String>();
        let taken = rows.iter().map(Row::text).collect::<Vec<_>>().join(" ");
        assert_eq!(words(taken), words(text), "{separator:?}");
        let mut stream = MarkdownStream::new(MarkdownOptions::default());
        stream.push(&"word ".repeat(1 << 20));
        assert!(stream.tail(80, &Theme::none()).len() < 5000);
        assert!(stream.drop_backlog() > 0 && !stream.has_backlog());
    }
}
