//! Runs the same code in Node and in a tool: what both give has to be the same.

use serde_json::{Value, json};
use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

use crate::project::{Project, call};

/// Runs `body`, the inside of an async function after `imports`, in both, and compares what it returns. The code works in
/// a folder of its own, which both are given empty but for `files`.
pub(crate) async fn same(imports: &str, body: &str) {
    same_with(&[], imports, body).await;
}

pub(crate) async fn same_with(files: &[(&str, &str)], imports: &str, body: &str) {
    let expected = in_node(files, imports, body).await;
    let found = in_tool(files, imports, body).await;
    assert_eq!(found, expected, "the tool's answer (left) is not Node's (right) for\n{body}");
}

/// What `body` returns in a tool.
pub(crate) async fn in_tool(files: &[(&str, &str)], imports: &str, body: &str) -> Value {
    let source = format!(
        "{imports}\nconst work = async (cwd) => {{ {body} }};\n\
         export default (pi) => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute() {{ return {{ content: [{{ type: \"text\", text: JSON.stringify(await work(pi.cwd)) }}] }}; }} }});\n"
    );
    let files: Vec<(&str, &str)> = files.iter().copied().chain([("t.mjs", source.as_str())]).collect();
    let project = Project::new(&files);
    let tool = project.tool("t.mjs").await;
    let result = call(&tool, json!({})).await.unwrap_or_else(|error| panic!("{error}\nin\n{body}"));
    serde_json::from_str(&result.joined_text()).unwrap()
}

async fn in_node(files: &[(&str, &str)], imports: &str, body: &str) -> Value {
    let source = format!(
        "{imports}\nconst work = async (cwd) => {{ {body} }};\n\
         process.stdout.write(JSON.stringify(await work(process.cwd())), () => process.exit(0));\n"
    );
    let files: Vec<(&str, &str)> = files.iter().copied().chain([("t.mjs", source.as_str())]).collect();
    let project = Project::new(&files);
    let request = Request::new("node").args(["t.mjs"]).cwd(project.engine.cwd());
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}\nin\n{body}", outcome.stderr.text());
    serde_json::from_str(&outcome.stdout.text()).unwrap()
}
