//! Whether a call may run (CONTRACT 5.4): what the tool asks for, what the settings say, and, between the two, the person.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolsmith_tool::{Approval, ApprovalPolicy, CancelToken, Origin, Tier, ToolSpec};

/// Up to which tier calls run without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ApprovalMode {
    /// Only what looks.
    AlwaysAsk,
    /// Reads and file writes.
    #[default]
    Write,
    /// Everything.
    Yolo,
}

impl ApprovalMode {
    /// All modes, most careful first.
    pub const ALL: [Self; 3] = [Self::AlwaysAsk, Self::Write, Self::Yolo];

    /// The name, as settings and options spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AlwaysAsk => "always-ask",
            Self::Write => "write",
            Self::Yolo => "yolo",
        }
    }

    fn covers(self, tier: Tier) -> bool {
        match self {
            Self::AlwaysAsk => tier <= Tier::Read,
            Self::Write => tier <= Tier::Write,
            Self::Yolo => true,
        }
    }
}

impl std::fmt::Display for ApprovalMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for ApprovalMode {
    type Err = UnknownMode;

    fn from_str(word: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word).ok_or_else(|| UnknownMode(word.to_owned()))
    }
}

/// The word is none of the modes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not an approval mode; expected always-ask, write or yolo")]
pub struct UnknownMode(pub String);

/// Approval settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ApprovalSettings {
    /// Up to which tier nothing is asked.
    pub mode: ApprovalMode,
    /// Fixed answers by tool name or by a tool's policy key.
    pub tools: BTreeMap<String, ApprovalPolicy>,
}

impl ApprovalSettings {
    /// A mode without exceptions.
    pub fn new(mode: ApprovalMode) -> Self {
        Self { mode, tools: BTreeMap::new() }
    }

    /// Fixes the answer for a tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, policy: ApprovalPolicy) -> Self {
        self.tools.insert(name.into(), policy);
        self
    }

    /// Returns the settings with the policies that mean this tool under its name in the registry.
    pub(crate) fn of_tool(mut self, spec: &ToolSpec) -> Self {
        let meant = self.tools.iter().filter(|(name, _)| spec.is_named(name)).map(|(_, policy)| *policy);
        if let Some(policy) = meant.max_by_key(strictness) {
            self.tools.insert(spec.name.clone(), policy);
        }
        self
    }

    /// Returns whether the user wants to be asked about this call.
    pub(crate) fn wants_question(&self, name: &str, approval: &Approval) -> bool {
        self.policy(name, approval) == Some(ApprovalPolicy::Prompt)
    }

    /// Returns the user's policy for this call; the stricter one if the name and the key differ.
    pub(crate) fn policy(&self, name: &str, approval: &Approval) -> Option<ApprovalPolicy> {
        let by_name = self.tools.get(name).copied();
        let by_key = approval.policy_key.as_ref().and_then(|key| self.tools.get(key)).copied();
        // What is allowed to a built-in tool is not allowed to code around it.
        let by_wrapped = approval.wraps.as_ref().and_then(|wrapped| self.tools.get(wrapped)).copied();
        let by_wrapped = by_wrapped.filter(|policy| *policy != ApprovalPolicy::Allow);
        by_name.into_iter().chain(by_key).chain(by_wrapped).max_by_key(strictness)
    }
}

fn strictness(policy: &ApprovalPolicy) -> u8 {
    match policy {
        ApprovalPolicy::Allow => 0,
        ApprovalPolicy::Deny => 2,
        _ => 1,
    }
}

/// Decision from the tool's declaration and the settings, before anybody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It runs.
    Allow,
    /// Somebody has to say so.
    Ask,
    /// The tool itself says no.
    DeniedByTool,
    /// The settings say no.
    DeniedByUser,
}

/// Decides from what the tool declares and what the settings say. A `deny` on either side wins; then a question the
/// user asked for; then, outside `yolo`, one the tool insists on.
pub fn judge(name: &str, approval: &Approval, settings: &ApprovalSettings) -> Verdict {
    let user = settings.policy(name, approval);
    match (approval.policy, user) {
        (Some(ApprovalPolicy::Deny), _) => return Verdict::DeniedByTool,
        (_, Some(ApprovalPolicy::Deny)) => return Verdict::DeniedByUser,
        (_, Some(ApprovalPolicy::Prompt)) => return Verdict::Ask,
        _ => {}
    }
    if approval.override_mode && settings.mode != ApprovalMode::Yolo {
        return Verdict::Ask;
    }
    match (approval.policy, user) {
        (Some(ApprovalPolicy::Prompt), _) => Verdict::Ask,
        (Some(ApprovalPolicy::Allow), _) | (_, Some(ApprovalPolicy::Allow)) => Verdict::Allow,
        _ if settings.mode.covers(approval.tier) => Verdict::Allow,
        _ => Verdict::Ask,
    }
}

/// The question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call it is about.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// Label of the tool.
    pub label: String,
    /// Arguments of the call.
    pub arguments: Value,
    /// How much it can change.
    pub tier: Tier,
    /// Origin of a tool that is not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Reason given by the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Lines the tool wants shown, whole. Like every text here they are untrusted: show them with [`ApprovalRequest::text`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Set if the details contain everything in the arguments, as those of built-in tools do.
    #[serde(skip)]
    pub details_are_complete: bool,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "decision", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decision {
    /// This once.
    Allow,
    /// From now on, for calls of this kind, until the session ends.
    AllowForSession,
    /// No.
    Deny {
        /// Message for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}

/// Asks the person. Front ends implement it; without one nobody can be asked, and that means no.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Returns whether somebody can be asked now. If not, it is as if there were no approver.
    fn can_ask(&self) -> bool {
        true
    }

    /// Returns whether one question is open at a time. Without that, a question that nobody answers holds up no other call.
    fn asks_one_at_a_time(&self) -> bool {
        true
    }

    /// Asks. A tripped `cancel` takes the question back: the answer no longer counts.
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision;
}

/// Approvals for the rest of the session, with their tiers.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<BTreeMap<String, Tier>>);

impl Remembered {
    /// Calls a tool insists on asking about are their own kind: allowing the harmless ones does not allow them.
    fn key(name: &str, origin: &Origin, approval: &Approval) -> String {
        let kind = if approval.override_mode { "insisted" } else { "plain" };
        // A wrapper has the key of the tool it is made from, and is another tool; so is one from elsewhere that took the name.
        format!("{kind}:{name}:{}:{origin:?}", approval.policy_key.as_deref().unwrap_or_default())
    }

    /// Forgets all of them: another session begins.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn add(&self, name: &str, origin: &Origin, approval: &Approval) {
        let mut allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tier = allowed.entry(Self::key(name, origin, approval)).or_insert(approval.tier);
        *tier = approval.tier.max(*tier);
    }

    pub(crate) fn has(&self, name: &str, origin: &Origin, approval: &Approval) -> bool {
        let allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        allowed.get(&Self::key(name, origin, approval)).is_some_and(|tier| approval.tier <= *tier)
    }
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
