//! Calls of remote tools.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolsmith_mcp::{
    Servers,
    config::{ConfigScope, Exposure, Policy, ToolConfig},
};
use toolsmith_testkit::Project;
use toolsmith_tool::{
    ApprovalPolicy, CancelToken, DialogOptions, LoadMode, Stop, Tier, ToolCall, ToolContext, ToolError, Ui,
    UiHandle, UiSlot, UpdateSink, async_trait,
};

use crate::fake::{Fake, entry, has_python, until};

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_a_servers_tool_is_a_tool() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let result = fake.call("echo", json!({ "text": "hello" })).await.expect("it answers");
    assert_eq!(result.joined_text(), "hello");
    let echo = fake.tool("echo");
    let spec = echo.spec();
    assert_eq!((spec.name.as_str(), spec.label.as_str()), ("mcp__fake__echo", "Echo"));
    assert_eq!(spec.mcp.as_ref().map(|mcp| (mcp.server.as_str(), mcp.tool.as_str())), Some(("fake", "echo")));
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_hints_count_only_for_servers_the_user_configured() {
    if !has_python() {
        return;
    }
    let tiers = async |scope| {
        let mut config = entry("fake", &["good"]);
        config.origin.scope = scope;
        config.tools.insert("slow".to_owned(), {
            let mut own = ToolConfig::default();
            own.approval = Some(Policy::Tier(Tier::Read));
            own.exposure = Some(Exposure::Deferred);
            own
        });
        let fake = Fake::new(config);
        fake.servers.start("fake").await.expect("it starts");
        let tiers = ["echo", "wipe", "fail", "slow"].map(|name| fake.tool(name).spec().approval.tier);
        assert_eq!(fake.tool("slow").spec().load_mode, Some(LoadMode::Discoverable));
        fake.servers.close().await;
        tiers
    };
    assert_eq!(tiers(ConfigScope::User).await, [Tier::Read, Tier::Write, Tier::Exec, Tier::Read]);
    assert_eq!(tiers(ConfigScope::Project).await, [Tier::Exec; 4]);
    assert_eq!(tiers(ConfigScope::Plugin).await, [Tier::Exec; 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_a_hint_that_is_taken_back_counts_for_the_next_call() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("stricter");
    fake.servers.start("fake").await.expect("it starts");
    let echo = fake.tool("echo");
    let approved = echo.approval(&json!({})).await;
    assert_eq!(approved.tier, Tier::Read);
    let call = || {
        echo.execute(ToolCall::new("1", json!({})), ToolContext::detached().with_approved(approved.clone()))
    };
    call().await.expect("it answers");
    until("the list is refreshed", || fake.tool("echo").spec().approval.tier == Tier::Exec).await;
    assert_eq!(echo.approval(&json!({})).await.tier, Tier::Exec);
    let refused = call().await.expect_err("the call was approved as something that only reads");
    assert!(refused.to_string().contains("nothing was called"), "{refused}");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_a_cached_hint_is_compared_with_the_server_before_a_call_is_decided_about() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[]);
    let state = project.path("state").display().to_string();
    let config = entry("fake", &["stricter-later", &state]);
    let first = Fake::client(config.clone(), &project, UiHandle::headless());
    first.start("fake").await.expect("it starts");
    assert_eq!(tier(&first).await, Tier::Read);
    first.close().await;
    let second = Fake::client(config, &project, UiHandle::headless());
    assert_eq!(second.tools_of("fake")[0].spec().approval.tier, Tier::Read, "the definition is cached");
    assert_eq!(tier(&second).await, Tier::Exec);
    second.close().await;
}

/// Returns the tier that a call of the first tool is decided by.
async fn tier(servers: &Servers) -> Tier {
    servers.tools_of("fake")[0].approval(&json!({})).await.tier
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_an_entry_of_a_project_or_a_plugin_only_makes_approval_stricter() {
    if !has_python() {
        return;
    }
    let approval = async |scope, whole: Policy, own: Option<Policy>| {
        let mut config = entry("fake", &["good"]);
        config.origin.scope = scope;
        config.approval = Some(whole);
        config.tools.entry("echo".to_owned()).or_default().approval = own;
        let fake = Fake::new(config);
        fake.servers.start("fake").await.expect("it starts");
        let approval = fake.tool("echo").spec().approval.clone();
        fake.servers.close().await;
        (approval.tier, approval.policy)
    };
    for scope in [ConfigScope::Project, ConfigScope::Plugin] {
        for loose in [Policy::Allow, Policy::Tier(Tier::Read), Policy::Tier(Tier::Write)] {
            assert_eq!(approval(scope, loose, None).await, (Tier::Exec, None), "{scope:?} {loose:?}");
            let asked = approval(scope, Policy::Ask, Some(loose)).await;
            assert_eq!(asked, (Tier::Exec, Some(ApprovalPolicy::Prompt)), "{scope:?} {loose:?}");
        }
        let denied = approval(scope, Policy::Allow, Some(Policy::Deny)).await;
        assert_eq!(denied, (Tier::Exec, Some(ApprovalPolicy::Deny)));
        assert_eq!(approval(scope, Policy::Ask, None).await.1, Some(ApprovalPolicy::Prompt));
    }
    // Whoever embeds the program or configured the server decides.
    for scope in [ConfigScope::User, ConfigScope::Given] {
        assert_eq!(approval(scope, Policy::Allow, None).await.1, Some(ApprovalPolicy::Allow));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_structured_results_and_schema_mismatches_are_results() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let failed = fake.call("fail", json!({})).await.expect("it answers");
    assert!(failed.is_error);
    assert_eq!(failed.joined_text(), "it failed");
    let structured = fake.call("structured", json!({})).await.expect("it answers");
    assert!(!structured.is_error);
    assert_eq!(structured.details, Some(json!({ "structured": { "n": "not a number" } })));
    let text = structured.joined_text();
    assert!(text.contains(r#"{"n":"not a number"}"#) && text.contains("does not match"), "{text}");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_schema_is_checked_for_any_json_value_and_never_loses_a_result() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let matching = fake.call("matching", json!({})).await.expect("it answers");
    assert_eq!(matching.joined_text(), "three");
    assert_eq!(matching.details, Some(json!({ "structured": [1, 2, 3] })));
    let missing = fake.call("nothing_structured", json!({})).await.expect("it answers");
    assert!(!missing.is_error);
    assert!(missing.joined_text().contains("returned no structured result"), "{}", missing.joined_text());
    let failed = fake.call("failing_structured", json!({})).await.expect("it answers");
    assert_eq!((failed.is_error, failed.joined_text().as_str()), (true, "broken"));
    // A schema with a reference to the network is not fetched; the result is readable without it.
    let unusable = fake.call("bad_schema", json!({})).await.expect("it answers");
    assert_eq!(unusable.joined_text(), "readable");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_becomes_updates_that_rise() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    fake.servers.start("fake").await.expect("it starts");
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let own = Arc::clone(&seen);
    let updates = UpdateSink::new(move |partial| own.lock().expect("no panic").push(partial.joined_text()));
    let context = ToolContext::detached().with_updates(updates);
    let result =
        fake.tool("progress").execute(ToolCall::new("1", json!({})), context).await.expect("it answers");
    assert_eq!(result.joined_text(), "done");
    assert_eq!(*seen.lock().expect("no panic"), ["step 1 (1/3)", "step 2 (2/3)", "step 3 (3/3)"]);
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_6_a_cancelled_call_stops_and_the_server_is_told() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[]);
    let state = project.path("state");
    let fake = Fake::new(entry("fake", &["good", state.to_str().expect("text")]));
    fake.servers.start("fake").await.expect("it starts");
    let cancel = CancelToken::new();
    let trigger = cancel.clone();
    // The first progress proves that the server works on the call.
    let updates = UpdateSink::new(move |_| trigger.cancel("enough"));
    let context = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = fake.tool("slow").execute(ToolCall::new("1", json!({})), context).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Stopped, .. })), "{outcome:?}");
    until("the server is told", || {
        std::fs::read_to_string(&state).is_ok_and(|text| text.contains("cancelled"))
    })
    .await;
    fake.servers.close().await;
}

struct Chooser;

#[async_trait]
impl Ui for Chooser {
    async fn select(&self, title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        assert!(title.contains("fake") && title.contains("Which one?"), "{title}");
        options.get(1).cloned()
    }
    async fn input(
        &self,
        _title: &str,
        _placeholder: Option<&str>,
        _dialog: DialogOptions,
    ) -> Option<String> {
        Some("7".to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn elicitation_is_a_dialog_and_headless_it_is_cancelled() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let headless = fake.call("ask", json!({})).await.expect("it answers");
    assert_eq!(headless.joined_text(), r#"{"action": "cancel"}"#);
    fake.servers.close().await;
    let slot = UiSlot::headless();
    slot.set(Arc::new(Chooser));
    let fake = Fake::with_ui(entry("fake", &["good"]), slot.handle());
    let answered = fake.call("ask", json!({})).await.expect("it answers");
    assert_eq!(answered.joined_text(), r#"{"action": "accept", "content": {"color": "green", "count": 7}}"#);
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_and_resources_can_be_read() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    fake.servers.start("fake").await.expect("it starts");
    let arguments = json!({ "who": "Ada" }).as_object().cloned().expect("an object");
    let prompt = fake.servers.prompt("fake", "greet", arguments).await.expect("a prompt");
    assert_eq!(prompt.first().and_then(|block| block.as_text()), Some("Greet Ada"));
    let (resources, templates) = fake.servers.resources("fake").await.expect("resources");
    assert_eq!((resources.len(), templates.len()), (1, 1));
    let tools = fake.servers.resource_tools();
    let run = async |name: &str, arguments| {
        let tool = tools.iter().find(|tool| tool.spec().name == name).expect("the tool");
        tool.execute(ToolCall::new("1", arguments), ToolContext::detached())
            .await
            .expect("a result")
            .joined_text()
    };
    assert!(run("list_mcp_resources", json!({})).await.contains("test://one"));
    assert_eq!(
        run("read_mcp_resource", json!({ "server": "fake", "uri": "test://one" })).await,
        "content of test://one"
    );
    fake.servers.close().await;
}
