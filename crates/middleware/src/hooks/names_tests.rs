//! Names and inputs in both directions.

use super::*;

fn there_and_back(tool: &str, input: Value, change: impl Fn(&mut Value)) -> (Named, Value) {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path(), None);
    let mut named = outward(Dialect::Claude, tool, None, &input, &paths, &Places::default());
    let sent = named.input.clone();
    let mut updated = sent.clone();
    change(&mut updated);
    let back = inward(Dialect::Claude, tool, &updated, &input, &sent);
    // The folder has another name each time.
    let text = named.input.to_string().replace(&*folder.path().to_string_lossy(), "/work");
    named.input = serde_json::from_str(&text).unwrap();
    (named, back)
}

#[test]
fn c11_2_inputs_are_mapped_both_ways() {
    let cases = [
        (
            "bash",
            json!({ "command": "ls", "timeout": 5 }),
            "Bash",
            json!({ "command": "ls", "timeout": 5000 }),
        ),
        (
            "write",
            json!({ "path": "a", "content": "x" }),
            "Write",
            json!({ "file_path": "/work/a", "content": "x" }),
        ),
        ("read", json!({ "path": "a", "limit": 3 }), "Read", json!({ "file_path": "/work/a", "limit": 3 })),
        ("grep", json!({ "pattern": "x", "path": "." }), "Grep", json!({ "pattern": "x", "path": "/work" })),
        ("find", json!({ "pattern": "*.rs" }), "Glob", json!({ "pattern": "*.rs" })),
        (
            "edit",
            json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "2" }] }),
            "Edit",
            json!({ "old_string": "1", "new_string": "2", "replace_all": false, "file_path": "/work/a" }),
        ),
        (
            "edit",
            json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "2", "all": true }, { "oldText": "3", "newText": "" }] }),
            "MultiEdit",
            json!({ "file_path": "/work/a", "edits": [
                { "old_string": "1", "new_string": "2", "replace_all": true },
                { "old_string": "3", "new_string": "", "replace_all": false },
            ] }),
        ),
        ("deploy", json!({ "to": "prod" }), "deploy", json!({ "to": "prod" })),
    ];
    for (tool, input, name, expected) in cases {
        let (named, back) = there_and_back(tool, input.clone(), |_| {});
        assert_eq!((named.tool.as_str(), &named.input), (name, &expected), "{tool}");
        assert_eq!(back, input, "{tool}: unchanged");
        let (_, back) = there_and_back(tool, input.clone(), |updated| updated["added"] = 1.into());
        assert_eq!(back["path"], input["path"], "{tool}: the path keeps its spelling");
    }
}

#[test]
fn c11_2_changed_fields_come_back_in_our_names() {
    let (_, back) = there_and_back("bash", json!({ "command": "ls", "timeout": 5 }), |updated| {
        *updated = json!({ "command": "ls -l", "timeout": 1500, "description": "list" });
    });
    assert_eq!(back, json!({ "command": "ls -l", "timeout": 2 }));
    let (_, back) = there_and_back("write", json!({ "path": "a", "content": "x" }), |updated| {
        updated["file_path"] = "/elsewhere".into();
    });
    assert_eq!(back, json!({ "path": "/elsewhere", "content": "x" }));
    let edit = json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "2" }] });
    let (_, back) = there_and_back("edit", edit, |updated| updated["new_string"] = "3".into());
    assert_eq!(back, json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "3" }] }));
    // Nonsense stays nonsense, and is refused by the schema later.
    let (_, back) = there_and_back("bash", json!({ "command": "ls" }), |updated| *updated = json!("no"));
    assert_eq!(back, json!("no"));
}

#[cfg(unix)]
#[test]
fn a_guard_by_path_sees_the_file_that_is_really_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "").unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::os::unix::fs::symlink("../.env", folder.path().join("sub/innocent.txt")).unwrap();
    std::os::unix::fs::symlink("/etc", folder.path().join("elsewhere")).unwrap();
    let paths = Paths::new(folder.path(), None);
    let env = folder.path().join(".env").to_string_lossy().into_owned();
    for written in [".env", "./.env", "sub/../.env", "@.env", "\".env\"", "sub/innocent.txt", " .env "] {
        assert_eq!(paths.absolute(written, &Places::default()), env, "{written}");
    }
    assert_eq!(paths.absolute("elsewhere/hostname", &Places::default()), "/etc/hostname");
    assert_eq!(
        paths.absolute("new/file", &Places::default()),
        folder.path().join("new/file").to_string_lossy()
    );
}

#[test]
fn c11_2_matchers_can_use_the_names_of_both_agents() {
    let edits = json!({ "edits": [{}, {}] });
    assert_eq!(names("edit", None, &edits), ["edit", "Edit", "apply_patch", "MultiEdit"]);
    assert!(names("find", None, &Value::Null).contains(&"Glob".to_owned()));
    let spec = ToolSpec::new("mcp__s__t_12345678", "")
        .mcp(toolsmith_tool::McpNames { server: "a server".to_owned(), tool: "t".to_owned() });
    assert!(names(&spec.name, Some(&spec), &Value::Null).contains(&"mcp__a server__t".to_owned()));
}
