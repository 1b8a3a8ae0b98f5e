//! CONTRACT 5.8: nothing in a text can hide itself, or pass for something else.

use super::*;

fn rows(text: &str, limits: BlockLimits) -> Vec<String> {
    VisibleBlock::new(text, limits).rows.iter().map(BlockRow::signed).collect()
}

#[test]
fn plain_text_is_not_copied() {
    for text in ["ls -la", "größe → 日本語 שלום e\u{301}", "a\tb\nc"] {
        assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
    }
}

#[test]
fn c5_8_hidden_and_reordering_characters_are_escaped() {
    let cases = [
        ("a\u{202e}b", "a\\u{202e}b"),
        ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
        ("a\u{200b}\u{200d}\u{feff}", "a\\u{200b}\\u{200d}\\u{feff}"),
        ("\u{1b}[2Kx\u{7}\u{9b}", "\\u{1b}[2Kx\\u{7}\\u{9b}"),
        ("a\rb", "a\\rb"),
        ("x\u{fe0f}\u{e0061}\u{e0100}", "x\\u{fe0f}\\u{e0061}\\u{e0100}"),
        ("a\u{a0}b\u{3000}c\u{2003}\u{2028}\u{85}", "a\\u{a0}b\\u{3000}c\\u{2003}\\u{2028}\\u{85}"),
        ("\u{3164}\u{115f}\u{ffa0}\u{2800}\u{ad}", "\\u{3164}\\u{115f}\\u{ffa0}\\u{2800}\\u{ad}"),
        ("\u{e000}\u{f8ff}\u{100000}\u{10ffff}\u{fffe}", "\\u{e000}\\u{f8ff}\\u{100000}\\u{10ffff}\\u{fffe}"),
        ("r\u{336}m\u{338}", "r\\u{336}m\\u{338}"),
    ];
    for (text, expected) in cases {
        assert_eq!(visible(text), expected);
        assert_eq!(visible_line(text), expected);
    }
    assert_eq!(visible_line("a\nb\tc"), "a\\nb\\tc");
    assert_eq!(visible("a\nb\tc"), "a\nb\tc");
}

#[test]
fn c5_8_marks_stay_on_letters_of_their_own_text() {
    assert_eq!(visible("\u{301}a"), "\\u{301}a");
    assert_eq!(visible(" \u{301}"), " \\u{301}");
    assert_eq!(visible("e\u{302}\u{301}"), "e\u{302}\u{301}");
    assert_eq!(visible("e\u{301}\u{301}\u{301}"), "e\u{301}\u{301}\\u{301}");
}

#[test]
fn c5_8_every_character_is_kept_or_escaped_into_plain_ones() {
    for c in ('\0'..=char::MAX).filter(|c| is_hidden(*c)) {
        let shown = visible_line(c.encode_utf8(&mut [0; 4])).into_owned();
        assert!(
            shown.starts_with('\\') && shown.is_ascii() && !shown.contains(char::is_control),
            "{c:?}: {shown}"
        );
    }
    for c in ' '..='~' {
        assert!(!is_hidden(c));
    }
}

#[test]
fn c5_8_padding_does_not_push_the_end_of_a_command_away() {
    let command = format!("ls{}; rm -rf ~", " ".repeat(2100));
    assert_eq!(rows(&command, BlockLimits { width: 60, head: 4, tail: 4 }), ["│ ls⟨2100 spaces⟩; rm -rf ~"]);
    let command = format!("ls{};\u{a0}rm", "\t ".repeat(30));
    assert_eq!(rows(&command, BlockLimits::whole(60)), ["│ ls⟨60 spaces and tabs⟩;\\u{a0}rm"]);
}

#[test]
fn c5_8_blanks_at_the_end_of_a_line_are_shown() {
    let rows = |text| rows(text, BlockLimits::whole(60));
    assert_eq!(rows("a \\ \nb"), ["│ a \\⟨1 space⟩", "│ b"]);
    assert_eq!(rows("a\t\nb  \nc \t"), ["│ a⟨1 tab⟩", "│ b⟨2 spaces⟩", "│ c⟨2 spaces and tabs⟩"]);
}

#[test]
fn c9_1_a_name_is_one_line_whatever_it_contains() {
    let name = format!("a\nwarning: b\r\n\u{85}c\u{2028}{}d", " ".repeat(300));
    let expected = "a\\nwarning: b\\r\\n\\u{85}c\\u{2028}⟨300 spaces⟩d";
    assert_eq!(visible_line(&name), expected);
    assert_eq!(Name(&name).to_string(), expected);
    assert_eq!(format!("{:6}|", Name("ab")), "ab    |");
    let indented = format!("x{}y", " ".repeat(MAX_BLANKS));
    assert!(matches!(visible_line(&indented), Cow::Borrowed(_)));
}

#[test]
fn c5_8_lines_of_a_value_and_wrapped_rows_carry_signs() {
    let text = "first\nAllow this? [y/N]\n\n\n\n\n\nlast one here";
    assert_eq!(
        rows(text, BlockLimits::whole(10)),
        ["│ first", "│ Allow this", "┊ ? [y/N]", "╞ 5 empty lines", "│ last one h", "┊ ere"]
    );
    assert_eq!(rows("a\n\n\tb", BlockLimits::whole(20)), ["│ a", "│ ", "│ →   b"]);
    // Wide characters count twice, so that a row never exceeds the width.
    assert_eq!(rows("日本語日本", BlockLimits::whole(8)), ["│ 日本語日", "┊ 本"]);
}

#[test]
fn c5_8_long_text_shows_both_ends_and_says_what_is_missing() {
    let text: Vec<String> = (0..100).map(|n| format!("line {n}")).collect();
    let block = VisibleBlock::new(&text.join("\n"), BlockLimits { width: 40, head: 2, tail: 2 });
    let shown: Vec<String> = block.rows.iter().map(BlockRow::signed).collect();
    assert!(block.is_cut);
    assert_eq!((block.lines, block.chars), (100, 789));
    assert_eq!(
        shown,
        ["│ line 0", "│ line 1", "╞ NOT SHOWN HERE: 96 rows with 664 characters", "│ line 98", "│ line 99"]
    );
    assert!(!VisibleBlock::new(&text.join("\n"), BlockLimits::whole(40)).is_cut);
}

#[test]
fn c5_8_right_to_left_letters_are_announced() {
    let shown = rows("rm שלום/1 2", BlockLimits::whole(40));
    assert_eq!(shown[0], "│ rm שלום/1 2");
    assert!(shown[1].starts_with("╞ contains right-to-left letters"));
}

#[test]
fn c5_8_a_value_among_several_cannot_pass_for_the_next_one() {
    let texts =
        ["Command: ls\nIn: /safe".to_owned(), String::new(), "\n\n\n\n\nx".to_owned(), "In: /".to_owned()];
    let block = VisibleBlock::entries(&texts, BlockLimits::whole(40));
    let shown: Vec<String> = block.rows.iter().map(BlockRow::signed).collect();
    assert_eq!(shown, ["• Command: ls", "│ In: /safe", "• ", "• ", "╞ 5 empty lines", "│ x", "• In: /"]);
}
