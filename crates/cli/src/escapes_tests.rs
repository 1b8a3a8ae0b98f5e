//! What a terminal gets of hostile text.

use super::*;

#[test]
fn plain_text_is_not_copied() {
    assert!(matches!(tame("a\tb\nü → \u{202e}"), Cow::Borrowed(_)));
}

#[test]
fn colours_stay_and_end() {
    assert_eq!(tame("\x1b[1;38;5;4mblue"), "\x1b[1;38;5;4mblue\x1b[0m");
    assert_eq!(tame("\x1b[mx"), "\x1b[mx\x1b[0m");
}

#[test]
fn what_a_terminal_would_obey_goes() {
    let cases = [
        ("a\x1b[2Jb", "ab"),
        ("a\x1b[?1049hb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;cGFzdGU=\x1b\\b", "ab"),
        ("a\u{9b}2Jb\u{9d}0;t\u{9c}c", "abc"),
        ("a\x1bcb", "ab"),
        ("rm -rf ~\x1b[2K\rls", "rm -rf ~\nls"),
        ("a\x08\x7fb", "a\u{fffd}\u{fffd}b"),
        ("a\r\nb", "a\nb"),
        ("a\x1b[>4;1mb", "ab"),
    ];
    for (text, expected) in cases {
        assert_eq!(tame(text), expected, "{text:?}");
    }
}

#[test]
fn what_has_no_end_takes_nothing_of_the_next_line() {
    assert_eq!(tame("a\x1b]0;title\nb"), "a\nb");
    assert_eq!(tame("a\x1b[12\nb"), "a\nb");
    assert_eq!(tame("a\x1b"), "a");
    assert_eq!(tame("a\x1b["), "a");
}
