//! Approval of calls that another agent makes. By default that agent decides, informed by the tools' annotations.

use toolsmith_agent::{ApprovalRequest, Approver, Decision};
use toolsmith_tool::{BlockLimits, CancelToken, DialogOptions, Tier, UiHandle, async_trait};

use super::tools::ServeApproval;

tokio::task_local! {
    /// The user interface of the call that is being approved.
    pub(super) static CALLER: UiHandle;
}

/// Decides about calls that the settings leave open.
pub(super) struct ServeApprover(pub(super) ServeApproval);

/// The message for a call above the permitted tier.
pub(super) fn above(tier: Tier, cap: Tier) -> String {
    let other = if tier < Tier::Exec { tier.as_str() } else { "elicit" };
    format!(
        "This server runs only calls of tier {} or below, and this one is {}. To allow it, start the server with --approve \
         {other} or --approve client.",
        cap.as_str(),
        tier.as_str(),
    )
}

#[async_trait]
impl Approver for ServeApprover {
    /// Calls may come from several clients, each with its own person.
    fn asks_one_at_a_time(&self) -> bool {
        false
    }

    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        match self.0 {
            ServeApproval::Client => Decision::Allow,
            ServeApproval::UpTo(cap) if request.tier <= cap => Decision::Allow,
            ServeApproval::UpTo(cap) => Decision::Deny { note: Some(above(request.tier, cap)) },
            ServeApproval::Elicit if request.tier < Tier::Exec => Decision::Allow,
            ServeApproval::Elicit => {
                let Ok(ui) = CALLER.try_with(|ui| ui.current()) else {
                    return Decision::Deny { note: Some("nobody can be asked".to_owned()) };
                };
                if !ui.has_ui() {
                    let note =
                        "the client cannot ask its user, and the server was started with --approve elicit";
                    return Decision::Deny { note: Some(note.to_owned()) };
                }
                let text = request.text(BlockLimits::whole(120)).lines.join("\n");
                let title = format!("Allow {} ({})?", request.label, request.tier.as_str());
                match ui.confirm(&title, &text, DialogOptions::new(cancel.clone())).await {
                    true => Decision::Allow,
                    false => Decision::Deny { note: Some("the user did not confirm the call".to_owned()) },
                }
            }
        }
    }
}
