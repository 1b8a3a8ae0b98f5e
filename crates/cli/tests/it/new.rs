//! `toolsmith new`.

use insta::assert_snapshot;

use crate::{compiler, workshop::Workshop};

#[tokio::test]
async fn a_new_tool_has_no_findings_and_passes_its_case() {
    let Some(programs) = compiler::programs().await else { return };
    for flag in ["--zod", "--typebox"] {
        let shop = Workshop::new().with_programs(programs);
        shop.run(&["new", "say_hello", flag]).await.expect(0);
        let checked = shop.run(&["check", "--json", "--strict"]).await.expect(0).json();
        assert_eq!(checked["findings"], serde_json::json!([]), "{flag}");
        assert_eq!(checked["tools"][0]["name"], "say_hello", "{flag}");
        let tested = shop.run(&["test"]).await.expect(0);
        assert!(tested.stdout.ends_with("1 passed, 0 failed\n"), "{}", tested.stdout);
    }
}

#[tokio::test]
async fn it_says_what_it_wrote() {
    let shop = Workshop::new();
    assert_snapshot!("new", shop.run(&["new", "hello"]).await.expect(0).stdout);
    assert_snapshot!("new.json", shop.run(&["new", "other", "--json"]).await.expect(0).stdout);
    let module = shop.read(".toolsmith/tools/hello/index.ts");
    assert!(module.contains("name: \"hello\"") && module.contains("label: \"Hello\""), "{module}");
    assert!(!module.contains("{{"), "{module}");
}

#[tokio::test]
async fn c2_8_new_trusts_the_file_it_wrote_and_no_other() {
    let shop = Workshop::new();
    shop.run(&["new", "mine"]).await.expect(0);
    shop.write(".toolsmith/tools/theirs.ts", "globalThis.process.exit(1)");
    let listed = shop.run(&["list", "--json"]).await.expect(0).json();
    assert_eq!(listed["tools"][0]["name"], "mine");
    assert_eq!(listed["waiting"][0]["name"], "theirs");
}

#[tokio::test]
async fn a_tool_of_the_users_own_works_everywhere() {
    let shop = Workshop::new();
    shop.run(&["new", "mine", "--user"]).await.expect(0);
    assert!(shop.home.join(".toolsmith/agent/tools/mine/index.ts").is_file());
    assert!(!shop.work.join(".toolsmith").exists());
    let listed = shop.run(&["list", "--json"]).await.expect(0).json();
    assert_eq!(listed["tools"][0]["source"]["scope"], "user");
}

#[tokio::test]
async fn nothing_is_overwritten() {
    let shop = Workshop::new();
    shop.run(&["new", "hello"]).await.expect(0);
    shop.write(".toolsmith/tools/hello/index.ts", "mine");
    let again = shop.run(&["new", "hello"]).await.expect(1);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
    assert_eq!(shop.read(".toolsmith/tools/hello/index.ts"), "mine");
    shop.write(".toolsmith/tools/flat.mjs", "mine");
    shop.run(&["new", "flat"]).await.expect(1);
    std::os::unix::fs::symlink("nowhere", shop.work.join(".toolsmith/tools/dangling")).unwrap();
    shop.run(&["new", "dangling"]).await.expect(1);
}

#[tokio::test]
async fn names_no_provider_takes_are_wrong_use() {
    let shop = Workshop::new();
    let long = "x".repeat(65);
    for name in ["", "two words", "../up", "a/b", "ä", "9lives", long.as_str()] {
        let refused = shop.run(&["new", name]).await.expect(2);
        assert!(refused.stderr.contains("ame"), "{name}: {}", refused.stderr);
    }
    assert!(!shop.work.join(".toolsmith").exists());
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named() {
    let shop = Workshop::new();
    // Nobody can make a folder there, not even the superuser.
    let refused = shop.run(&["--cwd", "/proc", "new", "hello"]).await.expect(1);
    assert!(refused.stderr.contains("/proc/.toolsmith/tools/hello"), "{}", refused.stderr);
    shop.write(".toolsmith", "a file");
    let refused = shop.run(&["new", "hello"]).await.expect(1);
    assert!(
        refused.stderr.contains(".toolsmith/tools/hello/index.ts could not be written"),
        "{}",
        refused.stderr
    );
}

#[tokio::test]
async fn c5_7_nothing_is_written_through_a_link_of_the_repository() {
    use std::os::unix::fs::symlink;
    // The folder itself, a folder on the way, a file that is there, and one that is not.
    for (link, to) in [
        (".toolsmith", "[HOME]"),
        (".toolsmith/tools", "[HOME]"),
        (".toolsmith/toolsmith.d.ts", "[HOME]/.bashrc"),
        (".toolsmith/tsconfig.json", "[HOME]/new"),
        (".toolsmith/toolsmith.d.ts", "../src.ts"),
    ] {
        let shop = Workshop::new();
        std::fs::write(shop.home.join(".bashrc"), "mine").unwrap();
        shop.write("src.ts", "mine");
        let path = shop.work.join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to.replace("[HOME]", shop.home.to_str().unwrap()), &path).unwrap();
        for command in [["types", ""], ["new", "hello"]] {
            if command[0] == "types" && link.ends_with("tools") {
                continue;
            }
            let refused =
                shop.run(&command.iter().copied().filter(|word| !word.is_empty()).collect::<Vec<_>>()).await;
            let refused = refused.expect(1);
            let said = &refused.stderr;
            assert!(said.contains("leads out of") || said.contains("is a symbolic link"), "{link}: {said}");
        }
        let names: Vec<_> =
            std::fs::read_dir(&shop.home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| name == ".bashrc" || name == ".toolsmith"), "{link}: {names:?}");
        assert_eq!(std::fs::read_to_string(shop.home.join(".bashrc")).unwrap(), "mine");
        assert_eq!(shop.read("src.ts"), "mine");
    }
}
