//! Every way out restores the terminal and saves the session (CONTRACT 9.3).

use serde_json::json;

use super::{place, start};

/// Modes that must be off at the end, and the sequences that turn them off.
const RESTORED: [&str; 8] = [
    "\x1b[?2004l",
    "\x1b[?1004l",
    "\x1b[?2031l",
    "\x1b[<u",
    "\x1b[>4;0m",
    "\x1b[?7h",
    "\x1b[?25h",
    "\x1b[0m",
];

fn assert_restored(bytes: &str) {
    for sequence in RESTORED {
        assert!(bytes.contains(sequence), "{sequence:?} is missing in {bytes:?}");
    }
}

#[test]
fn c9_3_quitting_restores_the_modes_and_says_how_to_resume() {
    for keys in ["\x04", "\x03\x03", "/quit\r"] {
        let place = place(&json!(["Hello."]));
        let mut screen = start(&place, &[]);
        screen.send("hi");
        screen.wait_for("Hello.");
        screen.keys(keys);
        let (bytes, code) = screen.finish();
        assert_eq!(code, 0, "{keys:?}");
        assert_restored(&bytes);
        assert!(bytes.contains("toolsmith --resume"), "{bytes}");
    }
}

#[test]
fn c9_3_signals_restore_the_modes_and_save_the_session() {
    for (number, code) in [(15, 143), (1, 129), (2, 130), (3, 143), (10, 143)] {
        let place = place(&json!({ "turns": [{ "reply": ["Partial.", { "waitForAbort": true }] }] }));
        let mut screen = start(&place, &[]);
        screen.send("remember this");
        screen.wait_for("Partial.");
        screen.signal(number);
        let (bytes, ended) = screen.finish();
        assert_eq!(ended, code, "signal {number}");
        assert_restored(&bytes);
        let mut again = start(&place, &["-c"]);
        again.wait_for("remember this");
    }
}

#[test]
fn c9_3_ctrl_z_gives_the_terminal_back_and_continuing_takes_it_again() {
    let place = place(&json!(["Hello."]));
    let mut screen = start(&place, &[]);
    screen.keys("draft");
    screen.wait_for("draft");
    let before = screen.bytes.len();
    screen.keys("\x1a");
    screen.wait_gone("draft");
    screen.listen(std::time::Duration::from_millis(300));
    assert_restored(&String::from_utf8_lossy(&screen.bytes[before..]));
    screen.signal(18);
    screen.wait_for("draft");
    screen.keys("\x15hi\r");
    screen.wait_for("Hello.");
}

#[test]
fn c9_3_a_terminal_that_closes_during_a_question_ends_the_program() {
    let call = json!({ "reply": [{ "call": "bash", "arguments": { "command": "true" } }] });
    let place = place(&json!([call, "Done."]));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Allow once");
    screen.signal(1);
    assert_eq!(screen.finish().1, 129);
}
