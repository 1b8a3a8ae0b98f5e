//! The same code under Node and as a tool: every file in `tests/same_as_node` prints the same in both.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use toolsmith_host::exec::{Request, run};
use toolsmith_testkit::has_program;
use toolsmith_tool::CancelToken;

use crate::project::{Project, call};

const UNDER_NODE: &str = "import main from \"./case.mjs\";\n\
    const lines = [];\n\
    await main((...values) => lines.push(values.map((value) => typeof value === \"string\" ? value : JSON.stringify(value) ?? String(value)).join(\" \").replaceAll(\"\\n\", \"⏎\")));\n\
    process.stdout.write(lines.join(\"\\n\"));\n";

const AS_TOOL: &str = "import main from \"./case.mjs\";\n\
    export default () => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" }, async execute() {\n\
    const lines = [];\n\
    try { await main((...values) => lines.push(values.map((value) => typeof value === \"string\" ? value : JSON.stringify(value) ?? String(value)).join(\" \").replaceAll(\"\\n\", \"⏎\"))); }\n\
    catch (error) { lines.push(`thrown: ${error} ${error?.stack}`); }\n\
    return { content: [{ type: \"text\", text: lines.join(\"\\n\") }] }; } });\n";

/// What a case prints as a tool and under Node, each in a folder of its own whose name is taken out.
async fn both(case: &str) -> (String, String) {
    let files = [("case.mjs", case), ("node.mjs", UNDER_NODE), ("tool.mjs", AS_TOOL)];
    let ours = Project::new(&files);
    let tool = ours.tool("tool.mjs").await;
    let printed = match call(&tool, json!({})).await {
        Ok(result) => result.joined_text(),
        Err(error) => format!("{error}"),
    };
    let printed = printed.replace(&ours.path("").to_string_lossy().into_owned(), "<folder>/");
    let theirs = Project::new(&files);
    let mut request = Request::new("node").args(["--no-warnings", "node.mjs"]);
    request.cwd = Some(theirs.path(""));
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
    let expected =
        outcome.stdout.text().replace(&theirs.path("").to_string_lossy().into_owned(), "<folder>/");
    (printed, expected)
}

/// Fails with the lines that differ.
async fn compare(name: &str) {
    if !has_program("node") {
        return;
    }
    let (printed, expected) = both(&fs::read_to_string(folder().join(format!("{name}.mjs"))).unwrap()).await;
    let (mut ours, mut theirs) = (printed.lines(), expected.lines());
    let mut wrong = Vec::new();
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => wrong.push(format!(
                "  tool: {}\n  node: {}",
                one.unwrap_or("(nothing)"),
                other.unwrap_or("(nothing)")
            )),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/same_as_node")
}

/// Makes one test of each file.
macro_rules! files {
    ($($name:ident,)*) => {
        const FILES: &[&str] = &[$(stringify!($name)),*];

        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            compare(stringify!($name)).await;
        })*
    };
}

files! {
    assertions,
    buffer,
    child_process,
    crypto,
    events,
    fs_async,
    fs_sync,
    http,
    intl,
    net,
    path,
    showing,
    streams,
    surroundings,
    zlib,
}

#[test]
fn every_file_is_compared() {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, FILES);
}
