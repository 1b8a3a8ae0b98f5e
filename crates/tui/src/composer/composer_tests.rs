//! The composer, driven by the bytes of a terminal.

use super::*;
use crate::{
    composer::completion::{Candidate, Trigger, fuzzy_filter},
    input::{Input, Parser},
    keys::KeyBindings,
    text::{Row, Theme},
};

fn composer() -> Composer {
    Composer::new(History::default())
}

/// Types bytes as a terminal sends them; returns what was sent.
fn send(composer: &mut Composer, bytes: &str) -> Vec<Submission> {
    let (mut parser, mut inputs, mut sent) = (Parser::default(), Vec::new(), Vec::new());
    parser.push(bytes.as_bytes(), &mut inputs);
    parser.flush(&mut inputs);
    for input in inputs {
        match input {
            Input::Key { key, .. } => {
                if let ComposerEvent::Submit(submission) = composer.key(&key, &KeyBindings::default()) {
                    sent.push(submission);
                }
            }
            Input::Paste(text) => composer.paste(&text),
            _ => {}
        }
    }
    sent
}

fn after(bytes: &str) -> String {
    let mut composer = composer();
    send(&mut composer, bytes);
    composer.text()
}

#[test]
fn editing_keys_do_what_readline_does() {
    assert_eq!(after("hello world\x17"), "hello ");
    assert_eq!(after("hello world\x17\x19\x19"), "hello worldworld");
    assert_eq!(after("one two three\x17\x17\x19"), "one two three", "kills in a row are one");
    assert_eq!(after("abc\x01\x0b"), "");
    assert_eq!(after("abc\x01X"), "Xabc");
    assert_eq!(after("one two\x1bbX"), "one Xtwo");
    assert_eq!(after("ab\x1b[D\x7f"), "b");
    assert_eq!(after("a\nb\x1b[A\x1b[D\x1b[DX"), "Xa\nb");
    assert_eq!(after("abc\x1f"), "", "a typed word is one undo step");
    assert_eq!(after("abc def\x1f"), "abc ");
    assert_eq!(after("a-b-c\x01\x1d-X"), "aX-b-c");
    assert_eq!(after("one\x15two\x15\x19\x1by"), "one");
    assert_eq!(after("👨‍👩‍👧é\x7f\x7f"), "", "a cluster is one character");
}

#[test]
fn three_ways_to_a_line_break_and_one_to_send() {
    for line_break in ["\x1b[13;2u", "\n", "\\\r"] {
        let mut composer = composer();
        let sent = send(&mut composer, &format!("one{line_break}two\r"));
        assert_eq!(sent, [Submission { text: "one\ntwo".to_owned(), images: Vec::new() }]);
        assert!(composer.is_empty());
    }
}

#[test]
fn a_large_paste_is_one_token_and_is_sent_whole() {
    let mut composer = composer();
    let pasted = "some line of text\n".repeat(60_000);
    send(&mut composer, "see: ");
    composer.paste(&pasted);
    let (rows, _) = composer.rows(60, 10, &Theme::none());
    assert_eq!(rows.iter().map(Row::text).collect::<Vec<_>>(), ["see: [paste #1 +60000 lines]"]);
    let mut deleted = composer.clone();
    send(&mut deleted, "\x7f");
    assert_eq!(deleted.text(), "see: ", "the token is deleted as a whole");
    let sent = send(&mut composer, "\r");
    assert_eq!(sent[0].text, format!("see: {pasted}"));
}

#[test]
fn text_from_outside_cannot_forge_a_token() {
    let mut composer = composer();
    composer.paste("x".repeat(2000).as_str());
    composer.paste("\u{f0000}");
    composer.set_text("\u{f0000}typed");
    assert_eq!(composer.text(), "typed");
}

#[test]
fn images_are_sent_beside_the_text() {
    let mut composer = composer();
    let image =
        Image { data: "aGk=".to_owned(), mime_type: "image/png".to_owned(), name: "a.png".to_owned() };
    send(&mut composer, "what is ");
    composer.attach(image.clone());
    let sent = send(&mut composer, "?\r");
    assert_eq!(sent, [Submission { text: "what is [image #1 a.png]?".to_owned(), images: vec![image] }]);
}

#[test]
fn history_goes_back_and_forth_and_keeps_the_draft() {
    let mut composer = composer();
    send(&mut composer, "one\rtwo\rdraft");
    send(&mut composer, "\x1b[A");
    assert_eq!(composer.text(), "draft", "first to the beginning of the text");
    send(&mut composer, "\x1b[A");
    assert_eq!(composer.text(), "two");
    send(&mut composer, "\x1b[A\x1b[A\x1b[A");
    assert_eq!(composer.text(), "one");
    send(&mut composer, "\x1b[B\x1b[B");
    assert_eq!(composer.text(), "draft");
}

#[test]
fn ctrl_r_finds_earlier_prompts() {
    let mut composer = composer();
    send(&mut composer, "fix the parser\rrun tests\rfix the lexer\r\x12fix");
    let sent = send(&mut composer, "\x12\r\r");
    assert_eq!(sent[0].text, "fix the parser");
    send(&mut composer, "\x12zzz\x1b");
    assert_eq!(composer.text(), "");
}

#[test]
fn history_survives_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history/project.jsonl");
    let mut history = History::new(Some(file.clone()));
    history.add("one\nline two");
    history.add("two");
    history.add("two");
    std::fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .map(|mut file| std::io::Write::write_all(&mut file, b"torn \xff\n").unwrap())
        .unwrap();
    assert_eq!(load_history(&file), ["one\nline two", "two"]);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_word_at_the_cursor_says_what_is_completed() {
    let file = |query: &str, range| Some(Trigger::File { range, query: query.to_owned() });
    assert_eq!(Trigger::find("see @src/ma"), file("src/ma", 4..11));
    assert_eq!(Trigger::find("@"), file("", 0..1));
    assert_eq!(Trigger::find("@\"my fi"), file("my fi", 0..7));
    assert_eq!(Trigger::find("mail@host"), None);
    assert_eq!(Trigger::find("@done now"), None);
    assert_eq!(Trigger::find("/mo"), Some(Trigger::Command { range: 0..3, query: "mo".to_owned() }));
    assert_eq!(
        Trigger::find("/model cl"),
        Some(Trigger::Argument { command: "model".to_owned(), range: 7..9, query: "cl".to_owned() })
    );
    assert_eq!(Trigger::find("text /mo"), None);
}

#[test]
fn a_menu_completes_and_escape_closes_it() {
    let mut composer = composer();
    send(&mut composer, "/mo");
    let candidate = |text: &str, submits| Candidate {
        label: text.to_owned(),
        text: text.to_owned(),
        submits,
        ..Candidate::default()
    };
    composer.offer(vec![candidate("/model ", false), candidate("/more", true)], 0..3);
    send(&mut composer, "\t");
    assert_eq!(composer.text(), "/model ");
    composer.set_text("/mo");
    composer.offer(vec![candidate("/model ", false), candidate("/more", true)], 0..3);
    let sent = send(&mut composer, "\x1b[B\r");
    assert_eq!(sent[0].text, "/more");
    composer.set_text("/mo");
    composer.offer(vec![candidate("/model ", false)], 0..3);
    send(&mut composer, "\x1b");
    assert!(!composer.has_menu() && composer.trigger().is_none());
}

#[test]
fn files_respect_ignore_files_and_match_fuzzily() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["src/main.rs", "src/composer/mod.rs", "target/debug/junk.rs", ".gitignore", "my file.txt"] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "target\n").unwrap();
    }
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let index = completion::FileIndex::read(folder.path());
    let texts = |query: &str| index.matching(query).into_iter().map(|found| found.text).collect::<Vec<_>>();
    assert_eq!(texts("main"), ["@src/main.rs "]);
    assert_eq!(texts("compmod").first().map(String::as_str), Some("@src/composer/mod.rs "));
    assert_eq!(texts("my"), ["@\"my file.txt\" "]);
    assert!(texts("junk").is_empty());
    assert!(texts("").contains(&"@src/".to_owned()));
}

#[test]
fn fuzzy_matches_prefer_word_starts() {
    let names = ["reload", "resume", "tree", "hotkeys", "model"];
    assert_eq!(fuzzy_filter("re", &names, |name| name, 9), [&"reload", &"resume", &"tree"]);
    assert_eq!(fuzzy_filter("mdl", &names, |name| name, 9), [&"model"]);
}

#[test]
fn c9_2_a_text_of_any_length_is_laid_out_around_the_cursor_only() {
    let attachments = attachments::Attachments::default();
    for text in ["x".repeat(1_000_000), "some words 漢字\n".repeat(60_000), "\n".repeat(1_000_000)] {
        for offset in [0, 499_992, text.len()] {
            let offset = text.floor_char_boundary(offset);
            let layout = Layout::around(&text, offset, 80, &attachments);
            assert!(layout.rows() < 30_000, "{} rows", layout.rows());
            let (row, column) = layout.place(&text, offset, &attachments);
            assert_eq!(layout.offset(&text, row, column, &attachments), offset);
            let has_rows_above = offset == 0 || row >= 12;
            let has_rows_below = offset == text.len() || layout.rows() - row > 12;
            assert!(has_rows_above && has_rows_below, "row {row} of {}", layout.rows());
        }
    }
}

#[test]
fn a_text_of_a_megabyte_can_be_edited() {
    let mut composer = composer();
    let text = "some words\n".repeat(100_000);
    composer.set_text(&text);
    send(&mut composer, "end\x1b[A\x1b[A!");
    let (rows, _) = composer.rows(60, 3, &Theme::none());
    assert!(rows.iter().any(|row| row.text() == "som!e words"), "{rows:?}");
    send(&mut composer, "\x1b[B\x1b[B\x17");
    assert_eq!(composer.text().len(), text.len() + 1);
    send(&mut composer, "\x1f\x1f\x1f\x1f\x1f");
    assert_eq!(composer.text(), "", "every step can be undone");
}

#[test]
fn c9_2_undo_steps_of_long_texts_are_bounded() {
    let mut buffer = Buffer::default();
    for number in 0..100 {
        buffer.set(format!("{number}{}", "x".repeat(1 << 20)));
    }
    let mut steps = 0;
    while !buffer.is_empty() && steps < 100 {
        let before = buffer.text().to_owned();
        buffer.undo();
        if buffer.text() == before {
            break;
        }
        steps += 1;
    }
    assert!((1..20).contains(&steps), "{steps}");
}

#[test]
fn a_pasted_command_is_recognised_as_one() {
    let mut composer = composer();
    assert!(!composer.is_shell());
    composer.paste(&"!".repeat(2000));
    assert!(composer.is_shell());
    composer.set_text("!ls");
    assert!(composer.is_shell());
}

proptest::proptest! {
    /// Whatever is typed, the caret is inside the drawn rows and no row is too wide.
    #[test]
    fn the_caret_is_always_in_the_text(bytes in "[a-z 漢👨‍👩‍👧é\n\r\t\x01\x02\x05\x06\x0b\x15\x17\x19\x1f\x7f]{0,60}", columns in 1_usize..30, rows in 1_usize..6) {
        let mut composer = composer();
        send(&mut composer, &bytes);
        let (drawn, (row, column)) = composer.rows(columns, rows, &Theme::none());
        proptest::prop_assert!(drawn.len() <= rows && row < drawn.len());
        proptest::prop_assert!(column <= columns, "{column} > {columns}");
    }
}
