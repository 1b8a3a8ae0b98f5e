//! CONTRACT 8.7: rewrites are shown, staged, and made again on the same contents, in all files or in none.

use std::{fs, os::unix::fs::PermissionsExt, sync::Arc};

use serde_json::json;
use toolsmith_agent::PendingChoice;
use toolsmith_builtins::AstEditTool;
use toolsmith_tool::{CancelToken, FileSelection, Stop, Tier, Tool, ToolCall, ToolContext, ToolError};

use super::Place;

fn ops() -> serde_json::Value {
    json!([{ "pat": "console.log($$$ARGS)", "out": "logger.info($$$ARGS)" }])
}

#[tokio::test]
async fn c8_7_a_preview_is_shown_and_staged_and_nothing_is_written_before_apply() {
    let place = Place::new(&[
        ("src/a.ts", "console.log(1);\nfoo();\n    console.log(2, 3);\n"),
        ("src/b.js", "console.log(4)\n"),
        ("root.ts", "console.log(5);\n"),
        ("src/other.ts", "foo();\n"),
    ]);
    let result = place.edit(json!({ "ops": ops() })).await.unwrap();
    assert_eq!(
        result.joined_text(),
        "# root.ts (1 replacement)\n\
         -1:1 console.log(5)\n\
         +1:1 logger.info(5)\n\
         \n\
         # src\n\
         ## └─ a.ts (2 replacements)\n\
         -1:1 console.log(1)\n\
         +1:1 logger.info(1)\n\
         -3:5 console.log(2, 3)\n\
         +3:5 logger.info(2, 3)\n\
         \n\
         ## └─ b.js (1 replacement)\n\
         -1:1 console.log(4)\n\
         +1:1 logger.info(4)"
    );
    assert_eq!(
        result.details.unwrap(),
        json!({
            "totalReplacements": 4, "filesTouched": 3, "filesSearched": 4, "applied": false, "limitReached": false,
            "scopePath": ".", "files": ["root.ts", "src/a.ts", "src/b.js"],
            "fileReplacements": [
                { "path": "root.ts", "count": 1 }, { "path": "src/a.ts", "count": 2 }, { "path": "src/b.js", "count": 1 },
            ],
        })
    );
    assert_eq!(place.read("root.ts"), "console.log(5);\n");
    let action = place.stack.peek().unwrap();
    assert_eq!(action.label, "AST Edit: 4 replacements in 3 files");
    assert_eq!(
        (action.source_tool_name.as_str(), action.tier, action.files.len()),
        ("ast_edit", Some(Tier::Write), 3)
    );
    let shown = place.resolver.view(PendingChoice::Top).await.unwrap();
    assert!(shown[0].diff_text().ends_with("@@ -1 +1 @@\n-console.log(5);\n+logger.info(5);\n"));
    let applied = place.resolve("apply").await.unwrap();
    assert_eq!(applied.joined_text(), "Applied 4 replacements in 3 files.");
    assert_eq!(place.read("src/a.ts"), "logger.info(1);\nfoo();\n    logger.info(2, 3);\n");
    place.store.undo_last(&place.root, &CancelToken::new()).unwrap();
    assert_eq!(place.read("src/a.ts"), "console.log(1);\nfoo();\n    console.log(2, 3);\n");
}

#[tokio::test]
async fn c8_7_discarding_leaves_everything_as_it_was() {
    let place = Place::new(&[("a.ts", "console.log(1);\n")]);
    place.edit(json!({ "ops": ops(), "path": "a.ts" })).await.unwrap();
    let text = place.resolve("discard").await.unwrap().joined_text();
    assert_eq!(text, "Discarded: AST Edit: 1 replacement in 1 file. Reason: test");
    assert_eq!(place.read("a.ts"), "console.log(1);\n");
}

#[tokio::test]
async fn c8_7_applying_refuses_when_any_file_changed_and_writes_none() {
    type Meanwhile = fn(&Place);
    let cases: [(Meanwhile, &str); 4] = [
        (|place| place.write("b.ts", "console.log(2); \n"), "b.ts changed"),
        (|place| fs::remove_file(place.root.join("b.ts")).unwrap(), "b.ts was deleted"),
        (
            |place| fs::set_permissions(place.root.join("b.ts"), PermissionsExt::from_mode(0o444)).unwrap(),
            "b.ts is read-only",
        ),
        (
            |place| {
                fs::rename(place.root.join("b.ts"), place.root.join("c.ts")).unwrap();
                std::os::unix::fs::symlink("c.ts", place.root.join("b.ts")).unwrap();
            },
            "b.ts leads elsewhere now",
        ),
    ];
    for (meanwhile, expected) in cases {
        let place = Place::new(&[("a.ts", "console.log(1);\n"), ("b.ts", "console.log(2);\n")]);
        place.edit(json!({ "ops": ops() })).await.unwrap();
        meanwhile(&place);
        let error = place.resolve("apply").await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(place.read("a.ts"), "console.log(1);\n", "none is written");
        assert!(!place.stack.has_pending());
    }
}

#[tokio::test]
async fn c8_6_some_hunks_of_a_rewrite_can_be_applied_alone() {
    let gap = "x();\n".repeat(20);
    let place = Place::new(&[("a.ts", &format!("console.log(1);\n{gap}console.log(2);\n"))]);
    place.edit(json!({ "ops": ops() })).await.unwrap();
    let shown = place.resolver.view(PendingChoice::Top).await.unwrap();
    assert_eq!(shown[0].hunks.len(), 2);
    let hunks = Some(vec![shown[0].hunks[1].range.clone()]);
    let chosen = Some(vec![FileSelection { path: "a.ts".into(), hunks }]);
    let result = place.resolver.apply(PendingChoice::Top, chosen, "r", place.context()).await.unwrap();
    assert_eq!(result.joined_text(), "Applied the chosen parts in 1 file.");
    assert_eq!(place.read("a.ts"), format!("console.log(1);\n{gap}logger.info(2);\n"));
}

#[tokio::test]
async fn some_files_of_a_rewrite_can_be_applied_alone() {
    let place = Place::new(&[("a.ts", "console.log(1);\n"), ("b.ts", "console.log(2);\n")]);
    place.edit(json!({ "ops": ops() })).await.unwrap();
    let files = Some(vec![FileSelection::whole("b.ts")]);
    let result = place.resolver.apply(PendingChoice::Top, files, "r", place.context()).await.unwrap();
    assert_eq!(result.joined_text(), "Applied 1 replacement in 1 file.");
    assert_eq!([place.read("a.ts"), place.read("b.ts")], ["console.log(1);\n", "logger.info(2);\n"]);
}

#[tokio::test]
async fn bad_arguments_are_told_in_the_words_of_the_family() {
    let place = Place::new(&[("a.ts", "x\n")]);
    let op = |pat: &str| json!({ "pat": pat, "out": "y" });
    let cases = [
        (json!({ "ops": [] }), "`ops` must include at least one op entry"),
        (json!({ "ops": [op("a"), op("  ")] }), "`ops[1].pat` must be a non-empty pattern"),
        (json!({ "ops": [op("a"), op("a ")] }), "Duplicate rewrite pattern: a"),
        (json!({ "ops": [op("a")], "limit": 0 }), "limit must be a positive number"),
        (json!({ "ops": [op("a")], "path": "nowhere" }), "Path not found: nowhere"),
        (json!({ "ops": [op("a")], "path": "no/*.ts" }), "Path not found: no/*.ts"),
        (
            json!({ "ops": [op("a")], "path": "mem://x" }),
            "Cannot rewrite internal URL without backing file: mem://x",
        ),
        (
            json!({ "ops": [op("a")], "path": "mem://*" }),
            "Glob patterns are not supported for internal URLs: mem://*",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(place.edit(arguments).await.unwrap_err().to_string(), expected);
    }
    let error = place.edit(json!({ "ops": [op("a")], "lang": "cobol" })).await.unwrap_err().to_string();
    assert!(error.starts_with("Unsupported language 'cobol'. Supported: bash, c, cpp, css, "), "{error}");
    assert!(!place.stack.has_pending());
}

#[tokio::test]
async fn overlaps_are_found_at_the_preview() {
    let place = Place::new(&[("a.ts", "\nfoo(foo(1));\n")]);
    let error = place.edit(json!({ "ops": [{ "pat": "foo($A)", "out": "bar($A)" }] })).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Overlapping replacements detected; refine pattern to avoid ambiguous edits\nAt: a.ts:2:5"
    );
    let both = json!([{ "pat": "foo($A)", "out": "x" }, { "pat": "foo(1)", "out": "y" }]);
    place.write("a.ts", "foo(1);\n");
    assert!(place.edit(json!({ "ops": both })).await.unwrap_err().to_string().starts_with("Overlapping"));
    assert!(!place.stack.has_pending());
}

#[tokio::test]
async fn incomplete_patterns_and_files_with_errors_are_reported() {
    let place = Place::new(&[
        ("a.ts", "foo(1);\n"),
        ("broken.ts", "foo(2); function (((\n"),
        ("c.css", "a { b: c }\n"),
    ]);
    for pat in ["foo(", "foo($A", "{", "\"abc", "$$$A", "a; b"] {
        let result =
            place.edit(json!({ "ops": [{ "pat": pat, "out": "x" }], "glob": "a.ts" })).await.unwrap();
        let text = result.joined_text();
        assert!(
            text.starts_with(&format!("No replacements made\n\nParse issues:\n- {pat}: Invalid pattern: ")),
            "{text}"
        );
        assert!(result.is_error, "nothing could be searched: {pat}");
        assert_eq!(result.details.unwrap()["parseErrors"].as_array().unwrap().len(), 1);
    }
    let free =
        place.edit(json!({ "ops": [{ "pat": "foo($A)", "out": "x($B)" }] })).await.unwrap().joined_text();
    assert!(free.contains("`out` uses $B, which `pat` does not bind"), "{free}");
    assert!(!place.stack.has_pending());
    let result = place.edit(json!({ "ops": [{ "pat": "foo($A)", "out": "bar($A)" }] })).await.unwrap();
    let text = result.joined_text();
    assert!(
        text.contains("Parse issues:\n- broken.ts: parse error (syntax tree contains error nodes)"),
        "{text}"
    );
    place.resolve("apply").await.unwrap();
    assert_eq!(place.read("a.ts"), "bar(1);\n");
    assert!(place.read("broken.ts").starts_with("foo(2)"));
}

#[tokio::test]
async fn many_issues_are_counted_and_twenty_are_shown() {
    let place = Place::new(&[]);
    (0..30).for_each(|n| place.write(&format!("{n}.ts"), "foo(; function (((\n"));
    let text = place.edit(json!({ "ops": [{ "pat": "foo($A)", "out": "x" }] })).await.unwrap().joined_text();
    assert!(text.contains("Parse issues (20 / 30):"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("- ")).count(), 20);
}

#[tokio::test]
async fn the_limit_cuts_the_rewrite_and_says_so() {
    let place = Place::new(&[("a.ts", "f(1);\nf(2);\nf(3);\n"), ("b.ts", "f(4);\n")]);
    let arguments = json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }], "limit": 2 });
    let result = place.edit(arguments).await.unwrap();
    assert!(result.joined_text().ends_with("\n\nLimit reached; narrow path or increase limit."));
    assert_eq!(result.details.unwrap()["limitReached"], true);
    assert_eq!(place.resolve("apply").await.unwrap().joined_text(), "Applied 2 replacements in 1 file.");
    assert_eq!([place.read("a.ts"), place.read("b.ts")], ["g(1);\ng(2);\nf(3);\n", "f(4);\n"]);
    let tool = AstEditTool::new(&place.root, Arc::clone(&place.store)).max_files(1);
    let call = ToolCall::new("1", json!({ "ops": [{ "pat": "$F($A)", "out": "h($A)" }] }));
    let details = tool.execute(call, place.context()).await.unwrap().details.unwrap();
    assert_eq!((&details["filesTouched"], &details["limitReached"]), (&json!(1), &json!(true)));
}

#[tokio::test]
async fn line_ends_bytes_and_deletions_come_out_as_they_should() {
    let place =
        Place::new(&[("crlf.ts", "if (a) {\r\n  old(1);\r\n}\r\n"), ("del.ts", "a();\ndebugger;\nb();\n")]);
    place.edit(json!({ "ops": [{ "pat": "old($A)", "out": "one($A);\ntwo($A)" }] })).await.unwrap();
    place.resolve("apply").await.unwrap();
    assert_eq!(place.read("crlf.ts"), "if (a) {\r\n  one(1);\r\n  two(1);\r\n}\r\n");
    place.edit(json!({ "ops": [{ "pat": "debugger;", "out": "" }] })).await.unwrap();
    place.resolve("apply").await.unwrap();
    assert_eq!(place.read("del.ts"), "a();\n\nb();\n");
    place.write("latin.ts", b"foo(1); // \xe9\n");
    place.write("binary.ts", b"foo(1)\0\0\xff\xfe");
    place.write("huge.ts", &vec![b'\n'; 9 << 20]);
    let text = place.edit(json!({ "ops": [{ "pat": "foo($A)", "out": "x" }] })).await.unwrap().joined_text();
    for expected in ["latin.ts: not UTF-8", "binary.ts: not UTF-8", "huge.ts: larger than 8 MB"] {
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn the_scope_of_a_rewrite_is_that_of_a_search() {
    for (path, glob, changed) in [
        ("/", None, "a b c d"),
        ("src lib", None, "b c d"),
        ("\"src\"", None, "b c"),
        ("src/b.ts, lib/*.ts", None, "b d"),
        ("src", Some("*.ts"), "b"),
        ("src", Some("**/*.ts"), "b c"),
    ] {
        let place = Place::new(&[]);
        let all = [("a", "a.ts"), ("b", "src/b.ts"), ("c", "src/deep/c.ts"), ("d", "lib/d.ts")];
        all.iter().for_each(|(_, file)| place.write(file, "f(1);\n"));
        let mut arguments = json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }], "path": path });
        if let Some(glob) = glob {
            arguments["glob"] = json!(glob);
        }
        let details = place.edit(arguments).await.unwrap().details.unwrap();
        assert_eq!(details["totalReplacements"], changed.split(' ').count(), "{path} {glob:?}");
        place.resolve("apply").await.unwrap();
        let now: Vec<&str> =
            all.iter().filter(|(_, file)| place.read(file) == "g(1);\n").map(|(name, _)| *name).collect();
        assert_eq!(now.join(" "), changed, "{path} {glob:?}: nothing outside is touched");
    }
}

#[tokio::test]
async fn rows_are_aligned_and_an_issue_is_told_once() {
    let place = Place::new(&[("a.ts", &format!("f(1);{}f(2);\n", "\n".repeat(9)))]);
    let ops = json!([{ "pat": "f($A)", "out": "g($A)" }]);
    let text = place.edit(json!({ "ops": ops, "path": "a.ts" })).await.unwrap().joined_text();
    assert_eq!(text, "-1:1  f(1)\n+1:1  g(1)\n-10:1 f(2)\n+10:1 g(2)");
    place.write("broken.ts", "f(1); h(1); function (((\n");
    let ops = json!([{ "pat": "f($A)", "out": "g($A)" }, { "pat": "h($A)", "out": "i($A)" }]);
    let result = place.edit(json!({ "ops": ops, "path": "broken.ts" })).await.unwrap();
    assert_eq!(
        result.joined_text(),
        "No replacements made\n\nParse issues:\n- broken.ts: parse error (syntax tree contains error nodes)"
    );
}

#[tokio::test]
async fn names_that_are_no_text_are_shown_rewritten_and_applied() {
    use std::os::unix::ffi::OsStringExt;

    let place = Place::new(&[]);
    let file = place.root.join(std::ffi::OsString::from_vec(b"caf\xe9.ts".to_vec()));
    fs::write(&file, "f(1);\n").unwrap();
    let found = place.grep(json!({ "pat": ["f($A)"] })).await.unwrap();
    assert_eq!(found.details.unwrap()["files"], json!(["caf\u{fffd}.ts"]));
    place.edit(json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }] })).await.unwrap();
    assert_eq!(serde_json::to_value(place.resolver.list()).unwrap()[0]["files"].as_array().unwrap().len(), 1);
    serde_json::to_value(place.resolver.view(PendingChoice::Top).await.unwrap()).unwrap();
    place.resolve("apply").await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "g(1);\n");
    serde_json::to_value(place.resolver.changes().await.unwrap()).unwrap();
}

#[tokio::test]
async fn a_hundred_thousand_places_are_rewritten() {
    let place = Place::new(&[("a.js", &"f(1);\n".repeat(100_000))]);
    let result =
        place.edit(json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }], "path": "a.js" })).await.unwrap();
    assert_eq!(result.details.unwrap()["totalReplacements"], 100_000);
    assert_eq!(place.resolve("apply").await.unwrap().joined_text(), "Applied 100000 replacements in 1 file.");
    assert_eq!(place.read("a.js"), "g(1);\n".repeat(100_000));
}

#[tokio::test]
async fn a_line_of_megabytes_is_no_trouble() {
    let place = Place::new(&[("min.js", &format!("/*é*/{}", "f(1);".repeat(100_000)))]);
    let result =
        place.edit(json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }], "limit": 3 })).await.unwrap();
    assert!(result.joined_text().contains("-1:11 f(1)"), "{}", result.joined_text());
    let found = place.grep(json!({ "pat": ["f($A)"], "path": "min.js", "limit": 2 })).await.unwrap();
    assert_eq!(found.joined_text().lines().next(), Some("1:f(1)"));
}

#[tokio::test]
async fn code_and_patterns_nested_without_end_do_no_harm() {
    let deep = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
    let place = Place::new(&[("a.js", &format!("f({0}, {0});\n", deep(50_000)))]);
    let result = place.edit(json!({ "ops": [{ "pat": "f($A, $A)", "out": "g($A)" }] })).await.unwrap();
    assert!(result.joined_text().contains("nested deeper than"), "{}", result.joined_text());
    // Deep in one place of many, deep without brackets, and long but not deep.
    let chain = format!("{}g(1) && f(2, 2);\n", "f(1, 1);\n".repeat(2_000));
    place.write("a.js", &format!("{chain}x({});\n", vec!["1"; 1_500].join(" + ")));
    let result = place.edit(json!({ "ops": [{ "pat": "f($A, $A)", "out": "g($A)" }] })).await.unwrap();
    assert!(result.joined_text().contains("nested deeper than"), "{}", result.joined_text());
    place.write("a.js", &chain);
    let result = place.edit(json!({ "ops": [{ "pat": "f($A, $A)", "out": "g($A)" }] })).await.unwrap();
    assert_eq!(result.details.unwrap()["totalReplacements"], 2_001);
    for pat in [deep(4_000), "x".repeat(20_000)] {
        let text = place.edit(json!({ "ops": [{ "pat": pat, "out": "y" }] })).await.unwrap().joined_text();
        assert!(text.starts_with("No replacements made"), "{text}");
    }
}

#[tokio::test]
async fn a_cancelled_search_stages_nothing() {
    let place = Place::new(&[("a.ts", "console.log(1);\n")]);
    let cancel = CancelToken::new();
    cancel.cancel("test");
    let tool = AstEditTool::new(&place.root, Arc::clone(&place.store));
    let call = ToolCall::new("1", json!({ "ops": ops() }));
    let error = tool.execute(call, place.context().with_cancel(cancel)).await.unwrap_err();
    assert!(matches!(error, ToolError::Stopped { stop: Stop::Stopped, .. }), "{error}");
    assert!(!place.stack.has_pending());
}

#[tokio::test]
async fn c8_1_without_a_store_for_actions_it_says_so() {
    let place = Place::new(&[("a.ts", "console.log(1);\n")]);
    let tool = AstEditTool::new(&place.root, Arc::clone(&place.store));
    let error =
        tool.execute(ToolCall::new("1", json!({ "ops": ops() })), ToolContext::detached()).await.unwrap_err();
    assert_eq!(error.to_string(), "Pending action store unavailable for custom tools in this runtime.");
}

#[tokio::test]
async fn looking_asks_nobody_and_writing_is_the_declared_tier() {
    let place = Place::new(&[]);
    let tool = AstEditTool::new(&place.root, Arc::clone(&place.store));
    assert_eq!(tool.approval(&json!({})).await.tier, Tier::Read);
    assert_eq!(tool.spec().approval.tier, Tier::Write);
    assert!(tool.spec().deferrable);
    assert_eq!(tool.spec().parameters["required"], json!(["ops"]));
}
