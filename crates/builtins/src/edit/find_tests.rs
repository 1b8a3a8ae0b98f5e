//! Tests of where edits apply.

use super::*;

fn edited(text: &str, old: &str, new: &str) -> Result<String, NotFound> {
    let source = Source::new(text.to_owned());
    Ok(source.replace(&find(source.text(), old, new, false)?))
}

#[test]
fn an_exact_match_is_taken_as_it_is() {
    assert_eq!(edited("a b a", "b", "c").unwrap(), "a c a");
    assert_eq!(edited("one\ntwo\n", "one\ntwo", "1").unwrap(), "1\n");
    assert!(matches!(edited("a b a", "a", "c"), Err(NotFound::Several { .. })));
    assert_eq!(edited("a", "", "c"), Err(NotFound::Empty));
}

#[test]
fn line_ends_and_the_byte_order_mark_stay() {
    let text = "\u{feff}one\r\ntwo\r\nthree\nfour\r\n";
    assert_eq!(edited(text, "two\nthree", "2\n3").unwrap(), "\u{feff}one\r\n2\r\n3\nfour\r\n");
    assert_eq!(edited(text, "one\r\n", "1\r\n").unwrap(), "\u{feff}1\r\ntwo\r\nthree\nfour\r\n");
    assert_eq!(edited("a\rb", "b", "c").unwrap(), "a\rc");
    assert_eq!(edited("no end", "end", "newline").unwrap(), "no newline");
}

#[test]
fn whitespace_at_the_end_and_quotes_may_differ() {
    assert_eq!(edited("say  \nend", "say\nend", "x").unwrap(), "x");
    assert_eq!(edited("it\u{2019}s \u{201c}so\u{201d}\n", "it's \"so\"", "y").unwrap(), "y\n");
}

#[test]
fn indentation_may_differ_and_the_new_lines_are_moved_alike() {
    let text = "fn a() {\n        if x {\n            y();\n        }\n}\n";
    let changed = edited(text, "if x {\n    y();\n}", "if z {\n    y();\n\n    w();\n}").unwrap();
    assert_eq!(changed, "fn a() {\n        if z {\n            y();\n\n            w();\n        }\n}\n");
    let changed = edited("\tx();\n\ty();\n", "    x();\n    y();", "    z();").unwrap();
    assert_eq!(changed, "\tz();\n");
}

#[test]
fn several_loose_matches_are_as_ambiguous_as_exact_ones() {
    let text = "  a();\n  b();\n    a();\n    b();\n";
    assert!(matches!(edited(text, "a( );\nb();", "x"), Err(NotFound::Nowhere { .. })));
    assert!(matches!(edited(text, " a();\n b();", "x"), Err(NotFound::Several { .. })));
}

#[test]
fn copied_line_numbers_are_taken_off() {
    assert_eq!(
        edited("one\ntwo\nthree\n", "2\ttwo\n3\tthree", "2\tdeux\n3\ttrois").unwrap(),
        "one\ndeux\ntrois\n"
    );
}

#[test]
fn whitespace_alone_matches_nothing_loosely() {
    assert!(matches!(edited("a\n\n\nb", "   \n   ", "x"), Err(NotFound::Nowhere { .. })));
}

#[test]
fn taking_lines_out_loosely_leaves_no_empty_line() {
    assert_eq!(edited("a\n  b  \nc\n", "b\n", "").unwrap(), "a\n  b  \nc\n".replace("  b  \n", ""));
}

#[test]
fn what_is_closest_is_shown_with_its_line() {
    let source = Source::new("alpha\nlet total = price * count;\nomega\n".to_owned());
    let error = find(source.text(), "let total = price + count;", "x", false).unwrap_err();
    assert_eq!(
        error.tell(&source),
        "oldText was not found. The closest text is at line 2:\n2\tlet total = price * count;"
    );
    let error = find(source.text(), "nothing whatsoever", "x", false).unwrap_err();
    assert!(error.tell(&source).contains("nothing in the file is like it"));
}

proptest::proptest! {
    #[test]
    fn an_edit_changes_what_it_names_and_no_other_byte(
        pieces in proptest::collection::vec("[aä \\t]{0,3}(\r\n|\n|\r)?", 0..12),
        mark in proptest::bool::ANY,
        from in 0..40_usize,
        length in 1..10_usize,
        new in "[xy\n]{0,5}",
    ) {
        let text = format!("{}{}", if mark { "\u{feff}" } else { "" }, pieces.concat());
        let source = Source::new(text.clone());
        let old: String = source.text().chars().skip(from).take(length).collect();
        proptest::prop_assume!(!old.is_empty());
        if let Ok(places) = find(source.text(), &old, &new, false) {
            let place = &places[0];
            proptest::prop_assume!(!place.loose);
            let changed = Source::new(source.replace(&places));
            let expected =
                format!("{}{new}{}", &source.text()[..place.start], &source.text()[place.end..]);
            // A carriage return that ends up before a new newline becomes part of a line end.
            proptest::prop_assume!(!expected.contains("\r\n"));
            proptest::prop_assert_eq!(changed.text(), expected);
            proptest::prop_assert_eq!(changed.original().starts_with('\u{feff}'), text.starts_with('\u{feff}'));
        }
        proptest::prop_assert_eq!(source.replace(&[]), text);
    }
}
