//! What `ast_grep` finds and how it shows it; scopes and languages are the same for both tools.

use serde_json::{Value, json};

use super::Place;

async fn text(place: &Place, arguments: Value) -> String {
    place.grep(arguments).await.unwrap().joined_text()
}

/// The files a scope means.
async fn files(place: &Place, path: &str, glob: Option<&str>) -> Vec<String> {
    let mut arguments = json!({ "pat": ["f($A)"], "path": path });
    if let Some(glob) = glob {
        arguments["glob"] = json!(glob);
    }
    let details = place.grep(arguments).await.unwrap().details.unwrap();
    details["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn matches_are_shown_by_file_with_what_the_names_stand_for() {
    let place = Place::new(&[
        ("src/a.ts", "call(one,\n  two);\nother();\ncall(3, 4);\n"),
        ("b.ts", "if (x) { call(a.b, ...c) }\n"),
    ]);
    assert_eq!(
        text(&place, json!({ "pat": ["call($A, $$$REST)"] })).await,
        "# b.ts (1 match)\n\
         1:if (x) { call(a.b, ...c) }\n  meta: A=a.b, REST=...c\n\
         \n\
         # src\n\
         ## └─ a.ts (2 matches)\n\
         1:call(one,\n2-  two);\n  meta: A=one, REST=two\n\
         4:call(3, 4);\n  meta: A=3, REST=4"
    );
    assert_eq!(
        text(&place, json!({ "pat": ["call(3, 4)"], "path": "src/a.ts", "context": 1 })).await,
        "3-other();\n4:call(3, 4);"
    );
    assert_eq!(text(&place, json!({ "pat": ["nothing()"] })).await, "No matches found");
}

#[tokio::test]
async fn offset_and_limit_go_over_all_files_in_order() {
    let place = Place::new(&[("a.ts", "f(1);\nf(2);\nf(3);\n"), ("b.ts", "f(4);\nf(5);\n")]);
    let found = |offset: usize, limit: usize| {
        let arguments = json!({ "pat": ["f($_)"], "offset": offset, "limit": limit });
        let place = &place;
        async move {
            let result = place.grep(arguments).await.unwrap();
            let rows = result.joined_text().lines().filter(|line| line.contains(":f")).count();
            (rows, result.details.unwrap()["limitReached"].as_bool().unwrap())
        }
    };
    assert_eq!(found(0, 50).await, (5, false));
    assert_eq!(found(0, 4).await, (4, true));
    assert_eq!(found(2, 2).await, (2, true));
    assert_eq!(found(4, 2).await, (1, false));
    assert_eq!(found(9, 2).await, (0, false));
    let limited = text(&place, json!({ "pat": ["f($_)"], "limit": 1 })).await;
    assert!(limited.ends_with("Result limit reached; narrow path pattern or increase limit."), "{limited}");
}

#[tokio::test]
async fn bad_arguments_are_told_in_the_words_of_the_family() {
    let place = Place::new(&[]);
    let cases = [
        (json!({ "pat": [] }), "`pat` must include at least one non-empty pattern"),
        (json!({ "pat": [" "] }), "`pat` must include at least one non-empty pattern"),
        (json!({ "pat": ["a"], "limit": 0 }), "Limit must be a positive number"),
        (json!({ "pat": ["a"], "offset": -1 }), "Offset must be a non-negative number"),
        (json!({ "pat": ["a"], "context": -1 }), "Context must be a non-negative number"),
        (json!({ "pat": ["a"], "path": "x" }), "Path not found: x"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(place.grep(arguments).await.unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn scopes_are_files_folders_globs_and_lists_of_them() {
    let place = Place::new(&[]);
    for name in ["a.ts", "src/b.ts", "src/deep/c.ts", "lib/d.js", "with space/e.ts", ".hidden/f.ts"] {
        place.write(name, "f(1);\n");
    }
    let all = [".hidden/f.ts", "a.ts", "lib/d.js", "src/b.ts", "src/deep/c.ts", "with space/e.ts"];
    assert_eq!(files(&place, "", None).await, all);
    assert_eq!(files(&place, "/", None).await, all, "/ is the working folder");
    assert_eq!(files(&place, "\"src\"", None).await, ["src/b.ts", "src/deep/c.ts"]);
    assert_eq!(files(&place, "src/b.ts", None).await, ["src/b.ts"]);
    assert_eq!(
        files(&place, "with space", None).await,
        ["with space/e.ts"],
        "a name with a space is one name"
    );
    assert_eq!(files(&place, "src lib", None).await, ["lib/d.js", "src/b.ts", "src/deep/c.ts"]);
    assert_eq!(files(&place, "src/b.ts, lib/*.js", None).await, ["lib/d.js", "src/b.ts"]);
    assert_eq!(files(&place, "src,src/b.ts", None).await, ["src/b.ts", "src/deep/c.ts"], "each file once");
    assert_eq!(files(&place, "src/*.ts", None).await, ["src/b.ts"], "* stays within a folder");
    assert_eq!(files(&place, "src/**/*.ts", None).await, ["src/b.ts", "src/deep/c.ts"]);
    assert_eq!(files(&place, "{src,lib}/*", None).await, ["lib/d.js", "src/b.ts"]);
    assert_eq!(files(&place, "src", Some("*.ts")).await, ["src/b.ts"], "a glob is relative to the path");
    assert_eq!(files(&place, "src", Some("deep/*")).await, ["src/deep/c.ts"]);
    assert_eq!(files(&place, "src/**", Some("**/c.ts")).await, ["src/deep/c.ts"], "both must match");
    let error = place.grep(json!({ "pat": ["f($A)"], "path": "src nowhere" })).await.unwrap_err();
    assert_eq!(error.to_string(), "Path not found: src nowhere");
}

#[tokio::test]
async fn ignored_files_and_other_peoples_code_are_left_out_unless_named() {
    let place = Place::new(&[(".gitignore", "dist/\n")]);
    for name in ["a.ts", "dist/b.ts", "node_modules/p/c.js", ".git/d.ts"] {
        place.write(name, "f(1);\n");
    }
    assert_eq!(files(&place, "", None).await, ["a.ts"]);
    assert_eq!(files(&place, "", Some("node_modules/**/*.js")).await, ["node_modules/p/c.js"]);
    assert_eq!(files(&place, "node_modules", None).await, ["node_modules/p/c.js"]);
    assert_eq!(files(&place, "dist/b.ts", None).await, ["dist/b.ts"], "a file that is named is meant");
}

#[tokio::test]
async fn each_file_is_read_in_its_own_language_unless_one_is_given() {
    let place = Place::new(&[
        ("a.ts", "f(1);\n"),
        ("b.py", "f(1)\n"),
        ("c.rs", "fn main() { f(1); }\n"),
        ("d.go", "package p\nfunc m() { f(1) }\n"),
        ("e.txt", "f(1)\n"),
        ("F.java", "class F { void m() { f(1); } }\n"),
        ("script", "f(1);\n"),
    ]);
    assert_eq!(files(&place, "", None).await, ["F.java", "a.ts", "b.py", "c.rs", "d.go"]);
    let one = place.grep(json!({ "pat": ["f($A)"], "lang": "py" })).await.unwrap().details.unwrap();
    assert_eq!((&one["files"], &one["filesSearched"]), (&json!(["b.py"]), &json!(1)));
    let named = place.grep(json!({ "pat": ["f($A)"], "lang": "js", "path": "script" })).await.unwrap();
    assert_eq!(
        named.details.unwrap()["totalMatches"],
        1,
        "a file that is named is in the language that is named"
    );
    // A pattern that is nothing in one of the languages is not wrong for that.
    let mixed = place.grep(json!({ "pat": ["fn $NAME() { $$$ }"] })).await.unwrap();
    assert_eq!(mixed.details.as_ref().unwrap()["files"], json!(["c.rs"]));
    assert!(mixed.details.unwrap().get("parseErrors").is_none());
}

#[tokio::test]
async fn a_selector_picks_the_node_within_its_context() {
    let place = Place::new(&[("a.ts", "class A { x = 1; y = 2 }\nlet x = 1;\n")]);
    let arguments = json!({ "pat": ["class X { x = $V }"], "sel": "public_field_definition" });
    let result = place.grep(arguments).await.unwrap();
    assert!(result.joined_text().contains("meta: V=1"), "{}", result.joined_text());
    let bad = text(&place, json!({ "pat": ["f()"], "sel": "no_such_kind" })).await;
    assert!(bad.contains("f(): Invalid pattern: ") && bad.contains("no_such_kind"), "{bad}");
}

#[tokio::test]
async fn the_same_name_twice_means_the_same_code() {
    let place = Place::new(&[("a.ts", "f(a, a);\nf(a, b);\nf(g(1), g(1));\n")]);
    let found = text(&place, json!({ "pat": ["f($A, $A)"], "path": "a.ts" })).await;
    assert_eq!(found, "1:f(a, a);\n  meta: A=a\n3:f(g(1), g(1));\n  meta: A=g(1)");
}

#[tokio::test]
async fn files_with_errors_are_searched_and_reported() {
    let place = Place::new(&[("a.ts", "f(1);\nlet x = = (;\n")]);
    let found = text(&place, json!({ "pat": ["f($A)"] })).await;
    assert!(found.contains("1:f(1);") && found.contains("a.ts: parse error"), "{found}");
    let none = text(&place, json!({ "pat": ["f("] })).await;
    assert!(none.starts_with("No matches found. Not everything could be searched;"), "{none}");
}

#[tokio::test]
async fn progress_is_told_on_the_way() {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use toolsmith_builtins::AstGrepTool;
    use toolsmith_tool::{Tool, ToolCall, UpdateSink};

    let place = Place::new(&[]);
    (0..1200).for_each(|n| place.write(&format!("{n}.ts"), "f(1);\n"));
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    let updates = UpdateSink::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let tool = AstGrepTool::new(&place.root);
    let call = ToolCall::new("1", json!({ "pat": ["f($A)"] }));
    let result = tool.execute(call, place.context().with_updates(updates)).await.unwrap();
    assert_eq!(result.details.unwrap()["totalMatches"], 1200);
    assert_eq!(seen.load(Ordering::Relaxed), 2);
}
