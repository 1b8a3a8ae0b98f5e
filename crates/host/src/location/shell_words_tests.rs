//! Quotes, operators and command lines inside of others.

use proptest::prelude::*;

use super::*;

#[test]
fn words_in_quotes_are_whole_and_may_be_command_lines() {
    let words = shell_words(r#"A="b c" sh -c "sh 'my hook.sh' && python3 --x='d e.py'" f\ g;h"#);
    for expected in ["b c", "sh", "my hook.sh", "python3", "d e.py", "h"] {
        assert!(words.iter().any(|word| word == expected), "{expected}: {words:?}");
    }
    // A backslash separates directories on Windows.
    assert_eq!(words.iter().any(|word| word == "f g"), !cfg!(windows), "{words:?}");
    assert!(shell_words("'--conf=/a b/c'").contains(&"/a b/c".to_owned()));
    assert_eq!(shell_words("$'h\\x6b x' $\"a b\" '$'")[..3], ["hk x", "a b", "$"]);
    assert!(shell_words(" \t ").is_empty());
    // Unclosed quotes and backslashes at the end.
    for odd in ["'a b", "\"a b\\", "a\\", "$'a b", "'''", "\"'"] {
        shell_words(odd);
    }
}

proptest! {
    #[test]
    fn a_quoted_word_is_read_as_itself(word in "[ -~\u{a0}\u{e4}]{0,20}") {
        prop_assume!(!word.trim().is_empty() && !word.contains('\\'));
        let words = shell_words(&format!("x {}", quoted_word(&word)));
        prop_assert_eq!(words.get(1), Some(&word));
    }
}
