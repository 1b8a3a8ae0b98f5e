//! `toolsmith call`: arguments, results, and exit codes.

use serde_json::json;

use crate::{
    place::{HELLO, Place, STAGE},
    workshop::Workshop,
};

/// A tool that says what it was called with.
const ECHO: &str = r#"export default () => ({
  name: "echo", description: "", parameters: { type: "object", properties: {
    text: { type: "string" }, number: { type: "number" }, list: { type: "array", items: { type: "integer" } },
    inner: { type: "object", properties: { yes: { type: "boolean" } } },
  } },
  async execute(id, params) { return { content: [{ type: "text", text: JSON.stringify(params) }] }; },
});
"#;

const FAILING: &str = r#"export default () => ({
  name: "failing", description: "", parameters: { type: "object", properties: {} },
  async execute() { throw new TypeError("no luck"); },
});
"#;

fn place() -> Place {
    Place::trusted(&[
        ("project/.toolsmith/tools/echo.ts", ECHO),
        ("project/.toolsmith/tools/failing.ts", FAILING),
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/stage.ts", STAGE),
    ])
}

#[tokio::test]
async fn arguments_are_read_by_the_schema() {
    let said =
        place().run(&["call", "echo", "text=007", "number=1.5", "list=1", "list=2", "inner.yes=true"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let expected = json!({ "text": "007", "number": 1.5, "list": [1, 2], "inner": { "yes": true } });
    assert_eq!(said.json(), expected);
}

#[tokio::test]
async fn arguments_are_json_from_the_line_a_file_or_standard_input() {
    let place = place();
    let json = r#"{"text":"a b","list":[3]}"#;
    place.write("project/args.json", json);
    for (args, input) in [(json, ""), ("@args.json", ""), ("-", json)] {
        let said = place.run_with_input(&["call", "echo", "--args", args], input).await;
        assert_eq!(said.json(), json!({ "text": "a b", "list": [3] }), "{said:#?}");
    }
    let said = place.run(&["call", "echo", "--args", "@nowhere.json"]).await;
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("nowhere.json cannot be read"), "{}", said.stderr);
}

#[tokio::test]
async fn the_result_goes_to_standard_output_and_updates_do_not() {
    let said = place().run(&["call", "hello", "name=World"]).await;
    assert_eq!(said.stdout, "Hello, World!\n");
    assert_eq!(said.stderr, "Thinking\nof words\n");
}

#[tokio::test]
async fn a_failing_tool_is_exit_code_one() {
    let place = place();
    let said = place.run(&["call", "failing"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.starts_with("error: no luck\n  at .toolsmith/tools/failing.ts:3:"), "{said:#?}");
    let said = place.run(&["call", "failing", "--json"]).await;
    assert_eq!(said.code, 1);
    assert_eq!(said.json()["isError"], true);
}

#[tokio::test]
async fn c8_a_preview_is_applied_discarded_or_left_open() {
    let place = place();
    let said = place.run(&["call", "stage"]).await;
    assert_eq!(said.code, 3);
    assert!(said.stderr.contains("--apply or --discard"), "{}", said.stderr);
    let said = place.run(&["call", "stage", "--apply"]).await;
    assert_eq!(said.stdout, "1 file would change\nWritten (applied on the command line)\n");
    let said = place.run(&["call", "stage", "--discard"]).await;
    assert_eq!(
        said.stdout,
        "1 file would change\nDiscarded: Write the file. Reason: discarded on the command line\n"
    );
    let said = place.run(&["call", "stage", "--discard", "--apply"]).await;
    assert_eq!(said.code, 2);
}

#[tokio::test]
async fn c4_7_a_call_that_takes_too_long_is_stopped() {
    let place = place();
    place.write(
        "project/.toolsmith/tools/endless.ts",
        "export default () => ({ name: 'endless', description: '', parameters: { type: 'object', properties: {} }, execute() { for (;;) {} } });\n",
    );
    let said = place.run(&["call", "endless", "--timeout", "100ms"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("Timed out"), "{}", said.stderr);
    place.write("home/.toolsmith/config.toml", "tools.endless.timeout = \"100ms\"\n");
    let said = place.run(&["call", "endless"]).await;
    assert!(said.stderr.contains("Timed out"), "{}", said.stderr);
    let said = place.run(&["call", "endless", "--timeout", "soon"]).await;
    assert_eq!(said.code, 2);
}

#[tokio::test]
async fn c5_4_deny_stands_above_the_person_who_typed_the_call() {
    let place = place();
    place.write(
        "home/.toolsmith/config.toml",
        "approval.tools.echo = \"deny\"\napproval.mode = \"always-ask\"\n",
    );
    let said = place.run(&["call", "echo"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("blocked by user policy"), "{}", said.stderr);
    let said = place.run(&["call", "hello", "name=x"]).await;
    assert_eq!(said.code, 0, "nothing else needs a question");
}

#[tokio::test]
async fn c4_9_long_output_is_cut_and_kept_whole() {
    let place = place();
    place.write("home/.toolsmith/config.toml", "output.max_lines = 3\n");
    place.write(
        "script.json",
        r#"[{ "reply": [{ "call": "hello", "arguments": { "name": "x", "times": 50 } }] }, "{{lastToolResult}}"]"#,
    );
    let model = format!("script:{}", place.path("script.json").display());
    let said = place.run(&["--auto-approve", "--model", &model, "-p", "go"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("Hello, x!") && said.stdout.lines().count() < 12, "{}", said.stdout);
    // What is not for a model or a person is whole.
    let said = place.run(&["call", "hello", "name=x", "times=50"]).await;
    assert_eq!((said.code, said.stdout.lines().count()), (0, 50), "{}", said.stdout);
}

#[tokio::test]
async fn a_built_in_tool_can_be_disabled() {
    let place = place();
    place.write("home/.toolsmith/config.toml", "tools.disabled = [\"read\", \"bash\"]\n");
    let said = place.run(&["call", "read", "path=x"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("\"read\" is disabled in the settings"), "{}", said.stderr);
    place.write(
        "project/script.json",
        r#"[{"reply":[{"call":"bash","arguments":{"command":"touch ran"}}]},"{{lastToolResult}}"]"#,
    );
    let said = place.run(&["-p", "go", "--auto-approve", "--model", "script:script.json"]).await;
    assert!(said.stdout.contains("Tool bash not found"), "{said:#?}");
    assert!(!place.path("project/ran").exists());
}

#[tokio::test]
async fn built_in_tools_can_be_called_too() {
    let place = place();
    place.write("project/read me.txt", "what it says\n");
    let said = place.run(&["call", "read", "path=read me.txt"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("what it says"), "{}", said.stdout);
}

#[tokio::test]
async fn a_module_of_the_command_line_needs_no_trust() {
    let place = Place::new(&[("elsewhere/echo.ts", ECHO)]);
    let said = place.run(&["call", "echo", "text=x", "--tool", "../elsewhere/echo.ts"]).await;
    assert_eq!(said.json(), json!({ "text": "x" }));
    let said = place
        .run(&["--cwd", "../elsewhere", "call", "echo", "text=x", "--tool", "../elsewhere/echo.ts"])
        .await;
    assert_eq!(said.json(), json!({ "text": "x" }), "seen from where the person is");
}

#[tokio::test]
async fn with_many_modules_the_right_one_is_called() {
    let place = place();
    for number in 0..20 {
        place.write(
            &format!("project/.omp/tools/t{number}.ts"),
            &ECHO.replace("\"echo\"", &format!("\"t{number}\"")),
        );
    }
    let said = place.run(&["call", "t13", "number=13"]).await;
    assert_eq!(said.json(), json!({ "number": 13 }));
}

#[tokio::test]
async fn c4_2_zod_sees_what_was_sent_before_anything_is_repaired() {
    let shop = Workshop::new();
    shop.write(
        "t.ts",
        "export default (pi) => { const z = pi.zod; return { name: \"t\", description: \"d\", parameters: z.object({\n\
         yes: z.preprocess((value) => value === \"yes\", z.boolean()),\n\
         list: z.preprocess((value) => (typeof value === \"string\" ? value.split(\",\") : [\"not text\"]), z.array(z.string())),\n\
         count: z.preprocess((value) => (value === \"two\" ? 2 : value), z.number()) }),\n\
         async execute(id, params) { return { content: [{ type: \"text\", text: JSON.stringify(params) }] }; } }; };\n",
    );
    let sent = "{\"yes\":\"yes\",\"list\":\"x,y\",\"count\":\"two\"}";
    let run = shop.run(&["call", "--tool", "t.ts", "t", "--args", sent]).await;
    assert_eq!(run.stdout.trim(), "{\"yes\":true,\"list\":[\"x\",\"y\"],\"count\":2}", "{}", run.stderr);
    // What zod rejects is repaired and shown to it again.
    let run = shop
        .run(&["call", "--tool", "t.ts", "t", "--args", "{\"yes\":true,\"list\":\"a\",\"count\":\"7\"}"])
        .await;
    assert!(run.stdout.contains("\"count\":7"), "{} {}", run.stdout, run.stderr);
}

#[tokio::test]
async fn c4_4_the_context_of_a_call_has_a_session_settings_and_models() {
    let shop = Workshop::new();
    shop.write(
        "t.ts",
        "export default () => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" }, async execute(id, params, onUpdate, ctx) {\n\
         const found = [ctx.sessionManager.getCwd() === ctx.cwd, typeof ctx.sessionManager.getSessionId(), typeof ctx.settings.approval.mode, Array.isArray(ctx.modelRegistry.getAll())];\n\
         return { content: [{ type: \"text\", text: JSON.stringify(found) }] }; } });\n",
    );
    let run = shop.run(&["call", "--tool", "t.ts", "t"]).await;
    assert_eq!(run.stdout.trim(), "[true,\"string\",\"string\",true]", "{}", run.stderr);
}

#[tokio::test]
async fn c4_7_settings_of_a_tool_hold_for_a_module_given_by_its_path() {
    let tool = "export default () => ({ name: 'big', description: 'd', parameters: { type: 'object' }, \
        async execute() { const all = new Uint8Array(100e6).fill(1); return { content: [{ type: 'text', text: `${all.length}` }] }; } });";
    let place = Place::new(&[
        ("project/big.mjs", tool),
        ("home/.toolsmith/config.toml", "[tools.big]\nmemory = \"64MB\"\n"),
    ]);
    let said = place.run(&["call", "./big.mjs"]).await;
    assert!(said.code == 1 && said.stderr.contains("memory limit of 64 MB"), "{said:#?}");
}
