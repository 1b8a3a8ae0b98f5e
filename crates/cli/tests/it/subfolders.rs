//! A project is found from any directory below it.

use crate::place::{HELLO, Place, Said};

async fn run_below(place: &Place, args: &[&str]) -> Said {
    place.run_request(&place.request(args).cwd(place.path("project/src/deep"))).await
}

fn place() -> Place {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    std::fs::create_dir_all(place.path("project/src/deep")).unwrap();
    place
}

#[tokio::test]
async fn c2_2_call_and_list_find_the_tools_of_a_project_above() {
    let place = place();
    let said = run_below(&place, &["call", "hello", "name=World"]).await;
    assert!(said.stdout.contains("Hello, World!"), "{said:#?}");
    let said = run_below(&place, &["list", "--json"]).await;
    assert_eq!(said.json()["tools"][0]["name"], "hello", "{said:#?}");
    let said = run_below(&place, &["check"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("hello"), "{said:#?}");
}

#[tokio::test]
async fn new_adds_to_the_project_above_instead_of_nesting_one() {
    let place = place();
    let said = run_below(&place, &["new", "greet"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(place.path("project/.toolsmith/tools/greet/index.ts").exists());
    assert!(!place.path("project/src/deep/.toolsmith").exists());
    let said = run_below(&place, &["call", "greet", "name=World"]).await;
    assert!(said.stdout.contains("Hello, World!"), "{said:#?}");
}

#[tokio::test]
async fn c2_8_an_untrusted_project_above_waits_and_is_trusted_as_a_whole() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    std::fs::create_dir_all(place.path("project/src/deep")).unwrap();
    let said = run_below(&place, &["call", "hello", "name=World"]).await;
    assert_ne!(said.code, 0, "{said:#?}");
    assert!(said.stderr.contains("waiting for trust"), "{said:#?}");
    let said = run_below(&place, &["trust"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said = run_below(&place, &["call", "hello", "name=World"]).await;
    assert!(said.stdout.contains("Hello, World!"), "{said:#?}");
}

#[tokio::test]
async fn tools_run_in_the_directory_they_were_called_from() {
    let place = place();
    let tool = r#"export default (pi) => ({ name: "where", description: "d", parameters: { type: "object", properties: {} },
        execute: async () => ({ content: [{ type: "text", text: pi.cwd }] }) });"#;
    place.write("project/.toolsmith/tools/where.ts", tool);
    let said = run_below(&place, &["call", "where"]).await;
    assert!(said.stdout.trim().ends_with("project/src/deep"), "{said:#?}");
}
