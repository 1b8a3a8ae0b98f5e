//! `toolsmith cache`, and what commands do with cached definitions (CONTRACT 13).

use serde_json::json;

use crate::place::{BROKEN, HELLO, Place, STAGE};

const TOOL: &str = "project/.toolsmith/tools/hello.ts";

#[tokio::test]
async fn definitions_are_listed_and_cleared() {
    let reads = "export default () => ({ name: `n${process.env.X}`, description: \"\", parameters: { type: \"object\" }, execute() {} });";
    let place = Place::trusted(&[
        (TOOL, HELLO),
        ("project/.toolsmith/tools/stage.ts", STAGE),
        ("project/.toolsmith/tools/reads.ts", reads),
        ("project/.toolsmith/tools/broken.ts", BROKEN),
    ]);
    assert_eq!(place.run(&["cache"]).await.stdout, "No definitions are cached for this directory.\n");
    for _ in 0..2 {
        let said = place.run(&["call", "hello", "name=you"]).await;
        assert_eq!((said.stdout.as_str(), said.code), ("Hello, you!\n", 0), "{said:#?}");
    }
    for _ in 0..2 {
        let listed = place.run(&["list", "--json"]).await;
        assert!(listed.stdout.contains("broken.ts"), "its error is reported in every run: {listed:#?}");
    }
    let listed = place.run(&["cache", "--json"]).await.json();
    let modules = listed["projects"][0]["modules"].as_array().unwrap().clone();
    let state: Vec<_> =
        modules.iter().map(|module| (module["isCached"].clone(), module["reason"].clone())).collect();
    assert_eq!(
        state,
        [
            (json!(true), json!(null)),
            (json!(false), json!("it reads its surroundings while loading")),
            (json!(true), json!(null)),
        ]
    );
    let said = place.run(&["cache", "show"]).await;
    assert!(said.stdout.contains("hello.ts") && said.stdout.contains("cached"), "{said:#?}");
    assert_eq!(place.run(&["cache", "clear"]).await.stdout, "Removed the definitions of 1 directory.\n");
    assert_eq!(place.run(&["cache", "clear"]).await.stdout, "Removed the definitions of 0 directories.\n");
}

#[tokio::test]
async fn c13_2_a_changed_tool_is_listed_and_called_as_it_is_now() {
    let place = Place::trusted(&[(TOOL, HELLO)]);
    place.run(&["call", "hello", "name=you"]).await;
    place.write(TOOL, &HELLO.replace("Greets somebody", "Greets everybody").replace("Hello,", "Welcome,"));
    let listed = place.run(&["list", "--json"]).await;
    assert!(listed.stdout.contains("Greets everybody"), "{listed:#?}");
    assert_eq!(place.run(&["call", "hello", "name=you"]).await.stdout, "Welcome, you!\n");
}

#[tokio::test]
async fn c2_8_cached_tools_of_a_project_that_is_no_longer_trusted_are_not_offered() {
    let place = Place::new(&[(TOOL, HELLO)]);
    assert_eq!(place.run(&["--trust", "call", "hello", "name=you"]).await.code, 0);
    assert_eq!(place.run(&["--trust", "call", "hello", "name=you"]).await.code, 0);
    let said = place.run(&["call", "hello", "name=you"]).await;
    assert_ne!(said.code, 0, "{said:#?}");
    assert!(!said.stdout.contains("Hello"), "{said:#?}");
}

#[tokio::test]
async fn c13_2_definitions_with_the_numbers_of_processes_are_not_cached() {
    for what in ["process.pid", "process.ppid"] {
        let text = format!(
            "export default () => ({{ name: 'n', description: `d ${{{what}}}`, parameters: {{ type: 'object' }}, execute() {{}} }});"
        );
        let place = Place::trusted(&[(TOOL, text.as_str())]);
        place.run(&["list"]).await;
        let said = place.run(&["cache"]).await;
        assert!(said.stdout.contains("it reads its surroundings"), "{what}: {said:#?}");
    }
    let imports = "import process from 'node:process';\nexport default () => ({ name: 'n', description: process.platform, parameters: { type: 'object' }, execute() {} });";
    let place = Place::trusted(&[(TOOL, imports)]);
    place.run(&["list"]).await;
    assert!(
        !place.run(&["cache"]).await.stdout.contains("surroundings"),
        "importing the module alone reads none"
    );
}
