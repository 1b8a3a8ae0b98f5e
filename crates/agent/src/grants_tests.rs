//! Grants, and what they never cover.

use serde_json::json;
use toolsmith_tool::{Approval, ApprovalPolicy, Tier};

use super::{Grant, Grants};

fn covers(grant: &str, command: &str) -> bool {
    let grants = Grants::default();
    grants.add(Grant::parse(grant));
    grants.cover("bash", &json!({ "command": command }), &Tier::Exec.into(), Tier::Exec, None)
}

#[test]
fn patterns_cover_commands_by_prefix_and_star() {
    assert!(covers("Bash(git:*)", "git status"));
    assert!(covers("Bash(git:*)", "git"));
    assert!(!covers("Bash(git:*)", "gitx"));
    assert!(covers("Bash(git add *)", "git add a b"));
    assert!(covers("Bash(git add *)", "git add"));
    assert!(!covers("Bash(git add *)", "git commit"));
    assert!(covers("Bash(npm * test)", "npm run test"));
    assert!(covers("Bash(ls)", "ls") && !covers("Bash(ls)", "ls -l"));
    assert!(covers("Bash", "rm x") && covers("Bash(*)", "rm x"));
}

#[test]
fn a_prefix_does_not_cover_a_second_command() {
    for command in [
        "git status; rm x",
        "git status && rm x",
        "git $(rm x)",
        "git `rm x`",
        "git log\nrm x",
        "git log > x",
        "git log|sh",
    ] {
        assert!(!covers("Bash(git:*)", command), "{command}");
    }
}

#[test]
fn c5_4_what_the_user_or_the_tool_insists_on_is_asked() {
    let grants = Grants::default();
    grants.add(["Bash", "Write"].into_iter().filter_map(Grant::parse));
    let call = json!({ "command": "x" });
    let insisted = Approval { override_mode: true, tier: Tier::Exec, ..Approval::default() };
    assert!(!grants.cover("bash", &call, &insisted, Tier::Exec, None));
    let plain = Approval::from(Tier::Exec);
    assert!(!grants.cover("bash", &call, &plain, Tier::Exec, Some(ApprovalPolicy::Prompt)));
    assert!(!grants.cover("bash", &call, &plain, Tier::Exec, Some(ApprovalPolicy::Deny)));
    // A write outside the project needs more than the tool declares.
    assert!(!grants.cover("write", &call, &plain, Tier::Write, None));
    assert!(grants.cover("write", &call, &Tier::Write.into(), Tier::Write, None));
}

#[test]
fn patterns_of_other_tools_are_not_granted() {
    assert_eq!(Grant::parse("Edit(src/**)"), None);
    assert_eq!(Grant::parse("Bash(git"), None);
    assert_eq!(Grant::parse(""), None);
}
