//! Ctrl-C on the real program (CONTRACT 4.6).

use toolsmith_host::exec::{self, Process};

use crate::place::Place;

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Ends by itself when asked, or never, and says when it was asked.
fn tool(ending: &str) -> String {
    format!(
        "const say = (update, text) => update({{ content: [{{ type: 'text', text }}] }});\n\
         export default () => ({{ name: 'slow', description: '', parameters: {{ type: 'object', properties: {{}} }},\n\
           execute(id, params, update, ctx, signal) {{\n\
             return new Promise((resolve, reject) => {{\n\
               signal.addEventListener('abort', () => {{ say(update, 'asked'); {ending} }});\n\
               say(update, 'started');\n\
             }});\n\
           }},\n\
         }});\n"
    )
}

/// Reads standard error until the text is there.
async fn wait_for(process: &mut Process, text: &str) {
    let pipe = process.stderr.as_mut().unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 1024];
    while !seen.contains(text) {
        let count = pipe.read(&mut buffer).await.unwrap();
        assert!(count > 0, "{text} never came: {seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
}

#[tokio::test]
async fn c4_6_ctrl_c_and_sigterm_ask_the_tool_to_stop() {
    for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
        let ending = "setTimeout(() => reject(new Error('cleaned up')), 20);";
        let place = Place::trusted(&[("project/.toolsmith/tools/slow.ts", &tool(ending))]);
        let args = ["call", "slow", "--set", "limits.grace=1h"];
        let mut process = exec::spawn(&place.request(&args)).unwrap();
        wait_for(&mut process, "started").await;
        process.signal(signal);
        wait_for(&mut process, "stopped (cleaned up)").await;
        assert_eq!(process.wait().await.code, code);
    }
}

#[tokio::test]
async fn c4_6_a_second_signal_ends_what_does_not_stop() {
    for (first, second, code) in [(SIGINT, SIGINT, 130), (SIGTERM, SIGTERM, 143), (SIGINT, SIGTERM, 143)] {
        let place = Place::trusted(&[("project/.toolsmith/tools/slow.ts", &tool(""))]);
        // Nothing but the second one ends it.
        let args = ["call", "slow", "--set", "limits.grace=1h", "--timeout", "1h"];
        let mut process = exec::spawn(&place.request(&args)).unwrap();
        wait_for(&mut process, "started").await;
        process.signal(first);
        wait_for(&mut process, "asked").await;
        process.signal(second);
        wait_for(&mut process, "killed").await;
        assert_eq!(process.wait().await.code, code);
    }
}

/// A provider that answers with 4 MB of text and then with events that never end.
const FLOOD: &str = r#"
export default (pi) => pi.registerProvider("own", {
  api: "own-api", models: [{ id: "m1" }],
  streamSimple: async function* () {
    const partial = { role: "assistant", content: [] };
    const say = (delta) => ({ type: "text_delta", contentIndex: 0, delta, partial });
    for (let count = 0; count < 4; count++) yield say("x".repeat(1 << 20));
    console.error("flooding");
    for (;;) yield say("");
  },
});
"#;

#[tokio::test]
async fn c4_6_ctrl_c_stops_a_provider_that_floods_events() {
    let place = Place::trusted(&[("project/.toolsmith/extensions/flood.ts", FLOOD)]);
    let args = ["-p", "hi", "-v", "--model", "own/m1", "--set", "limits.grace=1h"];
    let mut process = exec::spawn(&place.request(&args)).unwrap();
    wait_for(&mut process, "flooding").await;
    process.signal(SIGINT);
    // The text that arrived is not printed: it is too long to wait for.
    let mut buffer = [0; 1024];
    assert_eq!(process.stdout.as_mut().unwrap().read(&mut buffer).await.unwrap(), 0);
    assert_eq!(process.wait().await.code, 130);
}
