//! Contract cases as folders: `fixtures/<case>/` holds a module and `case.json`, which says what loading and calling it
//! gives. The folder's name begins with the number of the promise.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::exec::{Request, run};
use toolsmith_js::{Engine, EngineKind, EngineOptions};
use toolsmith_testkit::has_program;
use toolsmith_tool::{CancelToken, Registry, Tool, ToolCall, ToolContext};

use crate::project::{collector, copy_folder};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Case {
    /// What the case shows.
    #[expect(dead_code, reason = "for people")]
    about: String,
    /// The module; `tool.ts` unless it says otherwise.
    module: Option<String>,
    /// Whether the case's files are to be tracked in a repository.
    #[serde(default)]
    repository: bool,
    /// Names of the tools that load; not checked when absent.
    tools: Option<Vec<String>>,
    /// Parts of the errors of loading, in order.
    #[serde(default)]
    errors: Vec<String>,
    /// Parts of the notes of loading, in order; not checked when absent.
    notes: Option<Vec<String>>,
    /// What some tools' specifications contain.
    #[serde(default)]
    specs: BTreeMap<String, Value>,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Call {
    /// The only tool unless named.
    tool: Option<String>,
    #[serde(default = "empty")]
    args: Value,
    /// The joined text of the result.
    text: Option<String>,
    /// The whole result.
    result: Option<Value>,
    /// The text of the error.
    error: Option<String>,
    /// A part of the error.
    error_contains: Option<String>,
    /// Texts of the updates.
    updates: Option<Vec<String>>,
}

fn empty() -> Value {
    json!({})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_contract_case_holds() {
    run_cases(None, &[]).await;
}

/// Cases whose words are the engine's own, or that are about the engine itself.
const OTHERWISE_ELSEWHERE: &[&str] =
    &["3.5-bad-schemas", "4.4-context", "4.5-throwing-and-malformed", "modules-commonjs"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_contract_case_holds_in_node() {
    if has_program("node") {
        run_cases(Some(EngineKind::Node), OTHERWISE_ELSEWHERE).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_contract_case_holds_in_bun_where_it_is_installed() {
    if has_program("bun") {
        // Its places of errors differ where it folds constants.
        run_cases(Some(EngineKind::Bun), &[OTHERWISE_ELSEWHERE, &["1.5-throw-in-factory"]].concat()).await;
    }
}

async fn run_cases(engine: Option<EngineKind>, without: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let list =
        |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    // Beside the contract's own, tools made anew from the descriptions of public ones.
    let public = folder.join("tools");
    let mut cases = list(&folder);
    cases.retain(|case| *case != public);
    cases.extend(list(&public));
    cases.sort();
    assert!(cases.len() > 20, "the cases are where they should be");
    let only = std::env::var("CASE").ok();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        if !without.contains(&name.as_str()) {
            run_case(&name, &case, engine).await;
        }
    }
}

async fn run_case(name: &str, folder: &Path, kind: Option<EngineKind>) {
    let text = fs::read_to_string(folder.join("case.json")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let case: Case = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}/case.json: {error}"));
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    copy_folder(folder, &root);
    if case.repository {
        git(&root, &["init", "-q"]).await;
        git(&root, &["add", "-A"]).await;
    }
    let module = case.module.clone().unwrap_or_else(|| "tool.ts".to_owned());

    let options = EngineOptions::new(&root);
    let engine = Engine::new(kind.into_iter().fold(options, EngineOptions::engine));
    let loaded = engine.load(&[root.join(&module)]).await.remove(0);
    let errors: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), case.errors.len(), "{name}: {errors:#?}");
    for (error, part) in errors.iter().zip(&case.errors) {
        let error = error.replace(&*root.to_string_lossy(), "ROOT");
        assert!(error.contains(part), "{name}: {error:?} should contain {part:?}");
    }
    if let Some(expected) = &case.notes {
        assert_eq!(loaded.notes.len(), expected.len(), "{name}: {:#?}", loaded.notes);
        for (note, part) in loaded.notes.iter().zip(expected) {
            assert!(note.contains(part), "{name}: {note:?} should contain {part:?}");
        }
    }
    let tools: Vec<Arc<dyn Tool>> = loaded.tools.iter().map(|loaded| Arc::clone(&loaded.tool)).collect();
    if let Some(expected) = &case.tools {
        let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        assert_eq!(&names, expected, "{name}");
    }
    for (tool, expected) in &case.specs {
        check_spec(name, find(name, &tools, Some(tool)), expected);
    }
    for (index, call) in case.calls.iter().enumerate() {
        run_call(&format!("{name}, call {index}"), &tools, call, &root).await;
    }
}

async fn git(root: &Path, arguments: &[&str]) {
    let mut request = Request::new("git").args(arguments.iter().copied());
    request.cwd = Some(root.to_path_buf());
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
}

fn find<'t>(name: &str, tools: &'t [Arc<dyn Tool>], wanted: Option<&String>) -> &'t Arc<dyn Tool> {
    match wanted {
        Some(wanted) => tools.iter().find(|tool| tool.spec().name == *wanted),
        None => tools.first(),
    }
    .unwrap_or_else(|| panic!("{name}: no tool {wanted:?}"))
}

fn check_spec(name: &str, tool: &Arc<dyn Tool>, expected: &Value) {
    let spec = tool.spec();
    let actual = json!({
        "label": spec.label,
        "description": spec.description,
        "parameters": spec.parameters,
        "strict": spec.strict,
        "hidden": spec.hidden,
        "deferrable": spec.deferrable,
        "approval": spec.approval,
        "loadMode": spec.load_mode.map(|mode| format!("{mode:?}").to_lowercase()),
        "concurrency": format!("{:?}", spec.concurrency).to_lowercase(),
        "mcp": spec.mcp.as_ref().map(|mcp| [&mcp.server, &mcp.tool]),
        "deadlineMs": spec.deadline.map(|deadline| deadline.as_millis()),
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&actual[key], value, "{name}: {key}");
    }
}

async fn run_call(name: &str, tools: &[Arc<dyn Tool>], call: &Call, root: &Path) {
    let tool = find(name, tools, call.tool.as_ref());
    let mut registry = Registry::new();
    registry.register(Arc::clone(tool), toolsmith_tool::Origin::built_in()).unwrap();
    let spec = tool.spec();
    let schema = &registry.get(&spec.name).unwrap().arguments;
    let (updates, seen) = collector();
    let mended = tool.prepare_arguments(&call.args).await;
    let outcome = match schema.prepare(&spec.name, mended.unwrap_or_else(|| call.args.clone())) {
        Ok(prepared) => {
            let context = ToolContext::detached().with_updates(updates);
            let call = ToolCall::new("call-1", prepared.arguments);
            tool.execute(call, context).await.map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    let clean = |text: String| without_times(&text.replace(&*root.to_string_lossy(), "ROOT"));
    match (&outcome, &call.error, &call.error_contains) {
        (Err(error), Some(expected), _) => assert_eq!(&clean(error.clone()), expected, "{name}"),
        (Err(error), None, Some(part)) => {
            assert!(clean(error.clone()).contains(part.as_str()), "{name}: {error}")
        }
        (Err(error), None, None) => panic!("{name}: {error}"),
        (Ok(result), None, None) => {
            if let Some(text) = &call.text {
                assert_eq!(&clean(result.joined_text()), text, "{name}");
            }
            if let Some(expected) = &call.result {
                assert_eq!(&serde_json::to_value(result).unwrap(), expected, "{name}");
            }
        }
        (Ok(result), ..) => panic!("{name}: should have failed, but gave {result:?}"),
    }
    if let Some(expected) = &call.updates {
        let seen: Vec<String> =
            seen.lock().unwrap().iter().map(toolsmith_tool::ToolResult::joined_text).collect();
        assert_eq!(&seen, expected, "{name}");
    }
}

/// ` in 12ms` without the number.
fn without_times(text: &str) -> String {
    let mut parts = text.split(" in ");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_time = rest.len() < part.len() && rest.starts_with("ms");
        clean.push_str(" in ");
        clean.push_str(&if is_time { format!("<MS>{rest}") } else { part.to_owned() });
    }
    clean
}
