//! What people who write tools stumbled over: calling a file, errors with their place, printed lines, settings, mistyped
//! commands, files in prompts, completions.

use crate::{place::Place, pty::Terminal};

const TOOL: &str = r#"export default (pi) => ({
  name: "shaky", label: "Shaky", description: "Fails on request",
  parameters: { type: "object", properties: { fail: { type: "boolean", description: "Fail" }, mode: { type: "string", enum: ["fast", "slow"] } } },
  async execute(id, params) {
    console.log("printed", params);
    process.stdout.write("raw line\n");
    pi.logger.info("logged only");
    if (params.fail) throw new TypeError("it broke");
    return { content: [{ type: "text", text: "fine" }] };
  },
});"#;

#[tokio::test]
async fn a_module_is_called_by_its_path_and_what_it_prints_is_shown() {
    let place = Place::new(&[]);
    place.write("project/sub/shaky.ts", TOOL);
    let ran = place.run(&["call", "./sub/shaky.ts"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "fine\n"), "{ran:#?}");
    assert!(ran.stderr.contains("│ printed {}") && ran.stderr.contains("│ raw line"), "{ran:#?}");
    // A logger writes to the log (CONTRACT 3.4).
    assert!(!ran.stderr.contains("logged only"), "{ran:#?}");
    let none = place.run(&["call", "./sub/none.ts"]).await;
    assert_eq!(none.code, 2, "{none:#?}");
}

#[tokio::test]
async fn c4_5_a_thrown_error_shows_its_place_and_a_code_frame() {
    let place = Place::new(&[]);
    place.write("project/shaky.ts", TOOL);
    let ran = place.run(&["call", "shaky.ts", "fail=true"]).await;
    assert_eq!(ran.code, 1);
    for part in ["error: it broke", "at shaky.ts:8:", "8 |     if (params.fail) throw new TypeError"] {
        assert!(ran.stderr.contains(part), "{part}: {ran:#?}");
    }
    let verbose = place.run(&["-v", "call", "shaky.ts", "fail=true"]).await;
    assert!(verbose.stderr.contains("at execute ("), "{verbose:#?}");
}

#[tokio::test]
async fn c2_7_a_load_error_names_the_missing_field() {
    let place = Place::new(&[]);
    place.write("project/t.ts", "export default () => ({ name: \"t\", parameters: {}, execute() {} });");
    let ran = place.run(&["call", "./t.ts"]).await;
    assert!(ran.code != 0 && ran.stderr.contains("(description is missing)"), "{ran:#?}");
}

#[tokio::test]
async fn a_result_in_a_file_is_whole_whatever_its_size() {
    let place = Place::new(&[]);
    place.write(
        "project/big.ts",
        "export default () => ({ name: \"big\", description: \"d\", parameters: { type: \"object\", properties: {} },\n\
         async execute() { return { content: [{ type: \"text\", text: \"line\\n\".repeat(200000) + \"end\" }] }; } });",
    );
    let mut request = place.request(&[]);
    let command = format!("'{}' call ./big.ts > out.txt", request.program);
    request.program = "/bin/sh".to_owned();
    let ran = place.run_request(&request.args(["-c", &command])).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    let written = std::fs::read_to_string(place.path("project/out.txt")).unwrap();
    assert_eq!(written.lines().count(), 200_001);
    assert!(written.ends_with("line\nend\n"));
}

#[tokio::test]
async fn a_retry_is_reported_where_there_is_no_terminal() {
    let place = Place::new(&[("home/.toolsmith/config.toml", "[retry]\nbase_delay = \"1ms\"\n")]);
    place.write("script.json", r#"[{ "reply": [{ "error": "busy", "class": "overloaded" }] }, "Done."]"#);
    let model = format!("script:{}", place.path("script.json").display());
    let ran = place.run(&["--model", &model, "-p", "hi"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Done.\n"), "{ran:#?}");
    assert!(ran.stderr.contains("retry") && ran.stderr.contains("busy"), "{ran:#?}");
}

#[tokio::test]
async fn new_refuses_the_name_of_a_built_in_tool_and_trust_says_what_it_did() {
    let place = Place::new(&[]);
    let refused = place.run(&["new", "read"]).await;
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("\"read\" is the name of a built-in tool"), "{refused:#?}");
    assert!(!place.path("project/.toolsmith").exists());
    let trusted = place.run(&["trust"]).await;
    let project = place.path("project").display().to_string();
    assert_eq!(trusted.stdout, format!("Trusted: {project} and everything in it\n"), "{trusted:#?}");
}

#[tokio::test]
async fn c8_3_resolve_says_that_nothing_is_pending() {
    let ran = Place::new(&[]).run(&["call", "resolve"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("No pending action to resolve. Nothing to apply or discard."), "{ran:#?}");
}

#[tokio::test]
async fn settings_are_set_and_removed_from_the_command_line() {
    let place = Place::new(&[]);
    assert_eq!(place.run(&["config", "set", "approval.mode", "always-ask"]).await.code, 0);
    assert!(place.run(&["config", "approval.mode"]).await.stdout.contains("always-ask"));
    assert!(place.run(&["config", "unset", "approval.mode"]).await.stdout.contains("Removed approval.mode"));
    assert!(!place.run(&["config", "approval.mode"]).await.stdout.contains("always-ask"));
    let wrong = place.run(&["config", "set", "aproval.mode", "yolo"]).await;
    assert!(wrong.code == 2 && wrong.stderr.contains("Did you mean `approval.mode`?"), "{wrong:#?}");
    let value = place.run(&["config", "set", "approval.mode", "sometimes"]).await;
    assert_eq!(value.code, 1, "{value:#?}");
    // The file of a project may be a link out of it.
    std::fs::create_dir_all(place.path("project/.toolsmith")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere.toml"), place.path("project/.toolsmith/config.toml"))
        .unwrap();
    let linked = place.run(&["config", "set", "--project", "ui.theme", "light"]).await;
    assert!(linked.code != 0 && !place.path("elsewhere.toml").exists(), "{linked:#?}");
}

#[tokio::test]
async fn a_mistyped_command_with_arguments_is_not_a_prompt() {
    let place = Place::new(&[]);
    place.write("script.json", r#"["An answer."]"#);
    let model = format!("script:{}", place.path("script.json").display());
    let wrong = place.run(&["--model", &model, "cal", "hello"]).await;
    assert!(wrong.code == 2 && wrong.stderr.contains("Did you mean call"), "{wrong:#?}");
    let prompt = place.run(&["--model", &model, "please", "list", "files"]).await;
    assert_eq!((prompt.code, prompt.stdout.as_str()), (0, "An answer.\n"), "{prompt:#?}");
}

#[tokio::test]
async fn a_file_mentioned_in_a_prompt_is_attached_or_the_person_is_told() {
    let place = Place::new(&[]);
    place.write("script.json", r#"["{{lastUser}}", ""]"#);
    place.write("project/n.txt", "the note\n");
    let model = format!("script:{}", place.path("script.json").display());
    let ran = place.run(&["--model", &model, "-p", "look at @n.txt, @gone/x.txt and @bob"]).await;
    assert!(ran.stdout.contains("<file path=\"n.txt\">\nthe note\n</file>"), "{ran:#?}");
    assert!(ran.stderr.contains("@gone/x.txt was sent as text") && !ran.stderr.contains("@bob"), "{ran:#?}");
}

#[tokio::test]
async fn an_empty_answer_is_reported() {
    let place = Place::new(&[]);
    place.write("script.json", r#"[""]"#);
    let model = format!("script:{}", place.path("script.json").display());
    let ran = place.run(&["--model", &model, "-p", "hi"]).await;
    assert!(ran.stdout.is_empty() && ran.stderr.contains("the model returned no text"), "{ran:#?}");
}

#[tokio::test]
async fn completions_offer_tools_and_parameters() {
    let place = Place::trusted(&[]);
    place.write("project/.toolsmith/tools/shaky.ts", TOOL);
    let script = place.run(&["completions", "bash"]).await;
    assert!(script.stdout.contains("TOOLSMITH_COMPLETE"), "{script:#?}");
    let complete = async |words: &[&str]| {
        let index = (words.len() - 1).to_string();
        let words = [&["--"], words].concat();
        let variables =
            [("TOOLSMITH_COMPLETE", "bash"), ("_CLAP_COMPLETE_INDEX", &index), ("_CLAP_IFS", "\n")];
        let request =
            variables.iter().fold(place.request(&words), |request, (name, value)| request.env(*name, *value));
        let outcome =
            toolsmith_host::exec::run(&request, &toolsmith_tool::CancelToken::new(), |_| {}).await.unwrap();
        outcome.stdout.text()
    };
    assert!(complete(&["toolsmith", "call", "sha"]).await.contains("shaky"));
    assert!(complete(&["toolsmith", "call", "shaky", "fa"]).await.contains("fail="));
    assert!(complete(&["toolsmith", "call", "shaky", "mode=s"]).await.contains("mode=slow"));
}

#[tokio::test]
async fn a_tool_path_is_relative_to_the_working_directory_that_is_given() {
    let place = Place::new(&[]);
    place.write("elsewhere/sub/shaky.ts", TOOL);
    let ran = place.run(&["--cwd", "../elsewhere", "call", "--tool", "sub/shaky.ts", "shaky"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "fine\n"), "{ran:#?}");
}

#[tokio::test]
async fn what_a_tool_prints_is_shown_in_a_session_with_v() {
    let place = Place::new(&[]);
    place.write("project/shaky.ts", TOOL);
    place.write("script.json", r#"[{ "reply": [{ "call": "shaky" }] }, "Done."]"#);
    let model = format!("script:{}", place.path("script.json").display());
    let arguments = ["--auto-approve", "--model", &model, "--tool", "shaky.ts", "-p", "go"];
    let quiet = place.run(&arguments).await;
    assert!(quiet.code == 0 && !quiet.stderr.contains("raw line"), "{quiet:#?}");
    let verbose = place.run(&[&["-v"], &arguments[..]].concat()).await;
    assert!(verbose.stderr.contains("│ printed {}") && verbose.stderr.contains("│ raw line"), "{verbose:#?}");
}

#[test]
fn text_of_the_model_appears_on_a_terminal_as_it_arrives() {
    let place = Place::new(&[]);
    place.write("script.json", r#"[{ "reply": ["The first words. ", { "waitForAbort": true }] }]"#);
    let model = format!("script:{}", place.path("script.json").display());
    let mut terminal = Terminal::start(&place, &["--model", &model, "-p", "go"]);
    // The model has not ended; it never does.
    terminal.wait_for("The first words.");
    terminal.type_keys("\x03");
    assert_eq!(terminal.finish().1, 130);
}

#[tokio::test]
async fn the_place_of_a_mistake_in_json_is_where_it_is() {
    let place = Place::new(&[]);
    place.write("project/shaky.ts", TOOL);
    let ran = place.run(&["call", "./shaky.ts", "--args", r#"{"fail": true, mode}"#]).await;
    assert!(ran.code == 2 && ran.stderr.contains("at line 1 column 16"), "{ran:#?}");
    assert!(ran.stderr.contains("1 | {\"fail\": true, mode}\n        |                ^"), "{ran:#?}");
}

#[tokio::test]
async fn c8_1_a_factory_may_stage_an_action_in_a_session() {
    let place = Place::new(&[]);
    place.write(
        "project/t.ts",
        "export default (pi) => { pi.pushPendingAction({ label: \"From the factory\", apply: () => ({ content: [{ type: \"text\", text: \"applied\" }] }) });\n\
         return { name: \"t\", description: \"d\", parameters: { type: \"object\", properties: {} }, async execute() { return { content: [] }; } }; };",
    );
    place.write(
        "script.json",
        r#"[{ "expect": { "toolOffered": "resolve" }, "reply": [{ "call": "resolve", "arguments": { "action": "apply", "reason": "r" } }] }, "{{lastToolResult}}"]"#,
    );
    let model = format!("script:{}", place.path("script.json").display());
    let ran = place.run(&["--auto-approve", "--model", &model, "--tool", "t.ts", "-p", "go"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "applied\n"), "{ran:#?}");
}

#[test]
fn c8_6_a_rename_is_shown_as_one_with_paths_of_the_project() {
    let place = Place::new(&[("project/a.txt", "hello\nworld\n")]);
    place.write(
        "project/t.ts",
        "export default (pi) => ({ name: \"t\", description: \"d\", parameters: { type: \"object\", properties: {} },\n\
         async execute() { pi.pushPendingAction({ label: \"Move\", files: [{ path: \"a.txt\", content: null }, { path: \"sub/b.txt\", content: \"hello\\nworld\\n\" }] }); return { content: [] }; } });",
    );
    let mut terminal = Terminal::start(&place, &["call", "./t.ts"]);
    terminal.wait_for("rename a.txt to sub/b.txt");
    terminal.wait_for("Apply it?");
    terminal.answer("y");
    assert_eq!(terminal.finish().1, 0);
    assert!(!place.path("project/a.txt").exists() && place.path("project/sub/b.txt").exists());
}
