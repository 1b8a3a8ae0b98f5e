//! Events of session operations: before and after a switch, a fork and a move in the tree; start, reload and end.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolsmith_agent::session::SessionLog;
use toolsmith_tool::{Extension, Origin, OriginKind, SessionView as _, ToolContext};

use super::{super::session::Session, ExtensionResources, SessionExtensions};

/// Kind of a switch to another session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SwitchKind {
    New,
    Resume,
    Fork,
}

impl SwitchKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Resume => "resume",
            Self::Fork => "fork",
        }
    }
}

/// Decision of extensions about an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Decided {
    pub(crate) cancelled: bool,
    /// Replaces the summary of an abandoned branch.
    pub(crate) summary: Option<(String, Option<Value>)>,
}

/// Extensions for older versions of compatible agents listen to an event for each kind of switch. Others are told that the
/// old session ended and the new one started.
fn has_switch_events(extension: &dyn Extension) -> bool {
    ["session_switch", "session_fork", "session_branch"].iter().any(|event| extension.listens_to(event))
}

impl SessionExtensions {
    async fn decide(&self, event: &str, payload: Value, context: &ToolContext) -> Decided {
        let mut decided = Decided::default();
        for answer in self.modules.ask(event, payload, context).await {
            if answer["cancel"] == true {
                return Decided { cancelled: true, summary: None };
            }
            let summary = &answer["summary"];
            if let Some(text) = summary["summary"].as_str().or_else(|| summary.as_str()) {
                let details = Some(summary["details"].clone()).filter(|details| !details.is_null());
                decided.summary = Some((text.to_owned(), details));
            }
        }
        decided
    }

    /// Notifies of the start of the session, and asks for resources.
    pub(crate) async fn started(&self, reason: &str, context: &ToolContext) {
        let start = json!({ "type": "session_start", "reason": reason });
        self.modules.notify("session_start", start, context).await;
        if self.modules.listens_to("resources_discover") {
            let reason = if reason == "reload" { "reload" } else { "startup" };
            self.discover_resources(reason, context).await;
        }
    }

    async fn discover_resources(&self, reason: &str, context: &ToolContext) {
        let cwd = context.session.cwd();
        let payload = json!({ "type": "resources_discover", "cwd": cwd, "reason": reason });
        let mut found = ExtensionResources::default();
        for answer in self.modules.ask("resources_discover", payload, context).await {
            let paths = |name: &str| {
                let named = answer[name].as_array().into_iter().flatten().filter_map(Value::as_str);
                named.map(|path| cwd.join(path)).collect::<Vec<PathBuf>>()
            };
            found.skills.extend(paths("skillPaths"));
            found.prompts.extend(paths("promptPaths"));
            found.themes.extend(paths("themePaths"));
        }
        *self.inner.resources.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = found;
    }

    /// Notifies of a switch that happened.
    pub(crate) async fn switched(
        &self,
        kind: SwitchKind,
        previous: Option<&Path>,
        now: Option<&Path>,
        context: &ToolContext,
    ) {
        let reason = kind.as_str();
        let is_new_style = |extension: &dyn Extension| !has_switch_events(extension);
        let end = json!({ "type": "session_shutdown", "reason": reason, "targetSessionFile": now });
        self.modules.notify_some("session_shutdown", end, context, is_new_style).await;
        let start = json!({ "type": "session_start", "reason": reason, "previousSessionFile": previous });
        self.modules.notify_some("session_start", start, context, is_new_style).await;
        let events: &[&str] = match kind {
            SwitchKind::Fork => &["session_fork", "session_branch"],
            _ => &["session_switch"],
        };
        for event in events {
            let payload = json!({ "type": event, "reason": reason, "previousSessionFile": previous });
            self.modules.notify(event, payload, context).await;
        }
    }
}

impl Session {
    fn extension_context(&self) -> ToolContext {
        self.agent().tool_context()
    }

    /// Asks extensions whether the session may be switched; `true` if one cancelled it.
    pub(crate) async fn switch_is_cancelled(&self, kind: SwitchKind, target: Option<&Path>) -> bool {
        let payload =
            json!({ "type": "session_before_switch", "reason": kind.as_str(), "targetSessionFile": target });
        self.extensions.decide("session_before_switch", payload, &self.extension_context()).await.cancelled
    }

    /// Asks extensions whether a new session may be started from an entry; `true` if one cancelled it.
    pub(crate) async fn fork_is_cancelled(&self, entry_id: Option<&str>, position: &str) -> bool {
        for event in ["session_before_fork", "session_before_branch"] {
            let payload = json!({ "type": event, "entryId": entry_id, "position": position });
            if self.extensions.decide(event, payload, &self.extension_context()).await.cancelled {
                return true;
            }
        }
        false
    }

    /// Asks extensions about a move in the tree.
    pub(crate) async fn before_tree(
        &self,
        kept: &SessionLog,
        target: Option<&str>,
        summarize: bool,
    ) -> Decided {
        if !self.extensions.modules.listens_to("session_before_tree") {
            return Decided::default();
        }
        let old = kept.branch(None);
        let new = target.map(|id| kept.branch(Some(id))).unwrap_or_default();
        let shared = old.iter().zip(&new).take_while(|(one, other)| one["id"] == other["id"]).count();
        let ancestor = shared.checked_sub(1).and_then(|at| old.get(at)).map(|entry| entry["id"].clone());
        let payload = json!({
            "type": "session_before_tree",
            "preparation": {
                "targetId": target,
                "oldLeafId": kept.leaf_id(),
                "commonAncestorId": ancestor,
                "entriesToSummarize": old.get(shared..).unwrap_or_default(),
                "userWantsSummary": summarize,
            },
        });
        self.extensions.decide("session_before_tree", payload, &self.extension_context()).await
    }

    /// Notifies extensions of a move in the tree.
    pub(crate) async fn tree_moved(
        &self,
        old_leaf: Option<&str>,
        summary: Option<&str>,
        from_extension: bool,
    ) {
        let log = self.log();
        let payload = json!({
            "type": "session_tree",
            "newLeafId": log.leaf_id(),
            "oldLeafId": old_leaf,
            "summaryEntry": summary.and_then(|id| toolsmith_tool::SessionView::entry(&log, id)),
            "fromExtension": from_extension,
        });
        self.extensions.modules.notify("session_tree", payload, &self.extension_context()).await;
    }

    /// Returns the paths that extensions named for skills, prompts and themes.
    pub fn extension_resources(&self) -> ExtensionResources {
        self.extensions.inner.resources.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Loads the extensions again, from their files as they are now. Returns load errors as text.
    pub async fn reload_extensions(&self) -> Vec<String> {
        let context = self.extension_context();
        let end = json!({ "type": "session_shutdown", "reason": "reload" });
        self.extensions.modules.notify("session_shutdown", end, &context).await;
        self.reload.refresh_trust().await;
        let modules = self.reload.live().still_in_use(&self.extensions.inner.found).await;
        let requests = modules.iter().map(crate::FoundModule::request).collect();
        let loaded = self.engine.load_modules(requests).await;
        let pairs: Vec<_> = modules.iter().cloned().zip(loaded.iter().cloned()).collect();
        self.reload.live().adopt(&pairs).await;
        for module in &loaded {
            module.files.iter().for_each(|file| self.hooks.protected.add_module(file));
            self.hooks.protected.add_candidates(module.candidates.iter().map(PathBuf::as_path));
        }
        let mut problems = Vec::new();
        let mut extensions = Vec::new();
        self.agent().dispatcher().registry().write(|registry| {
            let old: Vec<(String, bool)> = registry
                .iter()
                .filter(|found| found.origin.kind == OriginKind::Extension)
                .map(|found| found.tool.spec().name.clone())
                .map(|name| (name.clone(), registry.is_active(&name)))
                .collect();
            for (name, was_active) in &old {
                registry.unregister(name);
                // A built-in tool that was replaced comes back.
                if let Some(built_in) = self.extensions.inner.built_ins.tool(name) {
                    let _ = registry.replace(built_in, Origin::built_in());
                    registry.set_tool_active(name, *was_active);
                }
            }
            for (found, module) in modules.iter().zip(loaded) {
                problems.extend(module.errors.iter().map(ToString::to_string));
                let origin = Origin::new(OriginKind::Extension, found.path.to_string_lossy());
                for tool in module.tools {
                    let name = tool.tool.spec().name.clone();
                    let is_taken =
                        registry.get(&name).is_some_and(|found| found.origin.kind != OriginKind::BuiltIn);
                    if is_taken {
                        problems.push(format!("Tool name \"{name}\" conflicts with existing tool"));
                        continue;
                    }
                    match registry.replace(tool.tool, origin.clone()) {
                        Ok(_) => {
                            let was_active =
                                old.iter().find(|(old, _)| *old == name).is_none_or(|(_, active)| *active);
                            registry.set_tool_active(&name, was_active);
                        }
                        Err(error) => problems.push(error.to_string()),
                    }
                }
                extensions.extend(module.extension);
            }
        });
        self.extensions.modules.replace(extensions);
        self.extensions.started("reload", &context).await;
        problems
    }
}
