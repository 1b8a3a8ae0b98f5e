//! Contract cases as folders: `fixtures/<case>/` holds a module and `case.json`, which says what loading and calling it
//! gives. The folder's name begins with the number of the promise.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::exec::{Request, run};
use toolsmith_js::{Engine, EngineKind, EngineOptions};
use toolsmith_testkit::{Project, has_program};
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

/// Cases whose words are the engine's own, or that are about the engine itself.
const OTHERWISE_ELSEWHERE: &[&str] =
    &["3.5-bad-schemas", "4.4-context", "4.5-throwing-and-malformed", "modules-commonjs"];

/// Cases in which Bun places errors elsewhere, because it folds constants.
const OTHERWISE_IN_BUN: &[&str] = &["1.5-throw-in-factory"];

/// Makes one test of each case in each engine.
macro_rules! cases {
    ($($test:ident: $folder:literal,)*) => {
        const CASES: &[&str] = &[$($folder),*];
        cases!(@engine embedded EngineKind::Embedded: $($test $folder)*);
        cases!(@engine in_node EngineKind::Node: $($test $folder)*);
        cases!(@engine in_bun EngineKind::Bun: $($test $folder)*);
    };
    (@engine $engine:ident $kind:path: $($test:ident $folder:literal)*) => {
        mod $engine {
            use toolsmith_js::EngineKind;

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::run_case($folder, $kind).await;
            })*
        }
    };
}

// Those in `tools` are tools made anew from the descriptions of public ones.
cases! {
    c1_1_async_arrow_and_array: "1.1-async-arrow-and-array",
    c1_1_commonjs_in_js: "1.1-commonjs-in-js",
    c1_1_commonjs_module_exports: "1.1-commonjs-module-exports",
    c1_1_commonjs_transpiled_default: "1.1-commonjs-transpiled-default",
    c1_1_cts: "1.1-cts",
    c1_1_default_export_function: "1.1-default-export-function",
    c1_1_mjs: "1.1-mjs",
    c1_1_mts: "1.1-mts",
    c1_1_not_a_function: "1.1-not-a-function",
    c1_1_nothing_exported: "1.1-nothing-exported",
    c1_1_opt_out_empty: "1.1-opt-out-empty",
    c1_1_opt_out_null: "1.1-opt-out-null",
    c1_1_opt_out_undefined: "1.1-opt-out-undefined",
    c1_2_emitting_typescript: "1.2-emitting-typescript",
    c1_2_type_imports_are_not_resolved: "1.2-type-imports-are-not-resolved",
    c1_3_required_members: "1.3-required-members",
    c1_4_early_pi_order: "1.4-early-pi-order",
    c1_4_extension_registers_tools: "1.4-extension-registers-tools",
    c1_4_family_names: "1.4-family-names",
    c1_4_family_packages: "1.4-family-packages",
    c1_4_missing_names_are_stubs: "1.4-missing-names-are-stubs",
    c1_4_opencode_tools: "1.4-opencode-tools",
    c1_4_own_node_modules_win: "1.4-own-node-modules-win",
    c1_4_toolsmith_module: "1.4-toolsmith-module",
    c1_5_process_exit: "1.5-process-exit",
    c1_5_rejected_factory: "1.5-rejected-factory",
    c1_5_throw_at_import: "1.5-throw-at-import",
    c1_5_throw_in_factory: "1.5-throw-in-factory",
    c1_5_throw_something_else: "1.5-throw-something-else",
    c2_3_declarative_files: "2.3-declarative-files",
    c2_7_error_in_imported_file: "2.7-error-in-imported-file",
    c2_7_missing_package: "2.7-missing-package",
    c2_7_syntax_error: "2.7-syntax-error",
    c3_1_host_api_members: "3.1-host-api-members",
    c3_2_exec: "3.2-exec",
    c3_3_headless_ui: "3.3-headless-ui",
    c3_5_arktype: "3.5-arktype",
    c3_5_bad_schemas: "3.5-bad-schemas",
    c3_5_plain_json_schema: "3.5-plain-json-schema",
    c3_5_typebox: "3.5-typebox",
    c3_5_zod: "3.5-zod",
    c3_5_zod_parts_on_use: "3.5-zod-parts-on-use",
    c3_5_zod_recursive: "3.5-zod-recursive",
    c3_5_zod_shape: "3.5-zod-shape",
    c4_1_class_instance: "4.1-class-instance",
    c4_1_execute_arguments: "4.1-execute-arguments",
    c4_1_image_and_error_results: "4.1-image-and-error-results",
    c4_3_updates: "4.3-updates",
    c4_4_context: "4.4-context",
    c4_5_throwing_and_malformed: "4.5-throwing-and-malformed",
    c5_3_declared_members: "5.3-declared-members",
    modules_bom_and_crlf: "modules-bom-and-crlf",
    modules_commonjs: "modules-commonjs",
    modules_cycle_and_await: "modules-cycle-and-await",
    modules_resolution: "modules-resolution",
    seed_repo_stats_no_repository: "seed-repo-stats-no-repository",
    seed_repo_stats_typebox: "seed-repo-stats-typebox",
    seed_repo_stats_zod: "seed-repo-stats-zod",
    d01_hello: "tools/D01-hello",
    d02_xcsh_todo: "tools/D02-xcsh-todo",
    d03_question: "tools/D03-question",
    d04_fragility_scan: "tools/D04-fragility-scan",
    d05_smart_find: "tools/D05-smart-find",
    d06_smart_edit: "tools/D06-smart-edit",
    d07_smart_write: "tools/D07-smart-write",
    d08_smart_sd: "tools/D08-smart-sd",
    d09_rg: "tools/D09-rg",
    d10_user_prompt: "tools/D10-user-prompt",
    d11_template_audit: "tools/D11-template-audit",
    d12_background_command: "tools/D12-background-command",
    d13_pi_extension_todo: "tools/D13-pi-extension-todo",
    d14_json_query: "tools/D14-json-query",
    d15_sleep: "tools/D15-sleep",
    d16_todo_write: "tools/D16-todo-write",
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

#[test]
fn every_folder_is_a_case() {
    let list = |prefix: &str| -> Vec<String> {
        let entries = fs::read_dir(folder().join(prefix)).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        entries.map(|entry| format!("{prefix}{}", name(entry.unwrap()))).collect()
    };
    let mut folders = list("");
    folders.retain(|name| name != "tools");
    folders.sort();
    let mut tools = list("tools/");
    tools.sort();
    assert_eq!([folders, tools].concat(), CASES);
}

async fn run_case(name: &str, kind: EngineKind) {
    let is_otherwise = match kind {
        EngineKind::Node => OTHERWISE_ELSEWHERE.contains(&name),
        EngineKind::Bun => OTHERWISE_ELSEWHERE.contains(&name) || OTHERWISE_IN_BUN.contains(&name),
        _ => false,
    };
    if is_otherwise || (kind != EngineKind::Embedded && !has_program(&kind.to_string())) {
        return;
    }
    let folder = folder().join(name);
    let text = fs::read_to_string(folder.join("case.json")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let case: Case = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}/case.json: {error}"));
    let project = Project::new(&[]);
    let root = project.root.clone();
    copy_folder(&folder, &root);
    if case.repository {
        git(&root, &["init", "-q"]).await;
        git(&root, &["add", "-A"]).await;
    }
    let module = case.module.clone().unwrap_or_else(|| "tool.ts".to_owned());

    let options = EngineOptions::new(&root);
    let engine = Engine::new(match kind {
        // Not chosen, as in a session: a case is about where its module goes.
        EngineKind::Embedded => options,
        kind => options.engine(kind),
    });
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
        "parameters": *spec.parameters,
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
