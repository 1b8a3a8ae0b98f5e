//! A person's tour: start, prompt, a tool with its own rendering, approval, a staged change reviewed and half of it
//! applied, undo, branch, resume, quit.

use std::time::Duration;

use serde_json::json;

use super::{place, start};

const TOOL: &str = r#"export default (pi) => ({
  name: "greet", label: "Greet", description: "Greets", approval: "read",
  parameters: { type: "object", properties: { name: { type: "string" } } },
  renderCall: (args, options, theme) => new pi.pi.Text(theme.fg("accent", `greeting <${args.name}>`), 0, 0),
  renderResult: (result, options, theme) => new pi.pi.Text(theme.fg("success", "drawn by the tool"), 0, 0),
  async execute(id, params) { return { content: [{ type: "text", text: `Hello, ${params.name}!` }] }; },
});"#;

#[test]
fn a_tour_from_start_to_quit() {
    let place = place(&json!([
        { "reply": ["Greeting.", { "call": "greet", "arguments": { "name": "Ada" } }] },
        { "reply": ["Now a command.", { "call": "bash", "arguments": { "command": "echo approved" } }] },
        { "reply": [{ "call": "ast_edit", "arguments": { "ops": [{ "pat": "f($A)", "out": "g($A)" }] } }] },
        "All done.",
        "Another branch."
    ]));
    place.write("project/.toolsmith/tools/greet.ts", TOOL);
    place.write("project/a.ts", "f(1);\n");
    place.write("project/b.ts", "f(2);\n");
    let mut screen = start(&place, &[]);

    screen.send("take the tour");
    screen.wait_for("greeting <Ada>");
    screen.wait_for("drawn by the tool");
    screen.wait_for("Allow once");
    screen.answer("y");
    screen.wait_for("approved");

    // Half of the staged change: the second file is left out.
    screen.wait_for("b.ts");
    screen.wait_for("g(1)");
    screen.answer("\x1b[B \x1b[A");
    screen.answer("a");
    screen.wait_for("All done.");
    let read = |name: &str| std::fs::read_to_string(place.path("project").join(name)).unwrap();
    assert_eq!((read("a.ts").as_str(), read("b.ts").as_str()), ("g(1);\n", "f(2);\n"));

    screen.send("/undo");
    screen.wait_for("Undo:");
    screen.answer("y");
    screen.wait_for("Undid:");
    assert_eq!(read("a.ts"), "f(1);\n");

    screen.send("/fork");
    screen.wait_for("Start a session from before this prompt");
    screen.keys("\r");
    screen.wait_for("New session");
    screen.wait_for("› take the tour");
    screen.keys("\r");
    screen.wait_for("Another branch.");
    screen.keys("\x04");
    let (bytes, code) = screen.finish();
    assert_eq!(code, 0);
    assert!(bytes.contains("toolsmith --resume"), "{bytes}");

    let mut again = start(&place, &["-c"]);
    again.wait_for("Another branch.");
    again.keys("\x04");
    assert_eq!(again.finish().1, 0);
}
