//! Unified diffs as rows.

use super::*;

const DIFF: &str = "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -1,3 +1,3 @@\n one\n-let a = 1;\n+let b = 1;\n three\n@@ -10 +10,2 @@\n-ten\n+10\n+eleven\n\\ No newline at end of file\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+--- not a header\n";

#[test]
fn a_unified_diff_is_read_with_numbers_and_files() {
    let files = FileDiff::parse(DIFF);
    assert_eq!(files.len(), 2);
    assert_eq!((files[0].path.as_str(), files[0].added(), files[0].removed()), ("src/x.rs", 3, 2));
    assert!(files[1].is_new && files[1].path == "new");
    assert_eq!(files[1].hunks[0].lines.len(), 1, "a line that looks like a header is a line");
    let numbers: Vec<_> = files[0].hunks[0].lines.iter().map(|line| (line.old, line.new)).collect();
    assert_eq!(numbers, [(Some(1), Some(1)), (Some(2), None), (None, Some(2)), (Some(3), Some(3))]);
}

#[test]
fn changed_words_are_marked_only_where_lines_correspond() {
    let files = FileDiff::parse(DIFF);
    let part = |text: &str, is_marked| (text.to_owned(), is_marked);
    assert_eq!(
        files[0].hunks[0].lines[1].parts,
        [part("let ", false), part("a", true), part(" = 1;", false)]
    );
    assert_eq!(
        files[0].hunks[0].lines[2].parts,
        [part("let ", false), part("b", true), part(" = 1;", false)]
    );
    assert_eq!(files[0].hunks[1].lines[0].parts, [part("ten", false)], "one line became two");
    let other = FileDiff::between("x", "completely different words here\n", "nothing of that 12 34\n");
    assert!(other.hunks[0].lines.iter().all(|line| line.parts.len() == 1));
}

#[test]
fn rows_fit_and_show_numbers_and_signs() {
    let file = &FileDiff::parse(DIFF)[0];
    let rows: Vec<String> = diff_rows(file, 40, &Theme::none()).iter().map(Row::text).collect();
    assert_eq!(
        rows,
        [
            "1   one",
            "2 - let a = 1;",
            "2 + let b = 1;",
            "3   three",
            "   ⋮",
            "10 - ten",
            "10 + 10",
            "11 + eleven",
            "     \\ no newline at the end"
        ]
    );
    for columns in 1..30 {
        assert!(
            diff_rows(file, columns, &Theme::dark()).iter().all(|row| row.width() <= columns),
            "{columns}"
        );
    }
}

#[test]
fn hostile_diffs_are_harmless() {
    for text in [
        "",
        "@@",
        "@@ -1,99999999999 +1 @@\n",
        "@@ -1,5 +1,5 @@\nx",
        "+++ \n@@ -1 +1 @@\n-\u{1b}[2J\n+b",
        "@@ -a +b @@\n-x",
        "--- a\n+++ b\n@@ -18446744073709551615 +1 @@\n-x\n+y\n z",
    ] {
        for file in FileDiff::parse(text) {
            assert!(diff_rows(&file, 20, &Theme::dark()).iter().all(|row| !row.text().contains('\x1b')));
        }
    }
}

#[test]
fn some_rows_of_a_hunk_are_those_of_the_whole() {
    let text = "@@ -1,3 +1,3 @@\n-old tab\there 日本\n+new tab\there 日本語 and a long end of the line\n same\n\\ No newline at end of file\n";
    let file = FileDiff::parse(&format!("--- a/x\n+++ b/x\n{text}")).remove(0);
    let long =
        format!("@@ -1,2 +1,2 @@\n-a\n+{}\n b\n\\ No newline at end of file\n", "x\ty日 ".repeat(3000));
    let long = FileDiff::parse(&format!("--- a/x\n+++ b/x\n{long}")).remove(0);
    for (columns, file) in [1, 2, 5, 13, 40].map(|columns| (columns, &file)).into_iter().chain([(40, &long)])
    {
        let hunk = &file.hunks[0];
        let layout = HunkLayout::new(hunk, columns);
        let all = hunk_rows(hunk, columns, &Theme::none());
        assert_eq!(layout.len(), all.len(), "{columns} columns");
        for begin in 0..=all.len() {
            let some = layout.rows(hunk, begin..begin + 3, &Theme::none());
            assert_eq!(some, all[begin..all.len().min(begin + 3)], "{columns} columns from {begin}");
        }
    }
}
