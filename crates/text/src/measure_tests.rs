//! Widths of wide and coloured text, and what is left of it after cutting and wrapping.

use super::*;

#[test]
fn wide_characters_and_colours_are_counted_as_they_are_seen() {
    for (text, width) in [
        ("", 0),
        ("abc", 3),
        ("日本語", 6),
        ("é", 1),
        ("e\u{301}", 1),
        ("👩‍👩‍👧", 2),
        ("\u{1b}[31mred\u{1b}[0m", 3),
        ("\u{1b}]8;;https://x.y\u{7}link\u{1b}]8;;\u{7}", 4),
        ("a\tb", 5),
        ("\u{0}\u{8}x", 1),
    ] {
        assert_eq!(visible_width(text), width, "{text:?}");
    }
}

#[test]
fn c6_3_a_line_is_cut_to_its_width_never_over_it() {
    assert_eq!(cut_to_width("hello", 10, "…"), "hello");
    assert_eq!(cut_to_width("hello world", 8, "…"), "hello w…");
    assert_eq!(cut_to_width("hello world", 8, ""), "hello wo");
    assert_eq!(cut_to_width("日本語", 5, ""), "日本", "half a wide character is none");
    assert_eq!(cut_to_width("日本語", 4, "…"), "日…");
    assert_eq!(cut_to_width("\u{1b}[31mhello", 3, ""), "\u{1b}[31mhel\u{1b}[0m");
    assert_eq!(cut_to_width("abc", 0, "…"), "");
}

#[test]
fn colours_that_are_off_again_need_no_reset() {
    let closed = "\u{1b}[1;38;5;12mx\u{1b}[22m\u{1b}[39m";
    assert_eq!(cut_to_width(closed, 10, ""), closed);
    let open = "\u{1b}[48;2;1;2;3mx\u{1b}[22m";
    assert_eq!(cut_to_width(open, 10, ""), format!("{open}\u{1b}[0m"));
    assert_eq!(
        wrap("\u{1b}[4;31maa\u{1b}[24m bb", 2),
        ["\u{1b}[4;31maa\u{1b}[24m\u{1b}[0m", "\u{1b}[31mbb\u{1b}[0m"]
    );
}

#[test]
fn what_could_leave_the_box_is_dropped() {
    for escape in
        ["\u{1b}[2J", "\u{1b}[10;10H", "\u{1b}]0;title\u{7}", "\u{1b}c", "\u{1b}[?25l", "\r", "\u{8}"]
    {
        assert_eq!(cut_to_width(&format!("a{escape}b"), 10, ""), "ab", "{escape:?}");
    }
    assert_eq!(cut_to_width("a\u{1b}[31", 10, ""), "a", "an unfinished sequence goes");
}

#[test]
fn text_is_wrapped_at_spaces_and_keeps_its_colours() {
    assert_eq!(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
    assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
    assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
    assert_eq!(wrap("", 5), [""]);
    assert_eq!(
        wrap("\u{1b}[1mbold words\u{1b}[0m x", 6),
        ["\u{1b}[1mbold\u{1b}[0m", "\u{1b}[1mwords\u{1b}[0m", "x"]
    );
    assert_eq!(wrap("日", 1), [""], "what fits nowhere is left out");
}

#[test]
fn every_wrapped_line_fits() {
    let text = "Ein Text mit Wörtern, 日本語のテキスト, emoji 👩‍👩‍👧 und sehrlangesWortOhnePause\tund Tabs ";
    for width in 1..40 {
        for line in wrap(text, width) {
            assert!(visible_width(&line) <= width, "{width}: {line:?}");
        }
    }
}
