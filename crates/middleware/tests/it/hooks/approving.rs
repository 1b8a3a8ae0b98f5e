//! Hooks and approval: `allow`, `ask` and `PermissionRequest` (CONTRACT 5.4).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use toolsmith_agent::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, CallEnd, Decision, DispatcherBuilder,
};
use toolsmith_middleware::hooks::HookEvent;
use toolsmith_testkit::agent::Probe;
use toolsmith_tool::{Approval, ApprovalPolicy, CancelToken, Tier, ToolResult, async_trait};

use super::kit::{Kit, bash, claude, shell_spec, text};

struct Person {
    asked: AtomicUsize,
    answer: Decision,
}

impl Person {
    fn saying(answer: Decision) -> Arc<Self> {
        Arc::new(Self { asked: AtomicUsize::new(0), answer })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Approver for Person {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.answer.clone()
    }
}

fn exec() -> Probe {
    Probe::new(shell_spec("bash").approval(Tier::Exec), |_, _| async { Ok(ToolResult::text("ran")) })
}

fn decide(word: &str) -> String {
    format!(r#"echo '{{"hookSpecificOutput":{{"permissionDecision":"{word}"}}}}'"#)
}

fn asking(kit: &Kit, mode: ApprovalMode) -> DispatcherBuilder {
    kit.with([exec()]).approval(ApprovalSettings::new(mode))
}

#[tokio::test]
async fn c11_2_allow_answers_the_question_of_the_tier() {
    let kit = Kit::guarding(&decide("allow"));
    assert_eq!(text(&asking(&kit, ApprovalMode::Write).build().call(bash("ls")).await), "ran");
    // The embedding program may want to decide itself.
    let strict = asking(&kit, ApprovalMode::Write).gates_approve(false).build();
    assert_eq!(strict.call(bash("ls")).await.end, CallEnd::Denied);
}

#[tokio::test]
async fn c5_4_deny_and_ask_of_the_settings_beat_the_allow_of_a_hook() {
    let kit = Kit::guarding(&decide("allow"));
    let settings = |policy| ApprovalSettings::new(ApprovalMode::Yolo).tool("bash", policy);
    let denied = kit.with([exec()]).approval(settings(ApprovalPolicy::Deny)).build().call(bash("ls")).await;
    assert_eq!(denied.end, CallEnd::Denied);
    let person = Person::saying(Decision::Deny { note: None });
    let asked =
        kit.with([exec()]).approval(settings(ApprovalPolicy::Prompt)).approver(person.clone()).build();
    assert_eq!((asked.call(bash("ls")).await.end, person.asked()), (CallEnd::Denied, 1));
    // A tool that insists on the question gets it.
    let insists = exec().approval(|_| Approval { override_mode: true, ..Approval::from(Tier::Exec) });
    let person = Person::saying(Decision::Allow);
    let dispatcher =
        kit.with([insists]).approval(ApprovalSettings::default()).approver(person.clone()).build();
    dispatcher.call(bash("ls")).await;
    assert_eq!(person.asked(), 1);
}

#[tokio::test]
async fn c11_2_ask_forces_a_question_in_yolo_and_after_an_answer_for_the_session() {
    let kit = Kit::guarding(&decide("ask"));
    let person = Person::saying(Decision::AllowForSession);
    let dispatcher = asking(&kit, ApprovalMode::Yolo).approver(person.clone()).build();
    for _ in 0..2 {
        assert_eq!(text(&dispatcher.call(bash("ls")).await), "ran");
    }
    assert_eq!(person.asked(), 2);
    // Nobody to ask is no.
    let headless = asking(&kit, ApprovalMode::Yolo).build().call(bash("ls")).await;
    assert_eq!(headless.end, CallEnd::Denied);
}

#[tokio::test]
async fn c11_2_a_denying_hook_beats_yolo() {
    let kit = Kit::guarding(&decide("deny"));
    let outcome = asking(&kit, ApprovalMode::Yolo).build().call(bash("ls")).await;
    assert_eq!(
        (outcome.end, outcome.result.joined_text().as_str()),
        (CallEnd::Blocked, "Tool execution was blocked by a hook")
    );
    let deferred = Kit::guarding(&decide("defer"));
    assert_eq!(asking(&deferred, ApprovalMode::Yolo).build().call(bash("ls")).await.end, CallEnd::Blocked);
}

#[tokio::test]
async fn c11_2_permission_requests_are_answered_by_hooks_before_the_person() {
    let request = |decision: &str| {
        let command =
            format!(r#"cat > seen.json; echo '{{"hookSpecificOutput":{{"decision":{decision}}}}}'"#);
        Kit::new(|_| vec![claude(HookEvent::PermissionRequest, "Bash", &command)])
    };
    let kit = request(r#"{"behavior":"allow"}"#);
    assert_eq!(text(&asking(&kit, ApprovalMode::Write).build().call(bash("ls")).await), "ran");
    assert_eq!(kit.json("seen.json")["hook_event_name"], "PermissionRequest");
    // Nobody would be asked, so nobody answers.
    let kit = request(r#"{"behavior":"deny","message":"m"}"#);
    assert_eq!(text(&asking(&kit, ApprovalMode::Yolo).build().call(bash("ls")).await), "ran");
    let person = Person::saying(Decision::Allow);
    let dispatcher = asking(&kit, ApprovalMode::Write).approver(person.clone()).build();
    let outcome = dispatcher.call(bash("ls")).await;
    assert_eq!((text(&outcome).as_str(), person.asked()), ("m", 0));
    // An allow with another input is for the person to see.
    let kit = request(r#"{"behavior":"allow","updatedInput":{"command":"rm"}}"#);
    let dispatcher = asking(&kit, ApprovalMode::Write).approver(person.clone()).build();
    assert_eq!((text(&dispatcher.call(bash("ls")).await).as_str(), person.asked()), ("ran", 1));
    // A policy that wants the person is not answered by a hook.
    let kit = request(r#"{"behavior":"allow"}"#);
    let settings = ApprovalSettings::default().tool("bash", ApprovalPolicy::Prompt);
    let dispatcher = kit.with([exec()]).approval(settings).approver(person.clone()).build();
    dispatcher.call(bash("ls")).await;
    assert_eq!(person.asked(), 2);
}
