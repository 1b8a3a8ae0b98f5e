//! Asking the person at the terminal whether a call may run (CONTRACT 5.4). What is shown of the call is laid out by
//! [`ApprovalRequest::text`]: this file adds colours, the keys, and the full text on demand (CONTRACT 5.8).

use std::sync::Arc;

use toolsmith_agent::{ApprovalRequest, ApprovalText, Approver, Decision};
use toolsmith_tool::{BlockLimits, CancelToken, async_trait};

use crate::{
    interface::TerminalUi,
    terminal::{self, DIM, HEADING, NAME, paint},
};

/// Rows of a question before parts of long values are left out: about a screen.
const HEAD_ROWS: usize = 30;
const TAIL_ROWS: usize = 15;
/// Columns when the terminal does not say.
const DEFAULT_WIDTH: usize = 80;
/// Columns before each row: the indent and the sign. One is left free, because some terminals wrap a full row.
const MARGIN: usize = 5;

/// The limits of a question on the terminal. Rows are never wider than it, because a row that the terminal wraps could
/// pass for a line of ours.
pub(crate) fn limits(whole: bool) -> BlockLimits {
    let width = terminal::error_width().unwrap_or(DEFAULT_WIDTH).saturating_sub(MARGIN);
    match whole {
        true => BlockLimits::whole(width),
        false => BlockLimits { width, head: HEAD_ROWS, tail: TAIL_ROWS },
    }
}

/// Returns whether the answer asks for the full text.
pub(crate) fn wants_full(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "f" | "full" | "v" | "view")
}

/// Asks on the terminal.
pub(crate) struct TerminalApprover(pub(crate) Arc<TerminalUi>);

#[async_trait]
impl Approver for TerminalApprover {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        let mut text = request.text(limits(false));
        loop {
            let allows = |answer: &str| matches!(answer, "y" | "Y" | "yes" | "a" | "A" | "always");
            let answer = self.0.ask_decision(&question(&text), allows, cancel).await.unwrap_or_default();
            // Nothing is allowed before all of it was shown.
            let is_blind = text.is_cut && allows(answer.trim());
            if wants_full(&answer) || is_blind {
                text = request.text(limits(true));
                continue;
            }
            return match answer.trim() {
                "y" | "Y" | "yes" => Decision::Allow,
                "a" | "A" | "always" => Decision::AllowForSession,
                "" | "n" | "N" | "no" => Decision::Deny { note: None },
                note => Decision::Deny { note: Some(note.to_owned()) },
            };
        }
    }
}

/// The heading stands at both ends, so that it is on the screen however long the text is.
fn question(text: &ApprovalText) -> String {
    let mut question = format!("{}\n", paint(HEADING, &text.heading));
    question.extend(text.lines.iter().map(|line| format!("  {line}\n")));
    let keys = match text.is_cut {
        true => "[f]ull text, which is shown before anything is allowed, or no with a reason:",
        false => "[y]es, [a]lways in this session, or no with a reason:",
    };
    if text.lines.len() > HEAD_ROWS / 2 {
        question.push_str(&format!("{}\n", paint(HEADING, &text.heading)));
    }
    if text.is_cut {
        question.push_str(&format!(
            "{}\n",
            paint(DIM, "Parts of this are not shown. Answer f to read all of it.")
        ));
    }
    question.push_str(&paint(NAME, keys));
    question
}
