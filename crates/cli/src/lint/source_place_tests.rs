//! Lines of tools and parameters.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn sources(text: &str) -> (tempfile::TempDir, Sources) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tool.ts");
    fs::write(&path, text).unwrap();
    let sources = Sources::read(&[path]);
    (folder, sources)
}

fn line(sources: &Sources, tool: &str, parameter: Option<&str>) -> Option<u32> {
    sources.find(tool, parameter).map(|(_, line)| line)
}

#[test]
fn a_parameter_is_looked_for_below_its_tool_first() {
    let (_folder, sources) = sources("x\nname: 'a',\n path: 1\nname: \"b\",\n 'path': 2\n paths: 3");
    assert_eq!(line(&sources, "a", None), Some(2));
    assert_eq!(line(&sources, "a", Some("path")), Some(3));
    assert_eq!(line(&sources, "b", Some("path")), Some(5));
}

#[test]
fn a_parameter_above_its_tool_is_found_too() {
    let (_folder, sources) = sources("const schema = { path: 1 };\nname: `a`");
    assert_eq!(line(&sources, "a", Some("path")), Some(1));
}

#[test]
fn what_is_not_written_out_has_the_tools_line_or_none() {
    let (_folder, sources) = sources("name: 'a'");
    assert_eq!(line(&sources, "a", Some("missing")), Some(1));
    assert_eq!(line(&sources, "b", None), None);
}
