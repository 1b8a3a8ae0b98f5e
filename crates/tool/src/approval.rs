//! What a tool asks for before it may run: its tier and its own policy (CONTRACT 5.3, 5.4). Deciding is the
//! agent's business; these are the words it decides about.

use serde::{Deserialize, Serialize};

/// How much a call can change. Ordered: `Read < Write < Exec`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// Looks only.
    Read,
    /// Changes files the user can restore.
    Write,
    /// Runs programs, talks to the network, or does not say: the default.
    #[default]
    Exec,
}

impl Tier {
    /// The word for it, as tools and settings spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
        }
    }
}

/// A fixed answer in place of the comparison of tiers.
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

/// What a tool declares about one call. A bare tier is the usual form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Approval {
    /// How much the call can change.
    pub tier: Tier,
    /// Shown to the person who is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Ask even where the tier alone would be let through.
    #[serde(rename = "override", skip_serializing_if = "std::ops::Not::not")]
    pub override_mode: bool,
    /// The tool's own fixed answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<ApprovalPolicy>,
    /// Groups calls that a user's saved answer covers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_key: Option<String>,
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
