//! Tools that send more than can be shown, or ask again and again, do not keep the person from the keyboard.

use serde_json::json;

use super::{place, start};
use crate::place::Place;

/// A project with a tool `flood` that runs this code.
fn flooding(code: &str) -> Place {
    let call = json!({ "reply": [{ "call": "flood", "arguments": {} }] });
    let place = place(&json!([call, "Done."]));
    let tool = format!(
        "export default () => ({{ name: 'flood', description: 'd', parameters: {{ type: 'object', properties: {{}} }}, \
         approval: 'read', async execute(id, params, update, ctx) {{ {code} }} }});"
    );
    place.write("project/.toolsmith/tools/flood.ts", &tool);
    place
}

#[test]
fn c9_2_keys_and_signals_count_whatever_a_tool_sends() {
    let place = flooding(
        "ctx.ui.setWidget('w', Array(20000).fill('widget ' + 'x'.repeat(500)));\
         for (let i = 0; ; i++) { ctx.ui.setStatus('s', 'y'.repeat(1e6) + i); await new Promise((r) => setTimeout(r, 1)); }",
    );
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("widget xxx");
    screen.keys("typed");
    screen.wait_for("› typed");
    screen.signal(15);
    assert_eq!(screen.finish().1, 143);
}

#[test]
fn c4_6_ctrl_c_twice_stops_a_tool_that_asks_again_and_again() {
    let place = flooding("for (let i = 0; ; i++) await ctx.ui.select(`Question ${i}?`, ['a', 'b']);");
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("Question 0?");
    screen.answer("\x1b");
    screen.wait_for("Question 1?");
    screen.keys("\x03\x03");
    screen.wait_for("Interrupted");
    screen.wait_gone("Question");
    screen.keys("\x03\x03");
    assert_eq!(screen.finish().1, 0);
}
