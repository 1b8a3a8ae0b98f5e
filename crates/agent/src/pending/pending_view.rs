//! A pending action as clients see it.

use std::path::PathBuf;

use serde::{Serialize, Serializer};
use serde_json::Value;
use toolsmith_tool::{PendingAction, Tier};

/// A pending action as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PendingView {
    /// Identifies the action within its session.
    pub id: u64,
    /// Describes the change to the user.
    pub label: String,
    /// The tool that staged it, as it names itself.
    pub source_tool_name: String,
    /// The tool whose call staged it, for people ([`PendingAction::stager`]).
    #[serde(skip)]
    pub stager: String,
    /// The tier at which it was staged; files can raise it when it is applied.
    pub tier: Tier,
    /// Details from the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// The files it will change, where it says so.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub files: Vec<PathBuf>,
    /// Reason why it can no longer be applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
}

/// Names need not be text, and JSON has only text.
fn as_text<S: Serializer>(files: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.iter().map(|file| file.to_string_lossy()))
}

impl From<&PendingAction> for PendingView {
    fn from(action: &PendingAction) -> Self {
        Self {
            id: action.id.number(),
            label: action.label.clone(),
            source_tool_name: action.source_tool_name.clone(),
            stager: action.stager(),
            tier: action.tier.unwrap_or_default(),
            details: action.details.clone(),
            files: action.files.iter().map(|file| file.path.clone()).collect(),
            void: action.callbacks.void(),
        }
    }
}
