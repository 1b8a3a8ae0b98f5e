//! Asking the person at the terminal whether a call may run (CONTRACT 5.4).

use std::sync::Arc;

use toolsmith_agent::{ApprovalRequest, Approver, Decision};
use toolsmith_tool::{CancelToken, async_trait};

use crate::{
    interface::TerminalUi,
    output::harmless,
    terminal::{DIM, HEADING, NAME, paint},
};

/// How much of the arguments is shown where the tool says nothing better.
const SHOWN_CHARS: usize = 600;

/// Asks on the terminal.
pub(crate) struct TerminalApprover(pub(crate) Arc<TerminalUi>);

#[async_trait]
impl Approver for TerminalApprover {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        let mut question = format!(
            "{} {} {}\n",
            paint(HEADING, "May this run?"),
            paint(NAME, &request.label),
            paint(DIM, format_args!("({})", request.tier.as_str()))
        );
        if let Some(reason) = &request.reason {
            question.push_str(&format!("  {}\n", harmless(reason)));
        }
        if request.details.is_empty() {
            let arguments = harmless(&format!("{:#}", request.arguments));
            let shown: String = arguments.chars().take(SHOWN_CHARS).collect();
            question.extend(shown.lines().map(|line| format!("  {line}\n")));
            // What is not shown may be what matters.
            let more = arguments.chars().count().saturating_sub(SHOWN_CHARS);
            if more > 0 {
                question.push_str(&paint(DIM, format_args!("  … and {more} more characters\n")));
            }
        }
        question.extend(request.details.iter().map(|line| format!("  {}\n", harmless(line))));
        question.push_str(&paint(NAME, "[y]es, [a]lways in this session, or no with a reason:"));
        let answer = self.0.ask(&question, cancel).await.unwrap_or_default();
        match answer.trim() {
            "y" | "Y" | "yes" => Decision::Allow,
            "a" | "A" | "always" => Decision::AllowForSession,
            "" | "n" | "N" | "no" => Decision::Deny { note: None },
            note => Decision::Deny { note: Some(note.to_owned()) },
        }
    }
}
