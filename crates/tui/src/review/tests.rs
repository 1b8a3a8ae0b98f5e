//! The keys of a review and what they decide.

use toolsmith_text::{Row, Theme};
use toolsmith_tool::HunkRange;

use super::{action::ReviewFile, *};

const TWO_HUNKS: &str =
    "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one\n+eins\n two\n@@ -20,2 +20,2 @@\n-twenty\n+zwanzig\n end\n";
const ONE_HUNK: &str = "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";

fn file(path: &str, diff: &str) -> ReviewFile {
    ReviewFile::of_diff(path, diff)
}

fn action(id: u64, files: Vec<ReviewFile>) -> ReviewAction {
    ReviewAction {
        id,
        label: format!("Change {id}"),
        source: "batch_rename".to_owned(),
        tier: "write".to_owned(),
        void: None,
        files,
        can_split: true,
        details: None,
    }
}

fn review() -> Review {
    let mut review = Review::new(vec![
        action(7, vec![file("src/x.rs", TWO_HUNKS), file("src/y.rs", ONE_HUNK)]),
        action(8, vec![file("z", ONE_HUNK)]),
    ]);
    review.resize(60, 24);
    review.note_shown();
    review
}

fn press(review: &mut Review, keys: &str) -> Option<ReviewDecision> {
    keys.chars().fold(None, |_, c| {
        let key = match c {
            'v' => Key::plain(KeyCode::Down),
            '^' => Key::plain(KeyCode::Up),
            '\t' => Key::plain(KeyCode::Tab),
            '\n' => Key::plain(KeyCode::Enter),
            '\x1b' => Key::plain(KeyCode::Escape),
            c => Key::char(c),
        };
        let decision = review.key(&key);
        review.note_shown();
        decision
    })
}

fn text(review: &Review) -> String {
    review.rows(&Theme::none()).iter().map(Row::text).collect::<Vec<_>>().join("\n")
}

#[test]
fn c8_6_everything_is_applied_unless_something_is_left_out() {
    assert_eq!(press(&mut review(), "a"), Some(ReviewDecision::Apply { id: 7, parts: None }));
}

#[test]
fn c8_6_hunks_and_files_can_be_left_out() {
    // The second hunk of the first file, and the second file.
    let decision = press(&mut review(), "vv vv a");
    let parts = vec![FileSelection {
        path: "src/x.rs".into(),
        hunks: Some(vec![HunkRange { old: 0..1, new: 0..1 }]),
    }];
    assert_eq!(decision, Some(ReviewDecision::Apply { id: 7, parts: Some(parts) }));
    let decision = press(&mut review(), " a");
    let parts = vec![FileSelection::whole("src/y.rs")];
    assert_eq!(decision, Some(ReviewDecision::Apply { id: 7, parts: Some(parts) }));
}

#[test]
fn c8_6_nothing_chosen_is_not_applied() {
    let mut review = review();
    assert_eq!(press(&mut review, "*a"), None);
    assert!(text(&review).contains("Nothing is chosen"), "{}", text(&review));
    assert_eq!(press(&mut review, "*a"), Some(ReviewDecision::Apply { id: 7, parts: None }));
}

#[test]
fn c8_6_discard_and_keep() {
    assert_eq!(press(&mut review(), "d"), Some(ReviewDecision::Discard { id: 7 }));
    assert_eq!(press(&mut review(), "\x1b"), Some(ReviewDecision::Keep));
    assert_eq!(press(&mut review(), "\td"), Some(ReviewDecision::Discard { id: 8 }));
    assert_eq!(press(&mut review(), "\t\td"), Some(ReviewDecision::Discard { id: 7 }));
}

#[test]
fn a_void_action_and_one_that_is_applied_by_its_tool_say_so() {
    let mut void = Review::new(vec![ReviewAction {
        void: Some("the tool was reloaded".to_owned()),
        ..action(1, vec![])
    }]);
    void.resize(80, 24);
    assert_eq!(press(&mut void, "a"), None);
    assert!(text(&void).contains("the tool was reloaded"));
    let mut whole =
        Review::new(vec![ReviewAction { can_split: false, ..action(1, vec![file("x", ONE_HUNK)]) }]);
    whole.resize(80, 24);
    assert_eq!(press(&mut whole, " "), None);
    assert!(text(&whole).contains("only be applied as a whole"));
    assert_eq!(press(&mut whole, "a"), Some(ReviewDecision::Apply { id: 1, parts: None }));
}

#[test]
fn choices_survive_a_new_action_and_a_decided_one_goes() {
    let mut review = review();
    press(&mut review, " ");
    review.update(vec![
        action(9, vec![file("n", ONE_HUNK)]),
        action(7, vec![file("src/x.rs", TWO_HUNKS), file("src/y.rs", ONE_HUNK)]),
    ]);
    assert_eq!(review.action().map(|action| action.id), Some(7), "the shown action stays");
    assert!(review.action().is_some_and(|action| action.files[0].is_left_out()));
    review.update(vec![action(9, vec![])]);
    assert_eq!(review.action().map(|action| action.id), Some(9));
    review.update(Vec::new());
    assert!(review.is_empty() && text(&review).contains("Nothing is pending"));
    assert_eq!(press(&mut review, "a dv^\n"), None);
}

#[test]
fn the_screen_shows_files_hunks_and_what_will_be_applied() {
    let mut review = review();
    press(&mut review, "vv ");
    assert_screen(
        &text(&review),
        &[
            " Pending Change 7                                    1 of 2",
            " staged by batch_rename · write · 2 files  +3 -3",
            "────────────────────────────────────────────────────────────",
            "  [~] src/x.rs +2 -2 ▾",
            "    [x] @@ -1,2 +1,2 @@",
            "      1 - one",
            "      1 + eins",
            "      2   two",
            "❯   [ ] @@ -20,2 +20,2 @@",
            "      20 - twenty",
            "      20 + zwanzig",
            "      21   end",
            "  [x] src/y.rs +1 -1 ▾",
            "      1 - a",
            "      1 + b",
            "────────────────────────────────────────────────────────────",
            " a apply 1 file and 1 hunk · d discard · esc keep",
        ],
    );
}

fn assert_screen(text: &str, expected: &[&str]) {
    let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert_eq!(rows, expected, "\n{text}");
}

#[test]
fn long_differences_scroll_and_rows_always_fit() {
    let lines: String = (0..200).map(|line| format!("+line {line} {}\n", "x".repeat(line))).collect();
    let long = format!("--- a/x\n+++ b/x\n@@ -0,0 +1,200 @@\n{lines}");
    let mut review =
        Review::new(vec![action(1, vec![file("a\u{202e}b\x1b[2J", &long), file("y", ONE_HUNK)])]);
    for (columns, rows) in [(40, 12), (1, 1), (200, 50), (13, 7)] {
        review.resize(columns, rows);
        for key in "\nvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv^^^^n*p \n\n".chars() {
            press(&mut review, &key.to_string());
            let drawn = review.rows(&Theme::dark());
            assert!(drawn.len() <= rows.max(FRAME_ROWS + 1), "{columns}x{rows}: {}", drawn.len());
            for row in drawn {
                assert!(row.width() <= columns, "{columns}: {:?}", row.text());
                assert!(!row.text().contains(char::is_control) && !row.text().contains('\u{202e}'));
            }
        }
        review.key(&Key::plain(KeyCode::PageDown));
        review.key(&Key::plain(KeyCode::End));
        review.key(&Key::plain(KeyCode::Home));
    }
}

fn long(lines: usize) -> String {
    let body: String = (0..lines).map(|line| format!("+line {line}\n")).collect();
    format!("--- /dev/null\n+++ b/big\n@@ -0,0 +1,{lines} @@\n{body}")
}

#[test]
fn c8_6_what_was_not_shown_is_not_applied() {
    let mut review = Review::new(vec![action(7, vec![file("small", ONE_HUNK), file("big", &long(100))])]);
    review.resize(60, 24);
    review.note_shown();
    assert!(!text(&review).contains("line 0"), "a long file is folded:\n{}", text(&review));
    let mut pages = 0;
    while press(&mut review, "a").is_none() {
        pages += 1;
        assert!(text(&review).contains("Not everything was shown yet"), "{}", text(&review));
        assert!(pages < 20);
    }
    assert!(pages >= 5, "{pages} pages of 19 rows");
    assert!(text(&review).contains("line 99"), "{}", text(&review));
}

#[test]
fn c8_6_parts_that_are_left_out_need_not_be_shown() {
    let mut review = Review::new(vec![action(7, vec![file("small", ONE_HUNK), file("big", &long(100))])]);
    review.resize(60, 24);
    review.note_shown();
    let parts = Some(vec![FileSelection::whole("small")]);
    assert_eq!(press(&mut review, "v a"), Some(ReviewDecision::Apply { id: 7, parts }));
}

#[test]
fn c8_6_only_harmless_changes_can_be_applied_unread() {
    for (tier, is_applied) in [("write", true), ("exec", false)] {
        let mut action = action(7, vec![file("small", ONE_HUNK), file("big", &long(100))]);
        action.tier = tier.to_owned();
        let mut review = Review::new(vec![action]);
        review.resize(60, 24);
        review.note_shown();
        assert_eq!(press(&mut review, "A").is_some(), is_applied, "{tier}");
    }
}

#[test]
fn c5_8_a_review_shows_hidden_characters_and_line_ends() {
    let hidden = "--- a/y\n+++ b/y\n@@ -1,3 +1,4 @@\n-admin()\n+admin\u{202e}()\n+ok()\revil()\n+ab\u{200b}c\u{9b}\n-x\r\n+x\n-end\n\\ No newline at end of file\n";
    let mut review = Review::new(vec![action(7, vec![file("y", hidden)])]);
    review.resize(60, 24);
    let shown = text(&review);
    for escape in
        ["admin\\u{202e}()", "ok()\\revil()", "ab\\u{200b}c\\u{9b}", "x\\r", "no newline at the end"]
    {
        assert!(shown.contains(escape), "{escape}:\n{shown}");
    }
    let all_crlf = "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\r\n+b\r\n";
    let mut review = Review::new(vec![action(7, vec![file("y", all_crlf)])]);
    review.resize(60, 24);
    assert!(!text(&review).contains("\\r"), "line ends that stay are not shown:\n{}", text(&review));
}

#[test]
fn c8_6_long_details_wrap_and_are_shown_to_their_end() {
    let said = serde_json::json!(format!("first\n{}the tail\n\u{202e}last", "word ".repeat(100)));
    let mut review =
        Review::new(vec![ReviewAction { details: Some(details::Details::new(&said)), ..action(7, vec![]) }]);
    review.resize(30, 9);
    review.note_shown();
    let mut pages = vec![text(&review)];
    while press(&mut review, "a").is_none() {
        pages.push(text(&review));
        assert!(pages.len() < 20);
    }
    assert!(pages.len() >= 4, "{} pages of 4 rows", pages.len());
    assert!(pages.concat().contains("the \n  tail") && pages.concat().contains("\\u{202e}last"), "{pages:?}");
}

/// A hunk with a long line and many lines, and details of millions of rows, cost what is on the screen.
#[test]
fn c9_2_the_rows_of_a_key_do_not_depend_on_the_size_of_an_action() {
    let lines: String = (0..200_000).map(|line| format!("+line {line}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/big\n@@ -0,0 +1,200001 @@\n{lines}+{}\n", "x".repeat(1 << 20));
    let mut review = Review::new(vec![action(7, vec![file("big", &diff)])]);
    review.resize(80, 24);
    press(&mut review, "\n");
    for (key, expected) in [(KeyCode::End, "line"), (KeyCode::PageDown, "line"), (KeyCode::Home, "line")] {
        review.key(&Key::plain(key));
        assert!(text(&review).contains(expected), "{}", text(&review));
    }
    let rows = serde_json::json!(vec![0; 500_000]);
    let mut review =
        Review::new(vec![ReviewAction { details: Some(details::Details::new(&rows)), ..action(7, vec![]) }]);
    review.resize(80, 24);
    for _ in 0..1000 {
        press(&mut review, "v");
        text(&review);
    }
    assert!(text(&review).contains("of 500002 lines"), "{}", text(&review));
}
