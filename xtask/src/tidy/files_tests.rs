//! Each rule for files is broken once.

use super::*;

fn broken(path: &str, text: &str) -> Vec<String> {
    check_file(Path::new(path), text)
}

#[test]
fn a_good_file_passes() {
    assert!(broken("crates/tool/src/spec.rs", "//! What it owns.\n\nfn f() {}\n").is_empty());
    assert!(broken("crates/js/src/api/exec.js", "// What it owns.\n").is_empty());
    assert!(broken("README.md", "no rule about the first line\n").is_empty());
}

#[test]
fn a_long_silent_or_nameless_file_is_found() {
    let long = format!("//! Long.\n{}", "//\n".repeat(800));
    assert!(broken("a.rs", &long)[0].contains("801 lines"));
    assert!(broken("a.rs", "\nfn f() {}\n")[0].contains("does not open"));
    assert!(broken("a.ts", "export {}\n")[0].contains("does not open"));
    assert!(broken("src/util.rs", "//! x\n")[0].contains("names no subject"));
    assert!(broken("src/common/mod.rs", "//! x\n")[0].contains("names no subject"));
    assert!(broken("crates/js/js/node/util.js", "// x\n").is_empty());
    assert!(broken("crates/js/npm/lazy/zod/v4/core/a.js", "// x\n").is_empty());
    assert!(broken("fixtures/a/util.ts", "export {}\n").is_empty(), "inputs of tests are exempt");
}

#[test]
fn a_path_of_one_machine_is_found_anywhere() {
    for folder in ["home", "root", "Users", "tmp"] {
        assert_eq!(broken("docs/x.md", &format!("see /{folder}/me/x")).len(), 1, "{folder}");
    }
    assert!(broken("docs/x.md", "see ~/tmp/x and ./tmp/x and a/home/b").is_empty());
}

#[test]
fn a_registry_in_the_lock_file_is_found() {
    assert_eq!(broken("js/package-lock.json", "{\"resolved\": \"x\"}").len(), 1);
}

#[test]
fn printing_past_the_filter_is_found() {
    let text = "//! x\nfn f() { let _ = writeln!(io::stdout().lock(), \"x\"); }\n";
    assert!(broken("crates/cli/src/commands/list.rs", text)[0].contains("streams.rs"));
    assert!(broken("crates/cli/src/streams.rs", text).is_empty());
    assert!(broken("crates/tool/src/spec.rs", text).is_empty());
}
