//! Typing: the caret, pastes, queued messages, commands and completion.

use serde_json::json;

use super::{Screen, model, place, start};

#[test]
fn c9_2_the_caret_is_where_the_next_character_appears() {
    let place = place(&json!(["Hello."]));
    let mut screen = start(&place, &[]);
    for (keys, shown, column) in [("abc", "› abc", 5), ("漢字", "› abc漢字", 9), ("\x01", "› abc漢字", 2)]
    {
        screen.keys(keys);
        screen.wait_for(shown);
        screen.wait("the caret", |_| true);
        screen.listen(std::time::Duration::from_millis(200));
        assert_eq!(screen.cursor().1, column, "{keys:?}\n{}", screen.contents());
    }
}

#[test]
fn type_ahead_is_not_lost() {
    let place = place(&json!(["Hello."]));
    let mut screen = Screen::start(&place, &["--model", &model(&place)], 24, 80);
    screen.keys("typed early");
    screen.wait_for("› typed early");
    screen.keys("\r");
    screen.wait_for("Hello.");
}

#[test]
fn a_paste_of_a_megabyte_is_one_token() {
    let place = place(&json!(["Hello."]));
    let mut screen = start(&place, &[]);
    let text = "0123456789abcdef ".repeat(65_000);
    screen.keys(&format!("\x1b[200~{text}\x1b[201~"));
    screen.wait_for("[paste #1");
    screen.keys("\x7f");
    screen.wait_gone("[paste #1");
}

#[test]
fn an_unknown_command_is_an_error_with_suggestions_and_is_not_sent() {
    let place = place(&json!(["Hello."]));
    let mut screen = start(&place, &[]);
    screen.send("/reolad");
    screen.wait_for("Did you mean /reload?");
    assert!(!screen.contents().contains("Hello."));
}

#[test]
fn files_and_commands_are_completed() {
    let place = place(&json!(["Hello."]));
    place.write("project/src/parser.rs", "");
    let mut screen = start(&place, &[]);
    screen.keys("see @pars");
    screen.wait_for("› parser.rs");
    screen.keys("\t");
    screen.wait_for("see @src/parser.rs");
    screen.keys("\x15/thin");
    screen.wait_for("Choose the thinking level");
    screen.keys("\t");
    screen.wait_for("xhigh");
}

#[test]
fn during_a_run_enter_steers_alt_enter_follows_up_and_alt_up_takes_both_back() {
    let place =
        place(&json!({ "turns": [{ "reply": ["Working on it.", { "waitForAbort": true }] }, "Next."] }));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Working on it.");
    screen.keys("first\r");
    screen.wait_for("› first");
    screen.keys("second\x1b\r");
    screen.wait_for("» second");
    screen.keys("\x1b[1;3A");
    screen.wait_gone("» second");
    screen.wait_for("second");
    screen.keys("\x15\x1b[A\x15");
    screen.keys("\x1b");
    screen.wait_for("Interrupted");
}

#[test]
fn a_shell_command_is_shown_and_reaches_the_model() {
    let place = place(&json!([{ "reply": "It said: {{lastUser}}" }, "x"]));
    let mut screen = start(&place, &[]);
    screen.send("!echo shell-$((40 + 2))");
    screen.wait_for("shell-42");
    screen.send("what did it print?");
    screen.wait_for("It said:");
}

#[test]
fn the_composer_is_there_before_the_session() {
    let place = place(&json!(["Hello."]));
    // A module that takes its time to load.
    place.write(
        "project/.toolsmith/tools/slow.ts",
        "const until = Date.now() + 1500; while (Date.now() < until); export default () => [];",
    );
    let mut screen = Screen::start(&place, &["--model", &model(&place)], 24, 80);
    screen.wait_for("starting…");
    screen.keys("early prompt\r");
    screen.wait_for("waiting early prompt");
    screen.wait_for("Hello.");
}

#[test]
fn commands_of_files_skills_and_extensions_are_offered_and_run() {
    let place = place(&json!([{ "reply": "You said: {{lastUser}}" }, "Second.", "Third."]));
    place.write(
        "project/.claude/commands/greet.md",
        "---\ndescription: Greets a person\n---\nSay hello to $1",
    );
    place.write(
        "home/.claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files\n---\nBody of pdf\n",
    );
    place.write(
        "project/.toolsmith/extensions/deploy.ts",
        "export default (pi) => pi.registerCommand('deploy', { description: 'Deploys it',\
         getArgumentCompletions: () => [{ value: 'staging', label: 'staging' }],\
         handler: async (args, ctx) => ctx.ui.notify(`Deployed to ${args}`) });",
    );
    let mut screen = start(&place, &[]);
    screen.keys("/gre");
    screen.wait_for("Greets a person");
    screen.keys("\tAda\r");
    screen.wait_for("You said: Say hello to Ada");
    screen.keys("/skill:p");
    screen.wait_for("Reads PDF files");
    screen.keys("\t\r");
    screen.wait_for("Second.");
    screen.keys("/depl");
    screen.wait_for("Deploys it");
    screen.keys("\t");
    screen.wait_for("staging");
    screen.keys("\t\r");
    screen.wait_for("Deployed to staging");
    screen.send("/greeet");
    screen.wait_for("Did you mean /greet?");
}

#[test]
fn c9_2_bytes_of_a_terminal_that_is_not_utf_8_are_ignored_and_typing_goes_on() {
    let place = place(&json!(["Hello."]));
    let variables = [("LC_ALL", "de_DE.ISO-8859-1")];
    let mut screen = Screen::start_with(&place, &["--model", &model(&place)], 24, 80, &variables);
    screen.wait_for("script/script");
    // `äöü` in Latin-1.
    screen.raw_keys(b"a\xe4\xf6\xfcb");
    screen.wait_for("› ab");
    screen.keys("c");
    screen.wait_for("› abc");
}
