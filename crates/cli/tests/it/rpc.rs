//! `toolsmith --mode rpc`: a client in Python talks to the real program. Each scenario is a function of
//! `tests/rpc/scenarios.py`; every line it saw has to fit the schema that `toolsmith rpc-schema` prints.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolsmith_host::exec::{self, Request};
use toolsmith_testkit::has_program;
use toolsmith_tool::CancelToken;

use crate::place::Place;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rpc")
}

async fn run(place: &Place, script: &Path, args: &[&str]) {
    let script = script.display().to_string();
    let args = [&["-B", &script], args].concat();
    let request = Request::new("python3").args(args).cwd(place.path("project"));
    let outcome = exec::run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}\n{}", outcome.stdout.text(), outcome.stderr.text());
}

async fn play(name: &str) {
    if !has_program("python3") {
        return;
    }
    let place = Place::new(&[]);
    let binary = env!("CARGO_BIN_EXE_toolsmith");
    let root = place.root.display().to_string();
    run(&place, &folder().join("scenarios.py"), &[name, binary, &root]).await;
    let schema = place.run(&["rpc-schema"]).await.json();
    check_transcript(&schema, &std::fs::read_to_string(place.path("transcript.jsonl")).unwrap());
}

/// Every line the program wrote fits, and every line of the client's that was not refused.
fn check_transcript(schema: &Value, transcript: &str) {
    let line_of = |name: &str| {
        let mut schema = schema.clone();
        schema.as_object_mut().unwrap().remove("anyOf");
        schema["$ref"] = format!("#/$defs/{name}").into();
        jsonschema::validator_for(&schema).unwrap()
    };
    let (client, server) = (line_of("ClientLine"), line_of("ServerLine"));
    let lines: Vec<(String, Value)> =
        transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let was_refused = |frame: &Value| {
        lines
            .iter()
            .any(|(who, reply)| who == "server" && reply["success"] == false && reply["id"] == frame["id"])
    };
    for (who, frame) in &lines {
        let fits = match who.as_str() {
            "client" => client.is_valid(frame) || was_refused(frame),
            _ => server.is_valid(frame),
        };
        assert!(
            fits,
            "{who}: {frame}\n{:#?}",
            server.iter_errors(frame).map(|e| e.to_string()).collect::<Vec<_>>()
        );
    }
}

macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        $(#[tokio::test]
        async fn $name() {
            play(stringify!($name)).await;
        })*

        const SCENARIOS: &[&str] = &[$(stringify!($name)),*];
    };
}

scenarios! {
    prompt_steer_and_follow_up,
    abort_ends_the_run_and_the_next_one_works,
    queue_modes_models_and_thinking_can_be_changed,
    a_long_conversation_is_compacted,
    retries_are_switched_and_stopped,
    a_tool_asks_and_the_client_answers,
    dialogs_are_taken_back_by_timeout_and_abort,
    without_a_word_of_the_client_tools_are_headless,
    calls_that_need_approval_ask_the_client,
    host_tools_are_called_by_the_model,
    host_tools_are_cancelled_and_have_deadlines,
    a_client_that_goes_ends_the_calls_of_its_tools,
    tools_are_listed_chosen_and_called,
    commands_of_files_and_skills_are_listed_and_run,
    previews_are_listed_viewed_applied_discarded_and_undone,
    the_session_is_named_labelled_listed_and_exported,
    the_conversation_is_switched_branched_forked_and_moved_in,
    two_processes_cannot_write_one_session,
    garbage_is_answered_and_the_next_line_works,
    a_killed_client_leaves_nothing_running,
    a_signal_ends_the_session,
    a_client_that_does_not_read_costs_updates_first,
    a_client_that_closes_standard_output_is_gone,
}

#[test]
fn every_scenario_is_played() {
    let text = std::fs::read_to_string(folder().join("scenarios.py")).unwrap();
    let takes_a_stage = text.lines().filter_map(|line| line.strip_prefix("def ")?.strip_suffix("(stage):"));
    assert_eq!(takes_a_stage.collect::<Vec<_>>(), SCENARIOS);
}

#[tokio::test]
async fn the_reference_and_the_schema_are_those_of_the_program() {
    let place = Place::new(&[]);
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("rpc.md")).unwrap();
    let schema = std::fs::read_to_string(docs.join("rpc.schema.json")).unwrap();
    let reference = place.run(&["rpc-schema", "--reference"]).await.expect(0).stdout;
    let generated = format!("-->\n\n{reference}<!-- end -->\n");
    assert!(page.contains(&generated), "docs/rpc.md is stale; `cargo xtask docs` writes it anew");
    let printed = place.run(&["rpc-schema"]).await.expect(0).stdout;
    assert!(schema == printed, "docs/rpc.schema.json is stale; `cargo xtask docs` writes it anew");
}

#[tokio::test]
async fn the_example_of_the_page_works() {
    if !has_program("python3") {
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rpc.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = |fence: &str| {
        let (_, rest) = page.split_once(&format!("```{fence}\n")).unwrap();
        rest.split_once("```\n").unwrap().0.to_owned()
    };
    let place = Place::new(&[]);
    place.write("project/answers.json", &block("json answers.json"));
    place.write("project/example.py", &block("python example.py"));
    let programs = Path::new(env!("CARGO_BIN_EXE_toolsmith")).parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let request = Request::new("python3")
        .args(["example.py"])
        .cwd(place.path("project"))
        .env("HOME", place.path("home").display().to_string())
        .env("PATH", format!("{programs}:{path}"));
    let outcome = exec::run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.stdout.text(), block("text"), "{}", outcome.stderr.text());
}

#[tokio::test]
async fn a_prompt_on_the_command_line_is_refused() {
    let place = Place::new(&[]);
    let said = place.run(&["--mode", "rpc", "do something"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{said:#?}");
    assert!(said.stderr.contains("--mode rpc takes no prompt"), "{said:#?}");
}

#[tokio::test]
async fn without_a_model_the_first_line_says_what_to_set() {
    let place = Place::new(&[]);
    let said = place.run(&["--mode", "rpc"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    let line: Value = serde_json::from_str(said.stdout.trim()).unwrap();
    assert_eq!(line["type"], "fatal");
    assert!(line["error"].as_str().unwrap().contains("ANTHROPIC_API_KEY"), "{said:#?}");
}
