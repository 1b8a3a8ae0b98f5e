//! What a terminal gets of hostile text.

use super::*;

fn passed(keep: Keep, text: &str) -> String {
    Filter::new(keep).pass(text.as_bytes())
}

#[test]
fn plain_text_is_not_copied() {
    assert!(matches!(plain("a\tb\nü → \u{202e}"), Cow::Borrowed(_)));
}

#[test]
fn c9_1_colours_pass_from_renderers_and_our_own_from_us() {
    let text = "\x1b[1;38;5;4mblue\x1b[0m \x1b[31mred";
    assert_eq!(passed(Keep::Rendered, text), text);
    assert_eq!(passed(Keep::OwnStyles, text), "blue\x1b[0m \x1b[31mred");
    assert_eq!(passed(Keep::Nothing, text), "blue red");
    assert_eq!(passed(Keep::Rendered, "\x1b[8mhidden\x1b[1;08mhidden"), "hiddenhidden");
}

#[test]
fn c9_1_links_pass_from_renderers_if_their_address_is_plain() {
    let link = "\x1b]8;;https://example.com/a\x1b\\text\x1b]8;;\x1b\\";
    assert_eq!(passed(Keep::Rendered, link), link);
    assert_eq!(
        passed(Keep::Rendered, "\x1b]8;id=1;https://e\x07t\x1b]8;;\x07"),
        "\x1b]8;;https://e\x1b\\t\x1b]8;;\x1b\\"
    );
    assert_eq!(passed(Keep::Rendered, "\x1b]8;;javascript:x\x07t"), "t");
    assert_eq!(passed(Keep::Rendered, "\x1b]8;;https://e/\u{202e}x\x07t"), "t");
    assert_eq!(passed(Keep::OwnStyles, link), "text");
    assert_eq!(passed(Keep::Nothing, link), "text");
}

#[test]
fn c9_1_what_a_terminal_would_obey_goes() {
    let cases = [
        ("a\x1b[2Jb", "ab"),
        ("a\x1b[?1049hb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;cGFzdGU=\x1b\\b", "ab"),
        ("a\x1b]52;c;cGFzdGU=\u{9c}b", "ab"),
        ("a\u{9b}2Jb\u{9d}0;t\u{9c}c", "abc"),
        ("a\u{9b}31mb", "ab"),
        ("a\x1bP1$r0m\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde"),
        ("a\x1bcb", "ab"),
        ("a\x1b(0b", "ab"),
        ("a\x1b\x1b[2Jb", "ab"),
        ("a\x1b]0;x\x1b[2Jb", "ab"),
        ("rm -rf ~\x1b[2K\rls", "rm -rf ~\nls"),
        ("a\x08\x7fb", "a\u{fffd}\u{fffd}b"),
        ("a\r\nb", "a\nb"),
        ("a\x1b[>4;1mb", "ab"),
    ];
    for keep in [Keep::Nothing, Keep::OwnStyles, Keep::Rendered] {
        for (text, expected) in cases {
            assert_eq!(passed(keep, text), expected, "{keep:?} {text:?}");
            // However it is split.
            let mut filter = Filter::new(keep);
            let pieces: String = text.bytes().map(|byte| filter.pass(&[byte])).collect();
            assert_eq!(pieces, expected, "{keep:?} {text:?} byte by byte");
        }
    }
}

#[test]
fn c9_1_what_has_no_end_takes_nothing_of_the_next_line() {
    for (text, expected) in [
        ("a\x1b]0;title\nb", "a\nb"),
        ("a\x1b[12\nb", "a\nb"),
        ("a\x1b", "a"),
        ("a\x1b[", "a"),
        ("a\x1b]8;;https://e", "a"),
    ] {
        assert_eq!(plain(text), expected, "{text:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_marked() {
    assert_eq!(Filter::new(Keep::Nothing).pass(b"a\xffb\xc3"), "a\u{fffd}b");
    assert_eq!(Filter::new(Keep::Nothing).pass(b"a\x9b2Jb"), "a\u{fffd}2Jb");
}
