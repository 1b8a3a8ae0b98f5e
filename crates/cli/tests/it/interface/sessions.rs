//! Sessions: resume, names, the tree, new and fork.

use serde_json::json;

use super::{place, start};

#[test]
fn c7_3_a_session_is_continued_and_listed() {
    let place = place(&json!(["First answer.", "Second answer.", "Third answer."]));
    let mut screen = start(&place, &[]);
    screen.send("first prompt");
    screen.wait_for("First answer.");
    screen.send("/name my session");
    screen.wait_for("· my session");
    screen.send("/new");
    screen.wait_for("New session");
    screen.send("second prompt");
    screen.wait_for("Second answer.");
    screen.send("/resume");
    screen.wait_for("my session");
    screen.keys("my s");
    screen.wait_gone("second prompt · ");
    screen.keys("\r");
    screen.wait_for("── Session my session");
    screen.wait_for("first prompt");
    screen.send("third prompt");
    screen.wait_for("Third answer.");
    screen.keys("\x04");
    screen.finish();
    let mut again = start(&place, &["-c"]);
    again.wait_for("first prompt");
}

#[test]
fn the_tree_goes_back_to_an_earlier_prompt() {
    let place = place(&json!(["First answer.", "Second answer.", "Other answer."]));
    let mut screen = start(&place, &[]);
    screen.send("first prompt");
    screen.wait_for("First answer.");
    screen.send("second prompt");
    screen.wait_for("Second answer.");
    screen.keys("\x1b");
    screen.listen(std::time::Duration::from_millis(100));
    screen.keys("\x1b");
    screen.wait_for("Tree");
    screen.keys("second prompt");
    screen.wait_for("⌕ second prompt");
    screen.keys("\r");
    screen.wait_for("No summary");
    screen.keys("\r");
    screen.wait_for("› second prompt");
    screen.keys("\x15other prompt\r");
    screen.wait_for("Other answer.");
}

#[test]
fn a_long_session_shows_its_end_and_how_to_see_the_rest() {
    let turns: Vec<_> =
        (0..60).map(|turn| json!(format!("Answer {turn}.\n\nwith\n\nsome\n\nrows"))).collect();
    let place = place(&json!({ "turns": turns }));
    let mut screen = start(&place, &[]);
    for turn in 0..40 {
        screen.send(&format!("prompt {turn}"));
        screen.wait_for(&format!("Answer {turn}."));
    }
    screen.keys("\x04");
    screen.finish();
    let mut again = start(&place, &["-c"]);
    again.wait_for("Answer 39.");
    let all = again.all().join("\n");
    assert!(all.contains("earlier items"), "{all}");
    assert!(!all.contains("Answer 0."), "{all}");
}
