//! An upward dependency is found, a downward one is not.

use serde_json::json;

use super::*;

fn metadata(edges: &[(&str, &str, Option<&str>)]) -> Metadata {
    let names: std::collections::BTreeSet<&str> = edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
    let nodes: Vec<_> = names
        .iter()
        .map(|name| {
            let deps: Vec<_> = edges
                .iter()
                .filter(|edge| edge.0 == *name)
                .map(|edge| json!({ "pkg": edge.1, "dep_kinds": [{ "kind": edge.2 }] }))
                .collect();
            json!({ "id": name, "deps": deps })
        })
        .collect();
    let packages: Vec<_> = names.iter().map(|name| json!({ "id": name, "name": name })).collect();
    serde_json::from_value(
        json!({ "packages": packages, "workspace_members": names, "resolve": { "nodes": nodes } }),
    )
    .unwrap()
}

#[test]
fn downward_and_test_dependencies_are_fine() {
    let fine = metadata(&[
        ("toolsmith-host", "toolsmith-tool", None),
        ("toolsmith-agent", "toolsmith-llm", None),
        ("toolsmith-agent", "toolsmith-testkit", Some("dev")),
        ("xtask", "toolsmith-cli", None),
    ]);
    assert_eq!(check(&fine), Vec::<String>::new());
}

#[test]
fn upward_sideways_and_shipped_development_dependencies_are_found() {
    let bad = metadata(&[
        ("toolsmith-tool", "toolsmith-host", None),
        ("toolsmith-js", "toolsmith-llm", None),
        ("toolsmith-host", "toolsmith-agent", Some("dev")),
        ("toolsmith-cli", "toolsmith-testkit", None),
        ("something-new", "toolsmith-tool", None),
    ]);
    let broken = check(&bad);
    assert_eq!(broken.len(), 5, "{broken:#?}");
    assert!(
        broken
            .iter()
            .any(|line| line.starts_with("toolsmith-tool (level 0): depends on toolsmith-host (level 1)"))
    );
    assert!(broken.iter().any(|line| line.starts_with("something-new: has no level")));
}
