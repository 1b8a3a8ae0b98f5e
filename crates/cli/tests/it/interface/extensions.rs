//! What extensions and tools add to the interface: overlays, shortcuts, messages, shell commands, images.

use serde_json::json;

use super::{model, place, screen::Screen, start};

const EXTENSION: &str = r#"export default function (pi) {
  pi.registerShortcut("ctrl+shift+h", { description: "Say hello", handler: async (ctx) => ctx.ui.notify("hello from the shortcut", "info") });
  pi.registerShortcut("alt+m", { description: "Send a message", handler: async () => pi.sendMessage({ customType: "card", content: "the text", display: true, details: { n: 7 } }) });
  pi.registerShortcut("alt+q", { description: "End", handler: async (ctx) => ctx.shutdown() });
  pi.registerMessageRenderer("card", (message, options, theme) => ({ render: (width) => [theme.fg("accent", `<card ${message.details.n}>`)], invalidate() {} }));
  pi.on("user_bash", (event) => event.command === "remote" ? { result: { output: "ran elsewhere", exitCode: 0, cancelled: false } } : undefined);
  pi.registerTool({ name: "choose", label: "Choose", description: "Chooses", approval: "read", parameters: { type: "object", properties: {} },
    async execute(id, params, signal, onUpdate, ctx) {
      const chosen = await ctx.ui.custom((tui, theme, keys, done) => {
        let count = 0;
        return { render: (width) => ["+".repeat(width), `count ${count} rows ${tui.terminal.rows}`], invalidate() {},
          handleInput(data) { if (data === "q") done(count); else { count++; tui.requestRender(); } } };
      }, { overlay: true, overlayOptions: { width: 30, anchor: "top-right" } });
      return { content: [{ type: "text", text: `chosen ${chosen}` }] };
    } });
}"#;

#[test]
fn c3_3_an_overlay_lies_over_the_transcript_and_leaves_it_as_it_was() {
    let call = json!({ "reply": ["Asking.", { "call": "choose", "arguments": {} }] });
    let place = place(&json!([call, "It said {{lastToolResult}}."]));
    place.write("project/.toolsmith/extensions/e.ts", EXTENSION);
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("count 0 rows 24");
    let row = screen.contents().lines().next().unwrap().to_owned();
    assert!(row.ends_with(&"+".repeat(30)) && row.trim_start().len() == 30, "{row:?}");
    assert!(screen.contents().contains("Asking."), "the transcript is below it");
    screen.keys("x");
    screen.wait_for("count 1");
    screen.keys("q");
    screen.wait_for("It said chosen 1.");
    screen.wait_gone("+++");
    let all = screen.all();
    let asked = all.iter().filter(|row| row.contains("Asking.")).count();
    assert_eq!(asked, 1, "{}", all.join("\n"));
}

#[test]
fn c10_1_shortcuts_run_messages_are_drawn_and_shell_commands_are_intercepted() {
    let place = place(&json!(["unused"]));
    place.write("project/.toolsmith/extensions/e.ts", EXTENSION);
    let mut screen = start(&place, &[]);
    screen.keys("\x1b[104;6u");
    screen.wait_for("hello from the shortcut");
    screen.keys("\x1bm");
    screen.wait_for("<card 7>");
    assert!(!screen.contents().contains("the text"));
    screen.send("!remote");
    screen.wait_for("ran elsewhere");
    screen.send("!echo lo''cal");
    screen.wait_for("local");
    screen.keys("\x1bq");
    let (_, code) = screen.finish();
    assert_eq!(code, 0);
}

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

#[test]
fn an_image_is_drawn_where_the_terminal_can_and_named_elsewhere() {
    let tool = format!(
        r#"export default () => ({{ name: "shot", description: "Takes an image", approval: "read", parameters: {{ type: "object", properties: {{}} }},
          execute: async () => ({{ content: [{{ type: "image", data: "{PNG}", mimeType: "image/png" }}] }}) }});"#
    );
    let script = json!([{ "reply": [{ "call": "shot", "arguments": {} }] }, "There it is."]);
    for (variable, sequence) in [
        (("KITTY_WINDOW_ID", "1"), "\x1b_Ga=T,f=100"),
        (("TERM_PROGRAM", "iTerm.app"), "\x1b]1337;File=inline=1"),
        (("NO", "1"), ""),
    ] {
        let place = place(&script);
        place.write("project/.toolsmith/tools/shot.ts", &tool);
        let mut screen = Screen::start_with(&place, &["--model", &model(&place)], 24, 80, &[variable]);
        screen.wait_for("script/script");
        screen.send("go");
        screen.wait_for("There it is.");
        screen.wait_for("[image: image/png, 1×1");
        let bytes = String::from_utf8_lossy(&screen.bytes).into_owned();
        let drawn = ["\x1b_G", "\x1b]1337"].iter().map(|start| bytes.matches(start).count()).sum::<usize>();
        assert_eq!(drawn, usize::from(!sequence.is_empty()), "{variable:?}");
        assert!(bytes.contains(sequence));
    }
}

#[test]
fn without_a_model_the_first_screen_starts_the_demo() {
    let place = place(&json!([]));
    let mut screen = Screen::start(&place, &[], 30, 100);
    screen.wait_for("No model is configured yet.");
    screen.wait_for("an offline tour");
    screen.answer("\r");
    screen.wait_for("three notes were renamed");
    let (_, code) = screen.finish();
    assert_eq!(code, 0);
}
