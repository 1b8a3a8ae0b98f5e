//! Which names are accepted and which are suggested.

use super::*;

#[test]
fn accepts_what_every_provider_accepts() {
    for name in ["a", "repo_stats", "Read-2", &"x".repeat(64)] {
        assert_eq!(check_tool_name(name), Ok(()), "{name}");
    }
}

#[test]
fn c5_5_refuses_only_empty_very_long_and_invisible_names_saying_why() {
    assert_eq!(check_tool_name("").unwrap_err().to_string(), "A tool needs a non-empty name");
    let long = check_tool_name(&"n".repeat(300)).unwrap_err().to_string();
    assert!(long.contains("300 characters") && long.len() < 150, "{long}");
    for name in ["größe", "a b", "a.b", "9", &"n".repeat(65)] {
        assert!(check_tool_name(name).is_ok() && !is_provider_name(name), "{name}");
    }
    for name in ["a\0b", "a\nb", "a\u{202e}b", "\u{200b}", " "] {
        assert!(check_tool_name(name).is_err(), "{name:?}");
    }
}

#[test]
fn suggests_misspellings_and_shared_last_segments_only() {
    let known = ["read", "write", "repo_stats", "github_search", "bash"];
    assert_eq!(closest_names("raed", known), ["read"]);
    assert_eq!(closest_names("REPO_STAT", known), ["repo_stats"]);
    assert_eq!(closest_names("mcp_search", known), ["github_search"]);
    assert!(closest_names("quantum", known).is_empty());
    assert!(closest_names("", known).is_empty());
    assert!(closest_names(&"r".repeat(1_000_000), known).is_empty());
}

#[test]
fn variants_that_models_write_for_mcp_tools_are_recognised() {
    use super::is_mcp_alias;
    for wanted in
        ["mcp_git_hub_search", "mcp__git_hub_search", "mcp__git-hub__git_hub_search", "mcp__git_hub__search"]
    {
        assert!(is_mcp_alias(wanted, "git-hub", "search"), "{wanted}");
    }
    for wanted in ["git_hub_search", "mcp__git-hub__sear", "mcp__git-hub", "search", "mcp__search"] {
        assert!(!is_mcp_alias(wanted, "git-hub", "search"), "{wanted}");
    }
}
