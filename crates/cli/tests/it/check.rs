//! `toolsmith check`: every rule, every form of output, and modules that do their worst.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{compiler, workshop::Workshop};

/// A module with one tool made of these members.
fn tool(members: &str) -> String {
    format!(
        "export default () => ({{ name: \"t\", description: \"A tool that is described well enough\",\n\
         parameters: {{ type: \"object\", properties: {{}} }}, async execute() {{ return {{ content: [] }}; }},\n\
         {members} }});\n"
    )
}

/// A module whose tool has these parameters.
fn with_schema(schema: &str) -> String {
    tool(&format!("parameters: {schema}"))
}

/// A module whose tool has one described parameter.
fn with_parameter(schema: &str) -> String {
    with_schema(&format!("{{ type: \"object\", required: [\"p\"], properties: {{ p: {schema} }} }}"))
}

/// What each rule finds, and what it does not.
fn examples() -> Vec<(&'static str, String, String)> {
    let fine = tool("");
    let long = "x".repeat(1025);
    let many =
        (0..400).map(|n| format!("p{n}: {{ type: \"string\", description: \"d\" }},")).collect::<String>();
    let text = "type: \"string\"";
    vec![
        ("load-error", "throw new Error('no')".to_owned(), fine.clone()),
        ("load-error", tool("approval: \"maybe\""), tool("approval: \"read\"")),
        ("load-error", with_schema("\"a text\""), fine.clone()),
        ("load-error", with_schema("[1]"), fine.clone()),
        (
            "argument-order",
            tool("async execute(params, toolCallId) { return { content: [] }; }"),
            tool("async execute(toolCallId, params) { return { content: [] }; }"),
        ),
        (
            "locale",
            tool(
                "async execute() { return { content: [{ type: \"text\", text: (5).toLocaleString(\"sa\") }] }; }",
            ),
            tool(
                "async execute() { return { content: [{ type: \"text\", text: (5).toLocaleString(\"de-CH\") }] }; }",
            ),
        ),
        ("no-tool", "export default () => null".to_owned(), fine.clone()),
        ("engine", format!("import vm from \"node:vm\"; void vm;\n{fine}"), fine.clone()),
        ("note", tool("async execute(id, params, signal) { return { content: [] }; }"), fine.clone()),
        ("name", tool("name: \"two words\""), fine.clone()),
        ("name", tool("name: \"9lives\""), tool("name: \"lives9\"")),
        ("name-clash", tool("name: \"resolve\""), fine.clone()),
        ("description-missing", tool("description: \" \""), fine.clone()),
        ("description-short", tool("description: \"Short\""), fine.clone()),
        ("description-long", tool(&format!("description: \"{long}\"")), fine.clone()),
        (
            "parameter-name",
            with_schema(
                "{ type: \"object\", properties: { \"a b\": { type: \"string\", default: \"\", description: \"d\" } } }",
            ),
            fine.clone(),
        ),
        (
            "parameter-style",
            with_schema(
                "{ type: \"object\", required: [\"a_b\", \"cD\"], properties: { a_b: { type: \"string\", description: \"d\" }, cD: { type: \"string\", description: \"d\" } } }",
            ),
            fine.clone(),
        ),
        (
            "parameter-description",
            with_parameter(&format!("{{ {text} }}")),
            with_parameter(&format!("{{ {text}, description: \"d\" }}")),
        ),
        ("parameter-type", with_parameter("{ description: \"d\" }"), fine.clone()),
        (
            "optional-default",
            with_schema(&format!(
                "{{ type: \"object\", properties: {{ p: {{ {text}, description: \"d\" }} }} }}"
            )),
            with_schema(&format!(
                "{{ type: \"object\", properties: {{ p: {{ {text}, description: \"Where; the whole if left out\" }} }} }}"
            )),
        ),
        (
            "optional-default",
            with_schema(&format!(
                "{{ type: \"object\", properties: {{ p: {{ {text}, description: \"A place\" }} }} }}"
            )),
            with_schema(&format!(
                "{{ type: \"object\", properties: {{ p: {{ {text}, description: \"A place. None when left out.\" }} }} }}"
            )),
        ),
        (
            "enum",
            with_parameter(&format!("{{ {text}, description: \"One of a, b\" }}")),
            with_parameter(&format!("{{ {text}, description: \"One of a, b\", enum: [\"a\", \"b\"] }}")),
        ),
        ("root-keyword", with_schema("{ type: \"object\", anyOf: [{ required: [] }] }"), fine.clone()),
        (
            "array-items",
            with_parameter("{ type: \"array\", description: \"d\" }"),
            with_parameter("{ type: \"array\", description: \"d\", items: { type: \"string\" } }"),
        ),
        (
            "strict-open",
            tool("strict: true"),
            tool(
                "strict: true, parameters: { type: \"object\", properties: {}, additionalProperties: false }",
            ),
        ),
        (
            "strict-keyword",
            tool(
                "strict: true, parameters: { type: \"object\", required: [\"p\"], additionalProperties: false, properties: { p: { type: \"string\", description: \"d\", maxLength: 3 } } }",
            ),
            tool(
                "strict: true, parameters: { type: \"object\", properties: {}, additionalProperties: false }",
            ),
        ),
        (
            "gemini-keyword",
            with_parameter(&format!("{{ {text}, description: \"d\", pattern: \"^a\" }}")),
            fine.clone(),
        ),
        (
            "token-cost",
            with_schema(&format!("{{ type: \"object\", properties: {{ {many} }} }}")),
            fine.clone(),
        ),
        ("hook-arity", tool("async execute(a, b, c, d, e, f) { return { content: [] }; }"), fine),
        (
            "render-call-order",
            tool("renderCall(args, theme) {}"),
            tool("renderCall(args, options, theme) {}"),
        ),
    ]
}

fn codes(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_rule_finds_what_it_is_for_and_nothing_else() {
    let shop = Workshop::new();
    for (code, bad, good) in examples() {
        shop.write("bad.js", bad);
        shop.write("good.js", good);
        let found = shop.run(&["check", "--json", "bad.js"]).await.json();
        assert!(codes(&found).contains(&code), "{code}: {found:#}");
        let found = shop.run(&["check", "--json", "good.js"]).await.json();
        assert!(!codes(&found).contains(&code), "{code}: {found:#}");
    }
}

#[tokio::test]
async fn every_rule_is_listed_and_has_an_example() {
    let shop = Workshop::new();
    assert_snapshot!("check-rules", shop.run(&["check", "--rules"]).await.expect(0).stdout);
    let listed = shop.run(&["check", "--rules", "--json"]).await.expect(0).json();
    let examples = examples();
    for rule in listed["rules"].as_array().unwrap() {
        let code = rule["code"].as_str().unwrap();
        // These need more than a module: a clock, a compiler.
        let elsewhere = ["slow-load", "typescript"].contains(&code);
        assert!(elsewhere || examples.iter().any(|(known, ..)| *known == code), "{code} has no example");
    }
}

const SHOWN: &str = r#"import { z } from "zod";
export default () => ({
  name: "find",
  description: "Finds things",
  parameters: z.object({
    what: z.string(),
    where: z.string().optional().describe("One of here, there"),
  }),
  async execute(params) {
    return { content: [{ type: "text", text: "x" }] };
  },
});
"#;

#[tokio::test]
async fn findings_say_what_where_and_what_to_do() {
    let shop = Workshop::new();
    shop.write("find.ts", SHOWN);
    shop.write("broken.ts", "export default () => ({\n  name: \"x\"\n  description: 1,\n});\n");
    let arguments = ["check", "find.ts", "broken.ts"];
    assert_snapshot!("check", shop.run(&arguments).await.expect(1).stdout);
    let coloured = shop.run(&["check", "--color", "always", "find.ts", "broken.ts"]).await.expect(1);
    assert_snapshot!("check-colour", coloured.stdout);
    let mut told = shop.run(&["check", "--json", "find.ts", "broken.ts"]).await.expect(1).json();
    told["tools"][0]["loadMs"] = json!(0);
    assert_snapshot!("check.json", format!("{told:#}\n"));
}

#[tokio::test]
async fn warnings_fail_only_when_asked_to() {
    let shop = Workshop::new();
    shop.write("t.js", tool("description: \"\""));
    shop.run(&["check", "t.js"]).await.expect(0);
    shop.run(&["check", "--strict", "t.js"]).await.expect(1);
    shop.write("t.js", tool("description: \"Short\""));
    shop.run(&["check", "--strict", "t.js"]).await.expect(0);
}

#[tokio::test]
async fn the_authors_compiler_is_asked_with_the_authors_settings() {
    let Some(programs) = compiler::programs().await else { return };
    let shop = Workshop::new().with_programs(programs);
    let source = "import type { CustomToolFactory } from \"@oh-my-pi/pi-coding-agent\";\n\
        import type { Stats } from \"node:fs\";\n\
        const factory: CustomToolFactory = (pi) => ({ name: \"t\", description: \"A tool that is described well\",\n\
        parameters: {}, async execute() {\n\
        pi.exec(5); void process.env.HOME; let s: Stats | undefined; void s;\n\
        return { content: [{ type: \"text\", text: 5 }] }; } });\nexport default factory;\n";
    shop.write("t.ts", source);
    // Apart, because beside Node's modules it could as well be for want of their types.
    shop.write("loose.ts", "export const loose = (x) => x;\nexport default () => null;\n");
    let report = shop.run(&["check", "--json", "t.ts", "loose.ts"]).await.expect(0).json();
    let found: Vec<(u64, &str)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["line"].as_u64().unwrap_or(0), finding["message"].as_str().unwrap()))
        .collect();
    let has = |line: u64, code: &str| found.iter().any(|(at, message)| *at == line && message.contains(code));
    assert!(has(5, "TS2345") && has(1, "TS7006"), "{found:#?}");
    assert!(
        found.iter().all(|(_, message)| !message.contains("process") && !message.contains("node:fs")),
        "{found:#?}"
    );
    shop.write(
        "tsconfig.json",
        r#"{ "compilerOptions": { "strict": false, "module": "esnext", "moduleResolution": "bundler" } }"#,
    );
    let report = shop.run(&["check", "--json", "t.ts", "loose.ts"]).await.expect(0).json();
    let text = report["findings"].to_string();
    assert!(!text.contains("TS7006") && text.contains("TS2345"), "{text}");
    shop.run(&["check", "--strict", "t.ts"]).await.expect(1);
    assert_eq!(shop.run(&["check", "--no-types", "--json", "t.ts"]).await.expect(0).json()["warnings"], 0);
}

#[tokio::test]
async fn without_nodes_types_what_they_would_say_is_no_mistake() {
    let Some(programs) = compiler::programs().await else { return };
    let shop = Workshop::new().with_programs(programs);
    let text = "import { type Dirent, readdirSync } from \"node:fs\";\n\
                const names: Dirent[] = readdirSync(\".\").map((entry) => entry.name);\n\
                const wrong: number = \"text\";\n\
                export default () => null;\n";
    shop.write("node.ts", text);
    let report = shop.run(&["check", "--json", "node.ts"]).await.expect(0).json();
    let found = report["findings"].as_array().unwrap().iter().filter(|found| found["code"] == "typescript");
    let lines: Vec<&Value> = found.map(|found| &found["line"]).collect();
    assert_eq!(lines, [3], "{report:#}");
}

#[tokio::test]
async fn c2_8_what_waits_for_trust_is_not_run() {
    let shop = Workshop::new();
    shop.write(".toolsmith/tools/bad.js", "require('fs'); globalThis.process.exit(1)");
    let report = shop.run(&["check", "--json"]).await.expect(1).json();
    assert_eq!(report["waiting"].as_array().unwrap().len(), 1);
    assert_eq!(report["findings"], json!([]));
    for arguments in [&["check"][..], &["check", "--strict"]] {
        let plain = shop.run(arguments).await.expect(1).stdout;
        assert!(plain.contains("waiting for trust, not checked: .toolsmith/tools/bad.js"), "{plain}");
        assert!(plain.contains("`toolsmith trust`"), "{plain}");
    }
    shop.run(&["check", "--trust"]).await.expect(1);
}

#[tokio::test]
async fn modules_that_do_their_worst_are_findings() {
    let shop = Workshop::new();
    shop.write("loop.js", "for (;;) {}");
    shop.write("binary.js", b"export default \xff\xfe");
    shop.write("exit.js", "process.exit(0)");
    shop.write("note.md", "# no module");
    let arguments = [
        "check",
        "--json",
        "--set",
        "limits.load=500ms",
        "loop.js",
        "binary.js",
        "exit.js",
        "note.md",
        "missing.js",
    ];
    let report = shop.run(&arguments).await.expect(1).json();
    let messages: Vec<String> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            format!("{}: {}", finding["path"].as_str().unwrap(), finding["message"].as_str().unwrap())
        })
        .collect();
    assert_eq!(messages.len(), 4, "{messages:#?}");
    assert_eq!(report["errors"], 5);
    let refused = report["refused"][0]["message"].as_str().unwrap();
    assert!(refused.contains("Tool file not found") && refused.contains("missing.js"), "{refused}");
    for (path, part) in [
        ("loop.js", "exceeded 500ms"),
        ("binary.js", "is not UTF-8"),
        ("exit.js", "exit"),
        ("note.md", "Declarative tool files"),
    ] {
        assert!(
            messages.iter().any(|message| message.contains(path) && message.contains(part)),
            "{path}: {messages:#?}"
        );
    }
}

#[tokio::test]
async fn a_folder_stands_for_the_modules_in_it() {
    let shop = Workshop::new();
    shop.write("some/a.js", tool("name: \"a\""));
    shop.write("some/b/index.js", tool("name: \"b\""));
    let report = shop.run(&["check", "--json", "./some"]).await.expect(0).json();
    let names: Vec<&Value> = report["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(shop.run(&["check", "--json", "some/b"]).await.expect(0).json()["tools"][0]["name"], "b");
}

#[tokio::test]
async fn five_hundred_tools_are_checked() {
    let shop = Workshop::new();
    for number in 0..500 {
        shop.write(&format!(".toolsmith/tools/t{number}.js"), tool(&format!("name: \"t{}\"", number % 499)));
    }
    let report = shop.run(&["check", "--json", "--trust"]).await.expect(1).json();
    assert_eq!(report["tools"].as_array().unwrap().len(), 500);
    assert_eq!(codes(&report), ["name-clash"]);
}
