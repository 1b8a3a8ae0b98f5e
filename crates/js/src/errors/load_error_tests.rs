//! The frame shows the place, whatever the source looks like.

use super::*;

#[test]
fn the_mark_is_under_the_column() {
    let source = "one\ntwo\nconst x = ;\nfour\nfive\nsix";
    let expected = "  1 | one\n  2 | two\n> 3 | const x = ;\n    |           ^\n  4 | four\n  5 | five";
    assert_eq!(code_frame(source, 3, 11).unwrap(), expected);
}

#[test]
fn the_ends_of_the_file_have_fewer_lines() {
    assert_eq!(code_frame("only", 1, 1).unwrap(), "> 1 | only\n    | ^");
    assert_eq!(code_frame("a\nb", 2, 1).unwrap(), "  1 | a\n> 2 | b\n    | ^");
}

#[test]
fn a_minified_line_is_cut_around_the_mark() {
    let source = format!("{}HERE{}", "x".repeat(5000), "y".repeat(5000));
    let frame = code_frame(&source, 1, 5001).unwrap();
    assert!(frame.contains("HERE") && frame.lines().all(|line| line.chars().count() < 120), "{frame}");
}

#[test]
fn places_that_do_not_exist_give_no_frame() {
    assert_eq!(code_frame("", 1, 1), None);
    assert_eq!(code_frame("a", 0, 1), None);
    assert_eq!(code_frame("a", 9, 1), None);
    assert!(code_frame("a", 1, u32::MAX).is_some());
    assert!(code_frame("tab\there\r\nüñï", 2, 0).is_some());
}
