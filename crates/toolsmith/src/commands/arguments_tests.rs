//! Words and placeholders of commands.

use super::{Words, takes_arguments};

fn fill(template: &str, line: &str) -> String {
    Words::new(line).fill(template)
}

#[test]
fn placeholders_stand_for_words_and_lines() {
    let line = r#"one "two words" 'three 3' four"#;
    for (template, expected) in [
        ("$1|$2|$3|$5|", "one|two words|three 3||"),
        ("$ARGUMENTS", line),
        ("$@", "one two words three 3 four"),
        ("${1}", "one"),
        ("${5:-none} ${1:-x}", "none one"),
        ("${@:-all}", "one two words three 3 four"),
        ("${@:2}", "two words three 3 four"),
        ("${@:2:1}", "two words"),
        ("${@:9:1}", ""),
        ("$@[2:2]", "two words three 3"),
        ("$ARGUMENTS[0]", "one"),
        ("$10", ""),
        ("$HOME ${HOME} $ARGUMENTSX $ $$ $0", "$HOME ${HOME} $ARGUMENTSX $ $$ $0"),
    ] {
        assert_eq!(fill(template, line), expected, "{template}");
    }
}

#[test]
fn defaults_apply_without_arguments() {
    assert_eq!(fill("${1:-a} ${@:-b c} ${ARGUMENTS:-d}", ""), "a b c d");
    assert_eq!(fill("${1:-}", ""), "");
}

#[test]
fn arguments_are_not_expanded_again() {
    assert_eq!(fill("$1 $2", "$2 $1"), "$2 $1");
    assert_eq!(fill("[$ARGUMENTS]", "${1:-x} $@"), "[${1:-x} $@]");
}

#[test]
fn quotes_are_simple_and_apostrophes_stay() {
    assert_eq!(fill("$1|$2|$3", "don't \"a b\"c ''"), "don't|a bc|");
    assert_eq!(fill("$1|$2", "\"open end"), "open end|");
}

#[test]
fn only_real_placeholders_take_arguments() {
    assert!(takes_arguments("Fix $1") && takes_arguments("${@:2}") && takes_arguments("$ARGUMENTS"));
    assert!(!takes_arguments("costs $ and $HOME and ${HOME}"));
}
