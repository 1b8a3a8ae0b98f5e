//! `abort_tool` finds every call that was sent before it, however close together the lines are.

use serde_json::{Value, json};
use toolsmith_host::exec::{Stdin, run};
use toolsmith_tool::CancelToken;

use crate::place::Place;

const ENDLESS: &str = r#"export default () => ({
  name: "endless", description: "", parameters: { type: "object", properties: {} }, approval: "read",
  execute: () => new Promise(() => {}),
});
"#;

#[tokio::test]
async fn c4_6_an_abort_that_comes_with_its_call_is_never_lost() {
    let place =
        Place::trusted(&[("project/.toolsmith/tools/endless.ts", ENDLESS), ("script.json", "[\"x\"]")]);
    let model = format!("script:{}", place.path("script.json").display());
    let mut lines = String::new();
    for n in 0..100 {
        let id = format!("call-{n}");
        lines += &format!("{}\n", json!({ "type": "call_tool", "name": "endless", "toolCallId": id }));
        lines += &format!("{}\n", json!({ "type": "abort_tool", "toolCallId": id }));
    }
    let request =
        place.request(&["--mode", "rpc", "--model", &model]).stdin(Stdin::Bytes(lines.into_bytes()));
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    let replies: Vec<Value> =
        outcome.stdout.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let aborted: Vec<&Value> = replies.iter().filter(|reply| reply["command"] == "abort_tool").collect();
    assert_eq!(aborted.len(), 100, "{replies:?}");
    let lost: Vec<&&Value> = aborted.iter().filter(|reply| reply["success"] != true).collect();
    assert!(lost.is_empty(), "{lost:?}");
}
