//! Tests of tool names.

use super::tool_name;

#[test]
fn names_have_the_form_that_all_providers_accept() {
    assert_eq!(tool_name("git-hub", "search_issues"), "mcp__git-hub__search_issues");
    for (server, tool) in
        [("s", "a.b/c d"), ("s", "ü".repeat(200).as_str()), ("x".repeat(64).as_str(), "tool")]
    {
        let name = tool_name(server, tool);
        assert!(name.len() <= 64, "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{name}");
    }
}

#[test]
fn names_that_were_changed_stay_different() {
    assert_ne!(tool_name("s", "a.b"), tool_name("s", "a/b"));
    assert_ne!(tool_name("s", "a.b"), tool_name("s", "a_b"));
    let long = "x".repeat(80);
    assert_ne!(tool_name("s", &format!("{long}1")), tool_name("s", &format!("{long}2")));
}

#[test]
fn c2_6_tools_of_two_servers_never_have_the_same_name() {
    let pairs = [
        ("a", "b__c"),
        ("a__b", "c"),
        ("a_", "b"),
        ("a", "_b"),
        ("a__", "b"),
        ("a", "__b"),
        ("_a", "b"),
        ("a", "b"),
    ];
    let names: std::collections::BTreeSet<String> =
        pairs.iter().map(|(server, tool)| tool_name(server, tool)).collect();
    assert_eq!(names.len(), pairs.len(), "{names:?}");
}
