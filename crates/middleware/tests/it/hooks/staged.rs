//! Staged changes: a denying hook is not avoided by staging first and applying later.

use std::{fs, sync::Arc};

use serde_json::json;
use tempfile::TempDir;
use toolsmith_agent::{CallRequest, Dispatcher, PendingChoice, ResolveTool, Resolver};
use toolsmith_host::changes::{ChangeSet, ChangeStore, Wanted};
use toolsmith_middleware::hooks::{HookEvent, HookGate};
use toolsmith_testkit::agent::yolo;
use toolsmith_tool::{
    FileSelection, Origin, PendingAction, PendingCallbacks, PendingHandle, PendingStack, Registry,
    ToolContext, ToolError, ToolResult, Writes, async_trait,
};

use super::kit::{Kit, claude, text};

/// Refuses to write `.env`.
const GUARD: &str =
    r#"if grep -q '"file_path":"[^"]*/\.env"'; then echo 'secrets are not written' >&2; exit 2; fi"#;

/// The host writes the files of the action.
struct HostWrites;

#[async_trait]
impl PendingCallbacks for HostWrites {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::default())
    }
}

struct Staged {
    kit: Kit,
    _store: TempDir,
    resolver: Resolver,
    dispatcher: Dispatcher,
}

/// Two staged files, `.env` and `plain`, and hooks that look at them.
fn staged(hooks: &[(HookEvent, &str, &str)]) -> Staged {
    let kit = Kit::new(|_| {
        hooks.iter().map(|(event, matcher, command)| claude(*event, matcher, command)).collect()
    });
    let store_folder = tempfile::tempdir().unwrap();
    let store = Arc::new(ChangeStore::open(store_folder.path().join("changes")).unwrap());
    let gate = Arc::new(HookGate::new(kit.hooks.clone()));
    let resolver = Resolver::new(PendingStack::new(), store, kit.folder.path()).gate(gate.clone());
    let wanted = vec![Wanted::write(kit.path(".env"), "KEY=1"), Wanted::write(kit.path("plain"), "text")];
    let files = ChangeSet::bind(kit.folder.path(), wanted).unwrap().into_files();
    let action = PendingAction::new("Two files", Arc::new(HostWrites)).files(files, Writes::Host);
    resolver.stack().push(action);
    let mut registry = Registry::new();
    registry.register(Arc::new(ResolveTool::new(resolver.clone())), Origin::built_in()).unwrap();
    let dispatcher = Dispatcher::builder(registry).approval(yolo()).gate(gate).build();
    Staged { kit, _store: store_folder, resolver, dispatcher }
}

impl Staged {
    fn context(&self) -> ToolContext {
        ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(self.resolver.stack())))
    }

    fn written(&self) -> (bool, bool) {
        (self.kit.path(".env").exists(), self.kit.path("plain").exists())
    }
}

#[tokio::test]
async fn a_denying_hook_holds_when_the_model_applies_in_yolo() {
    let staged = staged(&[(HookEvent::PreToolUse, "Write|Edit", GUARD)]);
    let request = CallRequest::new("1", "resolve", json!({ "action": "apply", "reason": "ok" }));
    let outcome = staged.dispatcher.call(request.context(staged.context())).await;
    assert!(outcome.is_error() && text(&outcome).contains("secrets are not written"), "{}", text(&outcome));
    assert_eq!(staged.written(), (false, false), "all or nothing");
}

#[tokio::test]
async fn a_denying_hook_holds_when_a_person_applies_all_or_a_part() {
    let guarded = || staged(&[(HookEvent::PreToolUse, "Write|Edit", GUARD)]);
    let whole = guarded();
    let error = whole.resolver.apply(PendingChoice::Top, None, "ok", whole.context()).await.unwrap_err();
    assert!(error.to_string().contains("secrets are not written"), "{error}");
    assert_eq!(whole.written(), (false, false));
    let part = guarded();
    let only = |name: &str| Some(vec![FileSelection { path: name.into(), hunks: None }]);
    part.resolver.apply(PendingChoice::Top, only(".env"), "ok", part.context()).await.unwrap_err();
    assert_eq!(part.written(), (false, false));
    // The other part is nobody's concern.
    let part = guarded();
    part.resolver.apply(PendingChoice::Top, only("plain"), "ok", part.context()).await.unwrap();
    assert_eq!(part.written(), (false, true));
}

#[tokio::test]
async fn a_hook_of_resolve_also_holds_for_a_person_and_keeps_the_action() {
    let staged = staged(&[(HookEvent::PreToolUse, "resolve", "echo 'frozen' >&2; exit 2")]);
    let error = staged.resolver.apply(PendingChoice::Top, None, "ok", staged.context()).await.unwrap_err();
    assert_eq!(error.to_string(), "Not applied; the action is still pending: frozen");
    assert_eq!((staged.resolver.list().len(), staged.written()), (1, (false, false)));
    // Discarding needs nobody's permission.
    staged.resolver.discard(PendingChoice::Top, "no", staged.context()).await.unwrap();
}

#[tokio::test]
async fn what_is_applied_is_what_was_shown() {
    let rewrite =
        r#"echo '{"hookSpecificOutput":{"updatedInput":{"file_path":"elsewhere","content":"evil"}}}'"#;
    let staged = staged(&[(HookEvent::PreToolUse, "Write", rewrite)]);
    let error = staged.resolver.apply(PendingChoice::Top, None, "ok", staged.context()).await.unwrap_err();
    assert!(error.to_string().contains("applied as shown or not at all"), "{error}");
    assert_eq!(staged.written(), (false, false));
}

#[tokio::test]
async fn a_hook_that_wants_a_question_is_satisfied_by_a_person_and_not_by_the_model() {
    let ask = r#"echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'"#;
    let staged_here = || staged(&[(HookEvent::PreToolUse, "Write", ask)]);
    let by_model = staged_here();
    let request = CallRequest::new("1", "resolve", json!({ "action": "apply", "reason": "ok" }));
    let outcome = by_model.dispatcher.call(request.context(by_model.context())).await;
    assert!(text(&outcome).contains("wants the user to decide"), "{}", text(&outcome));
    let by_person = staged_here();
    by_person.resolver.apply(PendingChoice::Top, None, "ok", by_person.context()).await.unwrap();
    assert_eq!(by_person.written(), (true, true));
}

#[tokio::test]
async fn hooks_after_a_write_see_applied_files() {
    let staged = staged(&[(
        HookEvent::PostToolUse,
        "Write",
        r#"cat >> seen.jsonl; echo '{"hookSpecificOutput":{"additionalContext":"formatted"}}'"#,
    )]);
    let result = staged.resolver.apply(PendingChoice::Top, None, "ok", staged.context()).await.unwrap();
    let seen = fs::read_to_string(staged.kit.path("seen.jsonl")).unwrap();
    assert!(seen.lines().count() == 2 && seen.contains("/plain\""), "{seen}");
    assert_eq!(result.joined_text().matches("formatted").count(), 2, "{}", result.joined_text());
}
