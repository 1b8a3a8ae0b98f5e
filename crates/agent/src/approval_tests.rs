//! Tests of the decision without a person.

use toolsmith_tool::OriginKind;

use super::*;

fn settings(mode: ApprovalMode, user: Option<ApprovalPolicy>) -> ApprovalSettings {
    let settings = ApprovalSettings::new(mode);
    match user {
        Some(policy) => settings.tool("t", policy),
        None => settings,
    }
}

#[test]
fn c5_4_modes_let_tiers_through() {
    let expected = [
        (ApprovalMode::AlwaysAsk, [Verdict::Allow, Verdict::Ask, Verdict::Ask]),
        (ApprovalMode::Write, [Verdict::Allow, Verdict::Allow, Verdict::Ask]),
        (ApprovalMode::Yolo, [Verdict::Allow, Verdict::Allow, Verdict::Allow]),
    ];
    for (mode, verdicts) in expected {
        for (tier, verdict) in [Tier::Read, Tier::Write, Tier::Exec].into_iter().zip(verdicts) {
            assert_eq!(judge("t", &tier.into(), &settings(mode, None)), verdict, "{mode} {tier:?}");
        }
    }
    assert_eq!(ApprovalMode::default(), ApprovalMode::Write);
}

#[test]
fn c5_4_deny_wins_over_everything() {
    for mode in ApprovalMode::ALL {
        for own in [None, Some(ApprovalPolicy::Allow), Some(ApprovalPolicy::Prompt)] {
            let approval = Approval { tier: Tier::Read, policy: own, ..Approval::default() };
            let verdict = judge("t", &approval, &settings(mode, Some(ApprovalPolicy::Deny)));
            assert_eq!(verdict, Verdict::DeniedByUser);
        }
        let approval =
            Approval { tier: Tier::Read, policy: Some(ApprovalPolicy::Deny), ..Approval::default() };
        let verdict = judge("t", &approval, &settings(mode, Some(ApprovalPolicy::Allow)));
        assert_eq!(verdict, Verdict::DeniedByTool);
    }
}

#[test]
fn c5_4_a_users_question_holds_in_yolo_and_over_the_tools_own_allow() {
    let approval = Approval { policy: Some(ApprovalPolicy::Allow), ..Approval::default() };
    let asked = settings(ApprovalMode::Yolo, Some(ApprovalPolicy::Prompt));
    assert_eq!(judge("t", &approval, &asked), Verdict::Ask);
}

#[test]
fn c5_4_a_tool_can_insist_on_the_question_outside_yolo() {
    let approval = Approval { tier: Tier::Read, override_mode: true, ..Approval::default() };
    assert_eq!(judge("t", &approval, &settings(ApprovalMode::Write, None)), Verdict::Ask);
    assert_eq!(
        judge("t", &approval, &settings(ApprovalMode::Write, Some(ApprovalPolicy::Allow))),
        Verdict::Ask
    );
    assert_eq!(judge("t", &approval, &settings(ApprovalMode::Yolo, None)), Verdict::Allow);
}

#[test]
fn the_stricter_of_name_and_policy_key_counts() {
    let approval = Approval { policy_key: Some("git".to_owned()), ..Approval::default() };
    let both = ApprovalSettings::new(ApprovalMode::Yolo)
        .tool("t", ApprovalPolicy::Allow)
        .tool("git", ApprovalPolicy::Deny);
    assert_eq!(judge("t", &approval, &both), Verdict::DeniedByUser);
}

#[test]
fn allowing_the_harmless_calls_for_the_session_does_not_allow_those_a_tool_insists_on() {
    let remembered = Remembered::default();
    remembered.add("bash", &Origin::built_in(), &Approval::default());
    assert!(remembered.has("bash", &Origin::built_in(), &Approval::default()));
    assert!(!remembered.has(
        "bash",
        &Origin::built_in(),
        &Approval { override_mode: true, ..Approval::default() }
    ));
    assert!(!remembered.has("other", &Origin::built_in(), &Approval::default()));
    let elsewhere = Origin::new(OriginKind::Custom, "/p/bash.ts");
    assert!(!remembered.has("bash", &elsewhere, &Approval::default()), "another tool that took the name");
    remembered.clear();
    assert!(!remembered.has("bash", &Origin::built_in(), &Approval::default()), "another session");
}

#[test]
fn modes_are_read_by_their_names() {
    assert_eq!("yolo".parse(), Ok(ApprovalMode::Yolo));
    assert_eq!(
        "yes".parse::<ApprovalMode>().unwrap_err().to_string(),
        "\"yes\" is not an approval mode; expected always-ask, write or yolo"
    );
}

#[test]
fn c5_4_a_policy_means_an_mcp_tool_by_its_name_at_the_server() {
    let names = toolsmith_tool::McpNames { server: "my-srv".to_owned(), tool: "db.drop".to_owned() };
    let spec = ToolSpec::new("mcp__my_srv__db_drop_bd7c8efd", "Drops").mcp(names);
    for name in ["mcp__my-srv__db.drop", "mcp__my_srv__db.drop", "mcp__my_srv__db_drop_bd7c8efd"] {
        let settings =
            ApprovalSettings::new(ApprovalMode::Yolo).tool(name, ApprovalPolicy::Deny).of_tool(&spec);
        assert_eq!(judge(&spec.name, &Tier::Read.into(), &settings), Verdict::DeniedByUser, "{name}");
    }
    let other = ApprovalSettings::new(ApprovalMode::Yolo).tool("mcp__my_srv__db", ApprovalPolicy::Deny);
    assert_eq!(judge(&spec.name, &Tier::Read.into(), &other.of_tool(&spec)), Verdict::Allow);
}
