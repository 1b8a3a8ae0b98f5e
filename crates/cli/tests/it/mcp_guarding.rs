//! What `toolsmith mcp serve` lets a client apply and undo: hooks, denials and tiers hold for the server's own tools as they do
//! for all others (CONTRACT 5.4, 5.7, 11.1).

use serde_json::{Value, json};

use crate::{
    place::Place,
    raw_mcp_client::{Client, text},
};

/// Stages files whose places and contents the client chooses.
const STAGE_FILES: &str = r#"export default (pi) => ({
  name: "stage_files", description: "Stages files", approval: "write", deferrable: true,
  parameters: { type: "object", properties: { paths: { type: "array", items: { type: "string" } } }, required: ["paths"] },
  async execute(id, { paths }) {
    pi.pushPendingAction({ label: "Write files", files: paths.map((path) => ({ path, content: "new\n" })) });
    return { content: [{ type: "text", text: "Staged." }] };
  },
});
"#;

/// A script that runs when somebody commits, so writing it is `exec` (CONTRACT 5.7).
const HOOK_FILE: &str = ".husky/pre-commit";

fn place(files: &[(&str, &str)]) -> Place {
    let place = Place::trusted(&[("project/.toolsmith/tools/stage_files.ts", STAGE_FILES)]);
    for (name, content) in files {
        place.write(name, content);
    }
    place
}

async fn stage(client: &mut Client, path: &str) {
    let staged = client.call("stage_files", json!({ "paths": [path] })).await;
    assert!(staged.to_string().contains("Staged as action"), "{staged}");
}

async fn apply(client: &mut Client) -> Value {
    client.call("toolsmith_resolve", json!({ "action": "apply", "reason": "test" })).await
}

/// Stages and applies a change of one file as a client that decides itself.
async fn change(place: &Place, path: &str) -> String {
    let mut client = Client::start(place, &[]).await;
    stage(&mut client, path).await;
    let applied = apply(&mut client).await;
    assert_ne!(applied["result"]["isError"], json!(true), "{applied}");
    let note = applied["result"]["content"][1]["text"].as_str().unwrap().to_owned();
    assert_eq!(client.leave().await, 0);
    note.split("\"change\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

fn is_refused(answer: &Value) -> bool {
    answer["result"]["isError"] == json!(true)
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_a_denial_of_undo_holds_by_either_name() {
    for name in ["toolsmith_undo", "undo"] {
        let place = place(&[]);
        change(&place, "a.txt").await;
        place.write("home/.toolsmith/config.toml", &format!("[tools.approval]\n{name} = \"deny\"\n"));
        let mut client = Client::start(&place, &[]).await;
        let refused = client.call("toolsmith_undo", json!({})).await;
        assert!(is_refused(&refused) && text(&refused).contains("blocked by user policy"), "{refused}");
        assert!(place.path("project/a.txt").exists());
        assert_eq!(client.leave().await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_1_a_hook_before_undo_blocks_it_and_so_does_one_before_write() {
    for name in ["toolsmith_undo", "write"] {
        let place = place(&[]);
        change(&place, "a.txt").await;
        let script = "echo 'not today' >&2; exit 2\n";
        place.write(&format!("home/.toolsmith/agent/hooks/pre/{name}.sh"), script);
        let mut client = Client::start(&place, &[]).await;
        let refused = client.call("toolsmith_undo", json!({})).await;
        assert!(is_refused(&refused) && text(&refused).contains("not today"), "{name}: {refused}");
        assert!(place.path("project/a.txt").exists(), "{name}");
        assert_eq!(client.leave().await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_undo_has_the_tier_of_the_files_it_writes() {
    let place = place(&[]);
    change(&place, HOOK_FILE).await;
    let mut client = Client::start(&place, &["--approve", "write"]).await;
    let refused = client.call("toolsmith_undo", json!({})).await;
    assert!(is_refused(&refused) && text(&refused).contains("this one is exec"), "{refused}");
    assert!(place.path("project").join(HOOK_FILE).exists());
    // An ordinary file is within the limit.
    stage(&mut client, "a.txt").await;
    apply(&mut client).await;
    assert!(place.path("project/a.txt").exists());
    let undone = client.call("toolsmith_undo", json!({})).await;
    assert!(text(&undone).starts_with("Undone: Write files (a.txt)"), "{undone}");
    assert_eq!(client.leave().await, 0);
    let mut client = Client::start(&place, &["--approve", "read"]).await;
    assert!(is_refused(&client.call("toolsmith_undo", json!({})).await));
    assert_eq!(client.leave().await, 0);
    let mut client = Client::start(&place, &[]).await;
    assert!(!is_refused(&client.call("toolsmith_undo", json!({})).await));
    assert!(!place.path("project").join(HOOK_FILE).exists());
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_the_user_is_asked_about_exec_files_and_nothing_is_lost_without_a_yes() {
    let place = place(&[]);
    let forms = json!({ "elicitation": {} });
    let mut client = Client::with_capabilities(&place, &["--approve", "elicit"], forms).await;
    stage(&mut client, HOOK_FILE).await;
    let refused = apply(&mut client).await;
    assert!(is_refused(&refused) && refused.to_string().contains("still pending"), "{refused}");
    assert!(client.asked[0].contains(HOOK_FILE), "{:?}", client.asked);
    assert!(!place.path("project").join(HOOK_FILE).exists());
    client.answer = json!(true);
    let applied = apply(&mut client).await;
    assert!(!is_refused(&applied), "{applied}");
    assert!(place.path("project").join(HOOK_FILE).exists());
    client.answer = json!(false);
    assert!(is_refused(&client.call("toolsmith_undo", json!({})).await));
    assert!(place.path("project").join(HOOK_FILE).exists());
    client.answer = json!(true);
    assert!(!is_refused(&client.call("toolsmith_undo", json!({})).await));
    assert!(!place.path("project").join(HOOK_FILE).exists());
    assert!(client.asked.iter().all(|question| question.contains(HOOK_FILE)), "{:?}", client.asked);
    assert_eq!(client.leave().await, 0);
    // A client that cannot ask is refused.
    let mut client = Client::start(&place, &["--approve", "elicit"]).await;
    stage(&mut client, HOOK_FILE).await;
    assert!(is_refused(&apply(&mut client).await));
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_a_denial_of_resolve_holds_by_either_name_and_keeps_the_action() {
    for name in ["toolsmith_resolve", "resolve"] {
        let config = format!("[tools.approval]\n{name} = \"deny\"\n");
        let place = place(&[("home/.toolsmith/config.toml", &config)]);
        let mut client = Client::start(&place, &[]).await;
        stage(&mut client, "a.txt").await;
        let refused = apply(&mut client).await;
        assert!(is_refused(&refused) && text(&refused).contains("blocked by user policy"), "{refused}");
        let list = client.request("resources/read", json!({ "uri": "toolsmith://pending" })).await;
        assert!(list.to_string().contains("Write files"), "{list}");
        assert!(!place.path("project/a.txt").exists());
        assert_eq!(client.leave().await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_another_project_cannot_be_undone_and_odd_ids_are_refused() {
    let place = place(&[("other/.toolsmith/tools/stage_files.ts", STAGE_FILES)]);
    let change = change(&place, "a.txt").await;
    let mut client =
        Client::start(&place, &["--cwd", place.path("other").to_str().unwrap(), "--trust"]).await;
    for id in [json!(change), json!("../../x"), json!(""), json!("0"), json!(5), json!({})] {
        let refused = client.call("toolsmith_undo", json!({ "change": id })).await;
        assert!(is_refused(&refused), "{id}: {refused}");
    }
    assert!(place.path("project/a.txt").exists());
    assert_eq!(client.leave().await, 0);
}
