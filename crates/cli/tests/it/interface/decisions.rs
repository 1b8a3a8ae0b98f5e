//! Approvals, previews and undo.

use serde_json::{Value, json};

use super::{place, start};
use crate::place::Place;

fn bash(command: &str) -> Value {
    json!({ "reply": [{ "call": "bash", "arguments": { "command": command } }] })
}

#[test]
fn c5_4_a_call_runs_after_yes_and_not_after_no() {
    let place = place(&json!([bash("echo one > one.txt"), bash("echo two > two.txt"), "Done."]));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Allow Bash");
    screen.wait_for("echo one > one.txt");
    screen.answer("y");
    screen.wait_for("echo two > two.txt");
    screen.wait_for("Allow once");
    screen.answer("n");
    screen.wait_for("Done.");
    assert!(place.path("project/one.txt").exists() && !place.path("project/two.txt").exists());
}

#[test]
fn c5_4_no_with_a_message_reaches_the_model() {
    let place = place(&json!([
        bash("rm -rf x"),
        { "expect": { "lastToolResultContains": "use trash instead" }, "reply": "Understood." }
    ]));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Allow once");
    screen.answer("e");
    screen.wait_for("Tell the model why");
    screen.keys("use trash instead\r");
    screen.wait_for("Understood.");
}

#[test]
fn c5_4_always_writes_the_setting() {
    let place = place(&json!([bash("true"), bash("true"), "Done."]));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Allow once");
    screen.answer("a");
    screen.wait_for("Done.");
    screen.wait_for("tools.approval.bash is allow");
    let file = std::fs::read_to_string(place.path("home/.toolsmith/config.toml")).unwrap();
    assert!(file.contains("[tools.approval]\nbash = \"allow\""), "{file}");
}

#[test]
fn c5_8_nothing_is_allowed_before_all_of_it_was_on_the_screen() {
    let long: String = (0..80).map(|line| format!("echo line {line}\n")).collect();
    let place = place(&json!([bash(&format!("{long}touch done.txt")), "Done."]));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("more rows");
    assert!(!screen.contents().contains("touch done.txt"));
    // The end key skips the middle, which does not count as shown.
    screen.answer("\x1b[F");
    screen.wait_for("touch done.txt");
    screen.answer("y");
    screen.wait_gone("touch done.txt");
    for _ in 0..20 {
        if screen.contents().contains("touch done.txt") {
            break;
        }
        assert!(!place.path("project/done.txt").exists());
        screen.answer("y");
        screen.listen(std::time::Duration::from_millis(300));
    }
    screen.answer("y");
    screen.wait_for("Done.");
    assert!(place.path("project/done.txt").exists());
}

#[test]
fn c5_8_what_is_typed_while_a_question_appears_is_not_an_answer() {
    let place = place(&json!({ "paceMs": 1, "turns": [bash("touch done.txt"), "Done."] }));
    let mut screen = start(&place, &[]);
    // The keys follow the prompt at once, before the question can be read.
    screen.keys("go\ryyyyyyyy");
    screen.wait_for("Allow once");
    assert!(!place.path("project/done.txt").exists());
}

#[test]
fn c5_8_a_held_enter_key_allows_nothing() {
    let place = place(&json!([bash("touch done.txt"), "Done."]));
    let mut screen = start(&place, &[]);
    screen.send("go");
    // A key that is held repeats about thirty times a second.
    for _ in 0..60 {
        screen.keys("\r");
        screen.listen(std::time::Duration::from_millis(30));
    }
    screen.wait_for("Allow once");
    assert!(!place.path("project/done.txt").exists());
    // Another key, because the held one counts only after a long pause.
    screen.answer("y");
    screen.wait_for("Done.");
    assert!(place.path("project/done.txt").exists());
}

#[test]
fn c8_6_hunks_are_chosen_applied_and_undone() {
    let lines = |first: &str, last: &str| {
        let middle: String = (2..30).map(|line| format!("line {line}\n")).collect();
        format!("{first}\n{middle}{last}\n")
    };
    let edit = json!({ "reply": [{ "call": "ast_edit", "arguments": { "ops": [{ "pat": "old($A)", "out": "fresh($A)" }] } }] });
    let place = place(&json!([edit, "Reviewed."]));
    let middle: String = (2..30).map(|line| format!("// line {line}\n")).collect();
    place.write("project/a.ts", &format!("old(1);\n{middle}old(2);\n"));
    let _ = lines;
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("a.ts");
    screen.wait_for("fresh(1)");
    // To the second hunk, out of the choice, and apply.
    screen.answer("\x1b[B\x1b[B \x1b[A");
    screen.answer("a");
    screen.wait_for("Reviewed.");
    let after = std::fs::read_to_string(place.path("project/a.ts")).unwrap();
    assert!(after.starts_with("fresh(1);") && after.ends_with("old(2);\n"), "{after}");
    screen.send("/undo");
    screen.wait_for("Undo:");
    screen.answer("y");
    screen.wait_for("Undid:");
    assert!(std::fs::read_to_string(place.path("project/a.ts")).unwrap().starts_with("old(1);"));
}

#[test]
fn c3_3_dialogs_of_tools_are_shown_and_answered() {
    let tool = r#"export default (pi) => ({
      name: "ask", description: "Asks", parameters: { type: "object", properties: {} }, approval: "read",
      async execute() {
        const colour = await pi.ui.select("Which colour?", ["red", "green"]);
        const sure = await pi.ui.confirm("Sure?", "Really " + colour + "?");
        const name = await pi.ui.input("Your name?", "name");
        return { content: [{ type: "text", text: `${colour} ${sure} ${name}` }] };
      },
    });"#;
    let call = json!({ "reply": [{ "call": "ask", "arguments": {} }] });
    let place = place(&json!([call, "The tool said {{lastToolResult}}"]));
    place.write("project/.toolsmith/tools/ask.ts", tool);
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Which colour?");
    screen.answer("\x1b[B\r");
    screen.wait_for("Really green?");
    screen.answer("y");
    screen.wait_for("Your name?");
    screen.keys("Ada\r");
    screen.wait_for("green true Ada");
}

#[test]
fn c2_8_only_an_answer_counts_at_the_trust_question() {
    let place = Place::new(&[]);
    place.write("script.json", r#"["Hello."]"#);
    place.write("project/.toolsmith/tools/t.ts", "globalThis.x = 1; export default () => [];");
    let trusted = || std::fs::read_to_string(place.path("home/.toolsmith/trust.json")).unwrap_or_default();
    let mut screen = super::Screen::start(&place, &["--model", &super::model(&place)], 24, 80);
    screen.wait_for("Trust this directory?");
    screen.answer("\r");
    screen.answer("x");
    screen.answer(" \r");
    screen.listen(std::time::Duration::from_millis(500));
    assert!(screen.contents().contains("Trust this directory?") && !trusted().contains("project"));
    screen.answer("n");
    screen.wait_for("script/script");
    screen.keys("\x04");
    screen.finish();
    assert!(!trusted().contains("\"trusted\": [\n    \""), "{}", trusted());
}
