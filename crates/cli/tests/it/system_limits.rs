//! Limits of the system that are too low end the program with a message, never with a signal or a panic.

use toolsmith_host::exec::Request;

use crate::place::{HELLO, Place};

/// Returns a request that runs under a limit of the shell's `ulimit`.
fn under(limit: &str, call: &Request) -> Request {
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    let mut request =
        Request::new("/bin/sh").args(["-c".to_owned(), script, call.program.clone()]).args(call.args.clone());
    (request.cwd, request.env, request.clear_env) = (call.cwd.clone(), call.env.clone(), call.clear_env);
    request
}

#[tokio::test]
async fn too_little_memory_stack_or_too_few_files_are_an_error_that_names_the_limit() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let under = |limit: String| under(&limit, &place.request(&["call", "hello", "name=x"]));
    let files = [4, 5, 6, 7, 8, 12, 20].map(|files| format!("-n {files}"));
    // Less than this, and the system itself cannot load the program.
    let memory = [160, 200, 250, 300].map(|megabytes| format!("-v {}", megabytes * 1024));
    let stack = [64, 256, 1000].map(|kilobytes| format!("-s {kilobytes}"));
    for limit in files.into_iter().chain(memory).chain(stack) {
        let said = place.run_request(&under(limit.clone())).await;
        assert_eq!(said.code, 1, "{limit}: {}", said.stderr);
        assert!(said.stderr.starts_with("error: the limit on "), "{limit}: {}", said.stderr);
        assert!(said.stderr.contains(&format!("(ulimit {})", &limit[..2])), "{limit}: {}", said.stderr);
    }
    for limit in ["-n 32", "-v 1000000", "-s 1024"] {
        let said = place.run_request(&under(limit.to_owned())).await;
        assert_eq!(said.code, 0, "{limit}: {}", said.stderr);
    }
}

/// Returns what `how` names: values that are small in the engine and gigabytes outside.
const BOMBS: &str = "const text = 'y'.repeat(1 << 20); const list = () => { let list = ['x']; for (let i = 0; i < 23; i++) list = [list, list]; return list; };\n\
    const results = { content: () => ({ content: new Array(5000).fill({ type: 'text', text }) }), details: () => ({ content: [], details: list() }) };\n\
    export default (pi) => {\n\
      pi.on('tool_result', (event) => event.input.how === 'rewritten' ? { details: list() } : undefined);\n\
      pi.registerTool({ name: 'bombs', label: 'Bombs', description: '', parameters: { type: 'object', properties: { how: { type: 'string' } } }, approval: 'read',\n\
        async execute(id, { how }) {\n\
          if (how === 'staged') pi.pushPendingAction({ label: 'l', details: list(), apply: () => ({ content: [] }) });\n\
          return results[how]?.() ?? { content: [{ type: 'text', text: 'fine' }] };\n\
        } });\n\
    };\n";

#[tokio::test]
async fn c4_7_results_that_would_take_gigabytes_end_their_call_and_not_the_session() {
    let place = Place::trusted(&[("project/bombs.ts", BOMBS)]);
    let steps = ["content", "details", "rewritten", "staged"]
        .map(|how| serde_json::json!({ "reply": [{ "call": "bombs", "arguments": { "how": how } }] }));
    let script = serde_json::Value::Array(steps.into_iter().chain(["done".into()]).collect());
    place.write("script.json", &script.to_string());
    let model = format!("script:{}", place.path("script.json").display());
    let call = place.request(&["-p", "hi", "--mode", "json", "-e", "bombs.ts", "--model", &model]);
    let said = place.run_request(&under("-v 3000000", &call)).await;
    assert_eq!(said.code, 0, "{}", said.stderr);
    let ends: Vec<serde_json::Value> = said
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|event: &serde_json::Value| event["type"] == "tool_execution_end")
        .map(|event| event["result"]["content"][0]["text"].clone())
        .collect();
    let ends: Vec<&str> = ends.iter().filter_map(serde_json::Value::as_str).collect();
    assert_eq!(
        ends,
        [
            "The tool exceeded its memory limit of 256 MB",
            "Tool returned an invalid result: details take more than 32 MB of memory, which is the most for a tool with a memory limit of \
             256 MB",
            "fine",
            "The action was not staged: its values take more than 128 MB of memory, which is the most for a tool with a memory limit of 256 MB",
        ]
    );
}
