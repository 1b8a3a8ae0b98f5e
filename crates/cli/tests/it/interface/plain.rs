//! The plain interface: no cursor movement at all.

use serde_json::json;

use super::{Screen, model, place};

#[test]
fn plain_mode_appends_text_and_numbers_choices() {
    let call =
        json!({ "reply": ["Look.", { "call": "bash", "arguments": { "command": "echo \u{1b}[2Jdone" } }] });
    for (args, variables) in
        [(&["--plain"][..], &[][..]), (&[], &[("ACCESSIBLE", "1")]), (&[], &[("TERM", "dumb")])]
    {
        let place = place(&json!([call, "Finished."]));
        let model = model(&place);
        let args = [&["--model", &model], args].concat();
        let mut screen = Screen::start_with(&place, &args, 24, 80, variables);
        screen.wait_for("Type a prompt");
        screen.keys("go\r");
        screen.wait_for("1. Allow once");
        screen.answer("1\r");
        screen.wait_for("Finished.");
        screen.wait_for("Done.");
        screen.keys("/quit\r");
        let (_, code) = screen.finish();
        assert_eq!(code, 0);
    }
}

#[test]
fn plain_mode_writes_no_escape_sequence() {
    let place = place(&json!(["Hello **there**. \u{1b}[2J"]));
    let model = model(&place);
    let mut screen = Screen::start(&place, &["--model", &model, "--plain"], 24, 80);
    screen.keys("go\r");
    screen.wait_for("Done.");
    assert!(!screen.bytes.contains(&0x1b), "{}", String::from_utf8_lossy(&screen.bytes));
}

#[test]
fn c5_8_what_was_typed_before_a_plain_question_does_not_answer_it() {
    let call = json!({ "call": "bash", "arguments": { "command": "touch evil" } });
    let call = json!({ "reply": ["Look.", { "delayMs": 700 }, call] });
    let place = place(&json!([call, "Finished."]));
    let model = model(&place);
    let mut screen = Screen::start(&place, &["--model", &model, "--plain"], 24, 80);
    screen.wait_for("Type a prompt");
    screen.keys("go\r");
    screen.wait_for("Look.");
    screen.keys("1");
    screen.wait_for("1. Allow once");
    screen.answer("\r");
    screen.wait_for("Finished.");
    assert!(!place.path("project/evil").exists());
}
