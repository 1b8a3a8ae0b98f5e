//! `toolsmith -p`: the real program against a script, and against a server that speaks the real wires.

use serde_json::{Value, json};
use toolsmith_host::exec::{self, Process};
use toolsmith_testkit::{ModelServer, Reply};

use crate::place::{HELLO, Place, STAGE};

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

const ENDLESS: &str = r#"export default () => ({
  name: "endless",
  description: "Never ends",
  approval: "read",
  parameters: { type: "object", properties: {} },
  async execute() { for (;;) {} },
});
"#;

/// A trusted project with these tools and a script for the model.
fn place(script: &Value, tools: &[(&str, &str)]) -> Place {
    let place = Place::trusted(&[]);
    for (name, text) in tools {
        place.write(&format!("project/.toolsmith/tools/{name}.ts"), text);
    }
    place.write("script.json", &script.to_string());
    place
}

fn model(place: &Place) -> String {
    format!("script:{}", place.path("script.json").display())
}

fn events(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_answer_alone_is_on_standard_output() {
    let place = place(
        &json!([
            { "reply": ["Let me greet.", { "call": "hello", "arguments": { "name": "Ada" } }] },
            { "expect": { "lastToolResultContains": "Hello, Ada!" }, "reply": "I said: {{lastToolResult}}" }
        ]),
        &[("hello", &HELLO.replace("label:", "approval: 'read', label:"))],
    );
    let said = place.run(&["-p", "greet Ada", "--model", &model(&place)]).await;
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "I said: Hello, Ada!\n", ""));
}

#[tokio::test]
async fn json_mode_prints_every_event_as_a_line_and_ends_with_the_end() {
    let place = place(&json!(["Hello."]), &[]);
    let said = place.run(&["-p", "hi", "--mode", "json", "--model", &model(&place)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let events = events(&said.stdout);
    assert_eq!(events.first().unwrap()["type"], "agent_start");
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["end"]["reason"]), (&json!("agent_end"), &json!("completed")));
}

#[tokio::test]
async fn json_mode_tells_of_rules_and_reminders() {
    let todo = json!({ "ops": [{ "op": "init", "items": ["Say it"] }] });
    let script = json!([
        { "reply": [{ "call": "todo_write", "arguments": todo }] },
        "It is all about foo.",
        "It is all about bar.",
        "Nothing more."
    ]);
    let place = place(&script, &[]);
    place.write("project/.toolsmith/rules/no-foo.md", "---\ncondition: foo\n---\nNo foo.\n");
    let said = place.run(&["-p", "hi", "--mode", "json", "--model", &model(&place)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let events = events(&said.stdout);
    let told =
        events.iter().filter(|event| event["type"] == "ttsr_triggered" || event["type"] == "todo_reminder");
    let told: Vec<_> =
        told.map(|event| (&event["rules"][0]["name"], &event["todos"][0]["content"])).collect();
    assert_eq!(told, [(&json!("no-foo"), &Value::Null), (&Value::Null, &json!("Say it"))]);
    let last = &events.last().unwrap()["messages"];
    let words = last.to_string();
    assert!(words.contains("all about bar") && !words.contains("all about foo"), "{words}");
}

#[tokio::test]
async fn words_files_and_standard_input_make_the_prompt() {
    let place = place(&json!(["{{lastUser}}"]), &[]);
    place.write("project/notes.txt", "from a file\n");
    let args = ["-p", "summarise", "this", "@notes.txt", "--model", &model(&place)];
    let said = place.run_with_input(&args, "from a pipe\n").await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(
        said.stdout,
        "<file path=\"notes.txt\">\nfrom a file\n</file>\n\nfrom a pipe\n\nsummarise this\n"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_prompt_is_said() {
    let place = place(&json!(["x"]), &[]);
    let model = model(&place);
    for (args, part) in [
        (&["-p", "@missing.txt", "--model", &model][..], "missing.txt"),
        (&["-p", "--model", &model], "the prompt is empty"),
        (&["lst"], "Did you mean list"),
        (&["-p", "x", "--tools", "reed", "--model", &model], "did you mean read"),
        (&["-p", "x", "--thinking", "hard", "--model", &model], "hard"),
        (&["-p", "x", "--provider", "nobody", "--model", "m"], "unknown provider \"nobody\""),
    ] {
        let said = place.run(args).await;
        assert!(said.code == 1 || said.code == 2, "{args:?} {said:#?}");
        assert!(said.stderr.contains(part), "{args:?} {said:#?}");
        assert_eq!(said.stdout, "");
    }
}

#[tokio::test]
async fn without_a_model_it_says_exactly_what_to_set() {
    let place = Place::new(&[]);
    // Whoever runs this test may have a server.
    let said = place.run(&["-p", "hi", "--set", "discovery.local_models=no"]).await;
    assert_eq!(said.code, 1);
    for part in ["ANTHROPIC_API_KEY", "--model", "config.toml", "toolsmith demo"] {
        assert!(said.stderr.contains(part), "{said:#?}");
    }
}

#[tokio::test]
async fn any_endpoint_works_from_the_command_line_alone() {
    for provider in ["anthropic", "openai", "openai-chat", "google", "somebody"] {
        let server = ModelServer::start().await.unwrap();
        server.push(Reply::new().call("c1", "hello", &json!({ "name": "Ada" })));
        server.push(Reply::new().text("Done."));
        let place = Place::trusted(&[(
            "project/.toolsmith/tools/hello.ts",
            &HELLO.replace("label:", "approval: 'read', label:"),
        )]);
        let url = server.url();
        let args = ["-p", "greet", "--provider", provider, "--model", "some-model", "--base-url", &url];
        let request =
            place.request(&[&args[..], &["--api-key-env", "A_KEY"]].concat()).env("A_KEY", "s3cret");
        let said = place.run_request(&request).await;
        assert_eq!((said.code, said.stdout.as_str()), (0, "Done.\n"), "{provider}: {said:#?}");
        assert_eq!(server.requests().len(), 2, "{provider}");
        assert!(server.requests()[1].body.to_string().contains("Hello, Ada!"), "{provider}");
        // Keys never reach files.
        let home = std::fs::read_dir(place.path("home/.toolsmith")).unwrap();
        assert!(home.count() > 0);
        let found = exec_grep(&place, "s3cret").await;
        assert_eq!(found, "", "{provider}: the key is in a file");
    }
}

async fn exec_grep(place: &Place, text: &str) -> String {
    let request = exec::Request::new("grep").args([
        "-rl".to_owned(),
        text.to_owned(),
        place.path("home").display().to_string(),
    ]);
    exec::run(&request, &toolsmith_tool::CancelToken::new(), |_| {}).await.unwrap().stdout.text()
}

#[tokio::test]
async fn a_wrong_key_is_a_failure_with_the_providers_words() {
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::refuse(toolsmith_testkit::Problem::Auth));
    let place = Place::new(&[]);
    let url = server.url();
    let said = place.run(&["-p", "hi", "--provider", "anthropic", "--model", "m", "--base-url", &url]).await;
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("not authorized"), "{said:#?}");
}

#[tokio::test]
async fn c5_4_what_may_not_run_unasked_is_refused_with_how_to_allow_it() {
    let script = json!([
        { "reply": [{ "call": "bash", "arguments": { "command": "touch made" } }] },
        "{{lastToolResult}}"
    ]);
    let asked = place(&script, &[]);
    let said = asked.run(&["-p", "x", "--model", &model(&asked)]).await;
    assert!(said.stdout.contains("--auto-approve") || said.stdout.contains("approval"), "{said:#?}");
    assert!(!asked.path("project/made").exists());
    // The person hears of it too, once, and what is said works.
    let lines: Vec<&str> = said.stderr.lines().collect();
    let [line] = lines.as_slice() else { panic!("{said:#?}") };
    assert!(line.starts_with("refused: bash needs approval"), "{line}");
    assert!(line.contains("--set tools.approval.bash=allow") && line.contains("--auto-approve"), "{line}");
    let said = asked.run(&["-p", "x", "--mode", "json", "--model", &model(&asked)]).await;
    let all = events(&said.stdout);
    let end = all.iter().find(|event| event["type"] == "tool_execution_end").unwrap();
    assert_eq!(
        (&end["isError"], &end["result"]["details"]["denied"]),
        (&json!(true), &json!("nobody_to_ask"))
    );
    assert_eq!(said.stderr, "");
    let with_flag = ["-p", "x", "--set", "tools.approval.bash=allow", "--model", &model(&asked)];
    let said = asked.run(&with_flag).await;
    assert!(!said.stdout.contains("requires approval") && said.stderr.is_empty(), "{said:#?}");

    let allowed = place(&script, &[]);
    allowed.program("sh", "#!/bin/sh\nexec /bin/sh \"$@\"\n");
    allowed.program("bash", "#!/bin/sh\nexec /bin/bash \"$@\"\n");
    allowed.program("touch", "#!/bin/sh\nexec /usr/bin/touch \"$@\"\n");
    let said = allowed.run(&["-p", "x", "--auto-approve", "--model", &model(&allowed)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(allowed.path("project/made").exists(), "{said:#?}");
}

#[tokio::test]
async fn a_conversation_goes_on_where_it_was_left() {
    let place = place(&json!(["First."]), &[]);
    let said = place.run(&["-p", "one", "--model", &model(&place)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    place.write("script.json", &json!([{ "reply": "Second." }]).to_string());
    let said = place.run(&["-p", "two", "--continue", "--mode", "json", "--model", &model(&place)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let listed = place.run(&["sessions", "list", "--json"]).await;
    let sessions = listed.json()["sessions"].as_array().cloned().unwrap();
    assert_eq!(sessions.len(), 1, "{listed:#?}");
    let shown = place.run(&["sessions", "show", sessions[0]["id"].as_str().unwrap()]).await;
    for word in ["one", "First.", "two", "Second."] {
        assert!(shown.stdout.contains(word), "{word} {shown:#?}");
    }
    let kept = place.run(&["-p", "three", "--no-session", "--model", &model(&place)]).await;
    assert_eq!(kept.code, 0);
    let listed = place.run(&["sessions", "list", "--json"]).await;
    assert_eq!(listed.json()["sessions"].as_array().map(Vec::len), Some(1), "{listed:#?}");
}

#[tokio::test]
async fn c8_4_a_preview_is_decided_on_before_anything_else() {
    let place = place(
        &json!([
            { "reply": [{ "call": "stage" }] },
            { "expect": { "toolChoice": "resolve", "toolOffered": "resolve" },
              "reply": [{ "call": "resolve", "arguments": { "action": "discard", "reason": "no need" } }] },
            { "expect": { "toolChoice": "auto" }, "reply": "{{lastToolResult}}" }
        ]),
        &[("stage", &STAGE.replace("description:", "approval: 'read', description:"))],
    );
    let said = place.run(&["-p", "x", "--model", &model(&place)]).await;
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (0, "Discarded: Write the file. Reason: no need\n"),
        "{said:#?}"
    );
}

/// Reads standard output until the text is there.
async fn wait_for(process: &mut Process, text: &str) {
    let pipe = process.stdout.as_mut().unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains(text) {
        let count = pipe.read(&mut buffer).await.unwrap();
        assert!(count > 0, "{text} never came: {seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
}

#[tokio::test]
async fn c4_6_a_signal_during_a_tool_that_loops_ends_the_program() {
    for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
        let place = place(&json!([{ "reply": [{ "call": "endless" }] }, "over"]), &[("endless", ENDLESS)]);
        let args = ["-p", "x", "--mode", "json", "--model", &model(&place)];
        let mut process = exec::spawn(&place.request(&args)).unwrap();
        wait_for(&mut process, "tool_execution_start").await;
        process.signal(signal);
        wait_for(&mut process, "\"reason\":\"aborted\"").await;
        assert_eq!(process.wait().await.code, code);
    }
}

#[tokio::test]
async fn c4_6_a_signal_while_the_model_answers_closes_the_connection() {
    let server = ModelServer::start().await.unwrap();
    let gate = toolsmith_testkit::Gate::new();
    server.push(Reply::new().text("begun").wait(&gate));
    let place = Place::new(&[]);
    let url = server.url();
    let args = ["-p", "x", "--mode", "json", "--provider", "openai-chat", "--model", "m", "--base-url", &url];
    let mut process = exec::spawn(&place.request(&args)).unwrap();
    wait_for(&mut process, "begun").await;
    process.signal(SIGINT);
    server.wait_for_disconnects(1).await;
    wait_for(&mut process, "\"reason\":\"aborted\"").await;
    assert_eq!(process.wait().await.code, 130);
}

#[tokio::test]
async fn a_home_that_cannot_be_written_costs_the_record_and_not_the_answer() {
    // Also the superuser cannot make a folder in a file.
    let place = Place::new(&[("home/.toolsmith/sessions", "a file where a folder should be")]);
    place.write("script.json", &json!(["Hello."]).to_string());
    let model = model(&place);
    let said = place.run(&["-p", "hi", "--model", &model]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Hello.\n"), "{said:#?}");
    let lines: Vec<&str> = said.stderr.lines().collect();
    let [line] = lines.as_slice() else { panic!("{said:#?}") };
    assert!(line.starts_with("warning: the session is not stored: could not write"), "{line}");
    let silent = place.run(&["-p", "hi", "--no-session", "--model", &model]).await;
    assert_eq!((silent.code, silent.stderr.as_str()), (0, ""), "{silent:#?}");
}

#[tokio::test]
async fn a_limit_names_what_the_command_line_has() {
    let call = json!({ "reply": [{ "call": "ls", "arguments": {} }] });
    let place = place(&json!([call, call, call]), &[]);
    let model = model(&place);
    let said = place.run(&["-p", "x", "--max-turns", "1", "--model", &model]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("Stopped after 1 turn, the maximum per prompt."), "{said:#?}");
    assert!(said.stderr.contains("--max-turns raises the limit, and --continue continues"), "{said:#?}");
    let said = place.run(&["-p", "x", "--no-session", "--max-turns", "2", "--model", &model]).await;
    assert!(said.stderr.contains("after 2 turns,") && !said.stderr.contains("--continue"), "{said:#?}");
}

#[tokio::test]
async fn a_name_that_means_nothing_comes_with_where_to_look() {
    let place = place(&json!(["x"]), &[]);
    let near = ["--set", "discovery.local_models=no"];
    let said = place.run(&[&["-p", "x", "--model", "nosuch"][..], &near].concat()).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.starts_with("error: unknown model \"nosuch\""), "{said:#?}");
    assert!(said.stderr.contains("`toolsmith doctor`"), "{said:#?}");
    let said = place.run(&[&["-p", "x", "--model", "claude-sonet-4-5"][..], &near].concat()).await;
    assert!(said.stderr.contains("did you mean anthropic/claude-sonnet-4-5"), "{said:#?}");
    let model = model(&place);
    for args in [
        &["-p", "x", "--resume", "nothing", "--model", &model][..],
        &["sessions", "show", "nothing"],
        &["sessions", "rm", "nothing"],
    ] {
        let said = place.run(args).await;
        let mut lines = said.stderr.lines();
        assert_eq!(
            (said.code, lines.next()),
            (1, Some("error: Session \"nothing\" not found.")),
            "{said:#?}"
        );
        assert!(lines.next().is_some_and(|line| line.contains("`toolsmith sessions list`")), "{said:#?}");
    }
}
