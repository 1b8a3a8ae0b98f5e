//! Each kind of phrase is found once.

use super::*;

fn broken(path: &str, text: &str) -> usize {
    check(Path::new(path), text).len()
}

#[test]
fn a_phrase_that_needs_decoding_is_found_in_text_and_code() {
    assert_eq!(broken("docs/x.md", "An entry that is no setting"), 1);
    assert_eq!(broken("src/x.rs", "let text = \"it Is There Already; choose\";"), 1);
    assert_eq!(broken("docs/x.md", "An unknown setting"), 0);
}

#[test]
fn a_summary_that_starts_with_a_question_word_is_found() {
    assert_eq!(broken("src/x.rs", "    /// Whether it failed.\n    pub failed: bool,"), 1);
    assert_eq!(
        broken("src/x.rs", "/// Returns the names.\n/// What follows is a second line.\nfn f() {}"),
        0
    );
    assert_eq!(broken("src/x.rs", "// What a plain comment says is free."), 0);
}

#[test]
fn other_kinds_of_files_are_exempt() {
    assert_eq!(broken("fixtures/a.ts", "// is no setting"), 0);
    assert_eq!(broken("docs/contract.md", "is no setting"), 0);
}
