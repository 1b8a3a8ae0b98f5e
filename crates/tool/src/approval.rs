//! Approval requirements of a tool: its tier and its own policy (CONTRACT 5.3, 5.4). The agent makes the decision.

use serde::{Deserialize, Serialize};

/// How much a call can change. Ordered: `Read < Write < Exec`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// Only reads.
    Read,
    /// Changes files that the user can restore.
    Write,
    /// Runs programs, uses the network, or is undeclared: the default.
    #[default]
    Exec,
}

impl Tier {
    /// Returns the name used by tools and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
        }
    }
}

/// A fixed decision that replaces the comparison of tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ApprovalPolicy {
    /// Runs without asking.
    Allow,
    /// Always asks. Authors also write `ask`.
    #[serde(alias = "ask")]
    Prompt,
    /// Never runs.
    Deny,
}

/// The approval a call requires. A bare tier is the usual form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Approval {
    /// How much the call can change.
    pub tier: Tier,
    /// Reason shown to the approver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Asks even if the tier alone would be allowed.
    #[serde(rename = "override", skip_serializing_if = "std::ops::Not::not")]
    pub override_mode: bool,
    /// The tool's own fixed decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<ApprovalPolicy>,
    /// Groups calls that share a user's saved decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_key: Option<String>,
    /// The tool behind this one: the built-in tool that does the work of a wrapper, or the tool that staged what is applied. What
    /// the user asks or denies about it holds for this call too.
    #[serde(skip)]
    pub wraps: Option<String>,
    /// Identifies what exactly is approved, such as the file a path leads to. It reaches the call in
    /// [`ToolContext::approved`](crate::ToolContext), which refuses to run when it is about something else by then.
    #[serde(skip)]
    pub subject: Option<String>,
}

impl From<Tier> for Approval {
    fn from(tier: Tier) -> Self {
        Self { tier, ..Self::default() }
    }
}
