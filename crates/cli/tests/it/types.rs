//! `toolsmith types`, and the types themselves under the real compiler.

use std::{fs, path::Path};

use insta::assert_snapshot;

use crate::{compiler, workshop::Workshop};

#[tokio::test]
async fn types_are_written_once_and_settings_are_the_authors() {
    let shop = Workshop::new();
    assert_snapshot!("types", shop.run(&["types"]).await.expect(0).stdout);
    let types = shop.read(".toolsmith/toolsmith.d.ts");
    assert_eq!(shop.run(&["types", "-"]).await.expect(0).stdout, types);
    shop.write(".toolsmith/toolsmith.d.ts", "old");
    shop.write(".toolsmith/tsconfig.json", "{}");
    assert_snapshot!("types-again", shop.run(&["types"]).await.expect(0).stdout);
    assert_eq!(shop.read(".toolsmith/toolsmith.d.ts"), types);
    assert_eq!(shop.read(".toolsmith/tsconfig.json"), "{}");
    assert_snapshot!("types.json", shop.run(&["types", "elsewhere", "--json"]).await.expect(0).stdout);
}

#[tokio::test]
async fn types_that_cannot_be_written_are_an_error() {
    let shop = Workshop::new();
    shop.write("file", "");
    let refused = shop.run(&["types", "file"]).await.expect(1);
    assert!(refused.stderr.contains("could not write the types to [WORK]/file"), "{}", refused.stderr);
}

/// What the compiler has to say about tools that are wrong on purpose, or that use what only the author can install.
const MISTAKES: &[(&str, &[&str])] = &[
    ("1.2-type-imports-are-not-resolved/tool.ts", &["TS2307", "TS2307"]),
    ("1.4-missing-names-are-stubs/tool.ts", &["TS2305", "TS2305", "TS2614", "TS2305"]),
    ("2.7-missing-package/tool.ts", &["TS2307"]),
    ("modules-resolution/tool.ts", &["TS7016", "TS7016", "TS7016", "TS2307", "TS2339"]),
    ("tools/D12-background-command/index.ts", &["TS7006"]),
    ("tools/D16-todo-write/index.ts", &["TS2339"]),
];

/// Is not TypeScript at all, so nothing beside it would be looked at.
const NOT_TYPESCRIPT: &str = "2.7-syntax-error";

#[tokio::test]
async fn the_types_describe_what_tools_really_get() {
    let shop = Workshop::new();
    shop.run(&["new", "with_zod"]).await.expect(0);
    shop.run(&["new", "with_typebox", "--typebox"]).await.expect(0);
    let tools = shop.work.join(".toolsmith/tools");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(here.join("../js/fixtures")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != NOT_TYPESCRIPT {
            copy(&entry.path(), &tools.join(entry.file_name()));
        }
    }
    fs::copy(here.join("tests/types/surface.ts"), tools.join("surface.ts")).unwrap();
    // As `check` does it for authors without Node's types.
    fs::copy(here.join("types/node_globals.d.ts"), tools.join("node_globals.d.ts")).unwrap();
    // The types themselves are looked at too.
    let settings =
        shop.read(".toolsmith/tsconfig.json").replace("\"skipLibCheck\": true", "\"skipLibCheck\": false");
    shop.write(".toolsmith/tsconfig.json", settings);
    let Some(programs) = compiler::programs().await else { return };
    let compiler = programs.join("tsc");
    let request = shop.request(&compiler.to_string_lossy()).args(["--pretty", "false", "-p", ".toolsmith"]);
    let output = shop.finish(&request).await.stdout;

    let mut found: Vec<(String, String)> = Vec::new();
    for line in output.lines().filter(|line| !line.starts_with(' ')) {
        let (place, rest) = line.split_once('(').unwrap_or_else(|| panic!("{line}"));
        let code = rest.split("error ").nth(1).and_then(|rest| rest.split(':').next()).unwrap_or_default();
        found.push((place.trim_start_matches(".toolsmith/tools/").to_owned(), code.to_owned()));
    }
    let expected: Vec<(String, String)> = MISTAKES
        .iter()
        .flat_map(|(file, codes)| codes.iter().map(|code| ((*file).to_owned(), (*code).to_owned())))
        .collect();
    assert_eq!(found, expected, "{output}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
