//! What only happens where a person is: questions, drawing, widths.

use crate::{
    place::{BROKEN, HELLO, Place, STAGE},
    pty::Terminal,
};

const ASKING: &str = r#"export default (pi) => ({
  name: "asking", description: "", parameters: { type: "object", properties: {} },
  async execute(id, params, update, ctx) {
    pi.ui.notify("Some questions", "warning");
    const colour = await pi.ui.select("Which colour?", ["red", "green"]);
    const sure = await ctx.ui.confirm("Sure?", "There is no way back.");
    const name = await pi.ui.input("Your name", "nobody");
    const text = await pi.ui.editor("A poem", "roses");
    return { content: [{ type: "text", text: JSON.stringify({ colour, sure, name, text, ui: pi.hasUI }) }] };
  },
});
"#;

const DRAWING: &str = r#"export default (pi) => ({
  name: "drawing", description: "", parameters: { type: "object", properties: {} },
  async execute() { return { content: [{ type: "text", text: "plain words" }] }; },
  renderResult(result, options, theme) {
    return { render: (width) => [`drawn ${width} wide, expanded ${options.expanded}`] };
  },
});
"#;

#[test]
fn c2_8_an_untrusted_folder_is_asked_about_once() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let mut terminal = Terminal::start(&place, &["call", "hello", "name=World"]);
    terminal.wait_for("is not trusted yet");
    terminal.wait_for(".toolsmith/tools/hello.ts");
    terminal.wait_for("[y/n]");
    terminal.answer("y");
    terminal.wait_for("Hello, World!");
    assert_eq!(terminal.finish().1, 0);
    let terminal = Terminal::start(&place, &["call", "hello", "name=World"]);
    let (seen, code) = terminal.finish();
    assert_eq!(code, 0);
    assert!(!seen.contains("trusted"), "{seen}");
}

#[test]
fn c2_8_a_no_is_remembered_and_says_how_to_change_it() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let mut terminal = Terminal::start(&place, &["call", "hello", "name=World"]);
    terminal.wait_for("[y/n]");
    terminal.type_line("no");
    terminal.wait_for("is waiting for trust");
    terminal.wait_for("run `toolsmith trust`");
    assert_eq!(terminal.finish().1, 1);
    let (seen, code) = Terminal::start(&place, &["call", "hello", "name=World"]).finish();
    assert_eq!(code, 1);
    assert!(!seen.contains("[y/n]") && seen.contains("is waiting for trust"), "{seen}");
}

#[test]
fn c2_8_the_trust_question_takes_only_answers() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let mut terminal = Terminal::start(&place, &["call", "hello", "name=World"]);
    for typed in ["", "what?", "q"] {
        terminal.wait_for("[y/n]");
        terminal.type_line(typed);
        terminal.wait_for("Answer yes or no.");
    }
    // The end of input is not an answer.
    terminal.wait_for("[y/n]");
    terminal.type_keys("\x04");
    terminal.wait_for("is waiting for trust");
    assert_eq!(terminal.finish().1, 1);
    assert!(!place.path("home/.toolsmith/trust.json").exists(), "nothing was stored");
    let mut terminal = Terminal::start(&place, &["call", "hello", "name=World"]);
    for _ in 0..5 {
        terminal.wait_for("[y/n]");
        terminal.type_line("x");
    }
    terminal.wait_for("is waiting for trust");
    assert_eq!(terminal.finish().1, 1);
    assert!(!place.path("home/.toolsmith/trust.json").exists(), "nothing was stored");
    let mut terminal = Terminal::start(&place, &["call", "hello", "name=World"]);
    terminal.wait_for("[y/n]");
    terminal.answer("yes");
    terminal.wait_for("Hello, World!");
    assert_eq!(terminal.finish().1, 0);
}

#[test]
fn list_does_not_ask() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let (seen, code) = Terminal::start(&place, &["list"]).finish();
    assert_eq!(code, 0);
    assert!(seen.contains("Waiting for trust") && !seen.contains("[y/N]"), "{seen}");
}

#[test]
fn c3_3_tools_can_ask_the_person() {
    let place = Place::trusted(&[("project/.toolsmith/tools/asking.ts", ASKING)]);
    for is_plain in [false, true] {
        let variables: &[(&str, &str)] = if is_plain { &[("ACCESSIBLE", "1")] } else { &[] };
        let mut terminal = Terminal::start_with(&place, &["call", "asking"], variables);
        terminal.wait_for("Some questions");
        terminal.wait_for("Which colour?");
        if is_plain {
            terminal.wait_for("(empty for none):");
            terminal.answer("7");
            terminal.wait_for("is not an option");
            terminal.answer("2");
        } else {
            terminal.wait_for("› red");
            terminal.wait_for("Esc for none");
            terminal.type_keys("\x1b[B");
            terminal.wait_for("› green");
            // Beyond the last is the first again.
            terminal.type_keys("\x1b[B");
            terminal.wait_for("› red");
            terminal.type_keys("2");
            terminal.wait_for("› green");
            terminal.wait_for("Esc for none");
            terminal.type_keys("\r");
        }
        answer_the_rest(terminal);
    }
}

#[test]
fn c3_3_a_choice_can_be_refused_or_interrupted_and_the_terminal_is_as_before() {
    let place = Place::trusted(&[("project/.toolsmith/tools/asking.ts", ASKING)]);
    let mut terminal = Terminal::start(&place, &["call", "asking"]);
    terminal.wait_for("Esc for none");
    terminal.type_keys("\x1b");
    terminal.wait_for("(none)");
    terminal.wait_for("There is no way back.");
    // Lines are read and echoed again.
    terminal.type_line("maybe");
    terminal.wait_for("maybe");
    terminal.wait_for("Your name");
    terminal.type_keys("\x03");
    assert_eq!(terminal.finish().1, 130);
    let mut terminal = Terminal::start(&place, &["call", "asking"]);
    terminal.wait_for("Esc for none");
    terminal.type_keys("\x03");
    assert_eq!(terminal.finish().1, 130);
}

#[test]
fn c3_3_a_choice_is_offered_in_a_session_too() {
    let place = Place::trusted(&[("project/.toolsmith/tools/asking.ts", ASKING)]);
    place.write("script.json", r#"[{ "reply": [{ "call": "asking" }] }, "{{lastToolResult}}"]"#);
    let model = format!("script:{}", place.path("script.json").display());
    let mut terminal = Terminal::start(&place, &["--auto-approve", "--model", &model, "-p", "ask"]);
    terminal.wait_for("› red");
    terminal.wait_for("Esc for none");
    terminal.type_keys("\x1b[B\r");
    answer_the_rest(terminal);
}

fn answer_the_rest(mut terminal: Terminal) {
    terminal.wait_for("There is no way back.");
    terminal.answer("yes");
    terminal.wait_for("Your name");
    terminal.type_line("Ada");
    terminal.wait_for("single dot.");
    terminal.type_line("violets");
    terminal.type_line("blue");
    terminal.type_line(".");
    terminal.wait_for(r#"{"colour":"green","sure":true,"name":"Ada","text":"violets\nblue","ui":true}"#);
    assert_eq!(terminal.finish().1, 0);
}

#[test]
fn c8_a_preview_is_asked_about() {
    let place = Place::trusted(&[("project/.toolsmith/tools/stage.ts", STAGE)]);
    for (answer, expected, code) in [
        ("y", "Written (applied on the command line)", 0),
        ("n", "Discarded: Write the file", 0),
        ("", "The preview was not applied", 3),
    ] {
        let mut terminal = Terminal::start(&place, &["call", "stage"]);
        terminal.wait_for("Write the file");
        terminal.wait_for("Apply it?");
        terminal.answer(answer);
        terminal.wait_for(expected);
        assert_eq!(terminal.finish().1, code, "{answer}");
    }
}

#[test]
fn c6_1_a_tool_draws_its_own_result_on_a_terminal() {
    let place = Place::trusted(&[("project/.toolsmith/tools/drawing.ts", DRAWING)]);
    let (seen, _) = Terminal::start(&place, &["call", "drawing"]).finish();
    assert!(seen.contains("drawn 78 wide, expanded true"), "{seen}");
}

#[test]
fn other_problems_are_mentioned() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/broken.ts", BROKEN),
    ]);
    let (seen, code) = Terminal::start(&place, &["call", "hello", "name=x"]).finish();
    assert_eq!(code, 0);
    assert!(seen.contains("1 problem with other tools"), "{seen}");
}

#[test]
fn tables_are_cut_to_the_terminal() {
    let long = HELLO.replace("Say hello", &"very long label ".repeat(10));
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", &long)]);
    let (seen, _) = Terminal::start(&place, &["list", "--color", "never"]).finish();
    assert!(seen.contains('…'), "{seen}");
    assert!(seen.lines().all(|line| line.chars().count() <= 80), "{seen}");
}

#[test]
fn c4_6_ctrl_c_at_a_question_ends_the_call() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/stage.ts", STAGE),
        ("project/.toolsmith/tools/asking.ts", ASKING),
    ]);
    for (tool, question) in [("stage", "Apply it?"), ("asking", "Esc for none")] {
        let mut terminal = Terminal::start(&place, &["call", tool]);
        terminal.wait_for(question);
        terminal.type_line("\u{3}");
        assert_eq!(terminal.finish().1, 130, "{tool}");
    }
}

/// What clears a screen, and sets a terminal's title.
const OBEYED: [&str; 2] = ["\x1b[2J", "\x1b]0;"];

#[test]
fn a_terminal_does_not_obey_tools_and_models() {
    let tool = r#"export default () => ({
      name: "painter", description: "", parameters: { type: "object", properties: {} }, approval: "read",
      async execute(id, params, update) {
        const text = "one\x1b[2J\x1b]0;owned\x07 \x1b[31mtwo";
        update({ content: [{ type: "text", text: `update ${text}` }] });
        return { content: [{ type: "text", text: `result ${text}` }] };
      },
    });"#;
    let script = r#"{"turns":["answer one\u001b[2J\u001b]0;owned\u0007 \u001b[31mtwo"]}"#;
    let place =
        Place::trusted(&[("project/.toolsmith/tools/painter.ts", tool), ("project/script.json", script)]);
    let called = Terminal::start(&place, &["call", "painter"]).finish().0;
    let answered = Terminal::start(&place, &["-p", "--model", "script:script.json", "hi"]).finish().0;
    for (seen, words) in [(&called, "update one"), (&called, "result one"), (&answered, "answer one")] {
        assert!(seen.contains(&format!("{words} two")), "colours are for renderers: {seen:?}");
        assert!(OBEYED.iter().all(|sequence| !seen.contains(sequence)), "{seen:?}");
    }
}

#[test]
fn c5_4_a_command_cannot_hide_from_the_person_who_is_asked() {
    let script = r#"{"turns":[
        {"reply":[{"call":"bash","arguments":{"command":"touch stolen\u001b[2K\u001b[8m\rls"}}]},
        "done"
    ]}"#;
    let place = Place::trusted(&[("project/script.json", script)]);
    let mut terminal = Terminal::start(&place, &["-p", "--model", "script:script.json", "hi"]);
    terminal.wait_for("touch stolen\\u{1b}[2K\\u{1b}[8m\\rls");
    terminal.wait_for("with a reason:");
    terminal.type_line("n");
    terminal.wait_for("done");
    terminal.finish();
    assert!(!place.path("project/stolen").exists());
}

#[test]
fn rows_are_cut_to_the_width_of_the_terminal() {
    let place = Place::trusted(&[("script.json", "[\"Done.\"]")]);
    let long = "長い文 ".repeat(30);
    let model = format!("script:{}", place.path("script.json").display());
    Terminal::start(&place, &["-p", &long, "--model", &model]).finish();
    let name = format!("{}.txt", "n".repeat(120));
    let argument = format!("path={name}");
    let (seen, code) = Terminal::start(&place, &["call", "write", &argument, "content=x"]).finish();
    assert_eq!(code, 0, "{seen}");
    for args in [&["sessions", "list", "--all"][..], &["undo", "--list"]] {
        let (seen, code) = Terminal::start(&place, &[args, &["--color", "never"]].concat()).finish();
        assert_eq!(code, 0, "{seen}");
        assert!(seen.contains('…'), "{args:?} {seen}");
        for line in seen.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line.trim_end()) <= 80, "{args:?} {line}");
        }
    }
}

const STEPS: &str = r#"import { access } from "node:fs/promises";
export default (pi) => ({
  name: "steps", label: "Steps", description: "", approval: "read", parameters: { type: "object", properties: {} },
  async execute(id, params, onUpdate) {
    onUpdate({ content: [{ type: "text", text: "halfway" }], details: { at: "halfway" } });
    for (;;) { try { await access("go"); break; } catch { await new Promise((resolve) => setTimeout(resolve, 20)); } }
    return { content: [{ type: "text", text: "plain words" }], details: { at: "the end" } };
  },
  renderCall(args, options, theme) { return { render: () => [theme.bold("My call")] }; },
  renderResult(result, options, theme) { return { render: () => [`drawn at ${result.details.at}, partial ${options.isPartial}`] }; },
});
"#;

#[test]
fn c6_1_call_draws_partial_results_and_the_result_as_the_tool_does() {
    let place = Place::new(&[("project/steps.ts", STEPS)]);
    let mut terminal = Terminal::start(&place, &["call", "--tool", "steps.ts", "steps"]);
    terminal.wait_for("My call");
    terminal.wait_for("drawn at halfway, partial true");
    std::fs::write(place.path("project/go"), "x").unwrap();
    terminal.wait_for("drawn at the end, partial false");
    let (seen, code) = terminal.finish();
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains("plain words"), "{seen}");
}

#[test]
fn c6_1_print_shows_calls_as_the_tool_draws_them() {
    let script = r#"[{ "reply": [{ "call": "steps", "arguments": {} }] }, "Done."]"#;
    let place =
        Place::new(&[("project/steps.ts", STEPS), ("project/script.json", script), ("project/go", "x")]);
    let model = format!("script:{}", place.path("project/script.json").display());
    let terminal = Terminal::start(&place, &["-p", "go", "--tool", "steps.ts", "--model", &model]);
    let (seen, code) = terminal.finish();
    assert_eq!(code, 0, "{seen}");
    assert!(
        seen.contains("My call")
            && seen.contains("drawn at the end, partial false")
            && seen.contains("Done."),
        "{seen}"
    );
}
