//! Ctrl-C on the real program (CONTRACT 4.6).

use toolsmith_host::exec::{self, Process};

use crate::place::Place;

const SIGINT: i32 = 2;

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
async fn c4_6_ctrl_c_asks_the_tool_to_stop() {
    let place =
        Place::trusted(&[("project/.toolsmith/tools/slow.ts", &tool("reject(new Error('cleaned up'));"))]);
    let mut process = exec::spawn(&place.request(&["call", "slow"])).unwrap();
    wait_for(&mut process, "started").await;
    process.signal(SIGINT);
    wait_for(&mut process, "stopped (cleaned up)").await;
    assert_eq!(process.wait().await.code, 130);
}

#[tokio::test]
async fn c4_6_a_second_ctrl_c_ends_what_does_not_stop() {
    let place = Place::trusted(&[("project/.toolsmith/tools/slow.ts", &tool(""))]);
    // Nothing but the second one ends it.
    let args = ["call", "slow", "--set", "limits.grace=1h", "--timeout", "1h"];
    let mut process = exec::spawn(&place.request(&args)).unwrap();
    wait_for(&mut process, "started").await;
    process.signal(SIGINT);
    wait_for(&mut process, "asked").await;
    process.signal(SIGINT);
    wait_for(&mut process, "stopped by force").await;
    assert_eq!(process.wait().await.code, 130);
}
