//! Reviews of staged changes in the plain interface (CONTRACT 8.6): everything an action does as printed lines, and the decision
//! as a number.

use std::path::Path;

use async_trait::async_trait;
use toolsmith::agent::{PendingView, ReviewDecision, ReviewRequest, Reviewer};
use toolsmith_host::changes::FilePreview;
use toolsmith_tool::{BlockLimits, CancelToken, ToolError, ToolResult, VisibleBlock, visible_line};

use super::ui::{PlainUi, WIDTH, is_terminal, say_message};

/// Returns the lines that show an action. Texts in it cannot pass for other lines.
pub(super) fn action_lines(
    action: &PendingView,
    files: &[FilePreview],
    problem: Option<&str>,
) -> Vec<String> {
    let mut lines = vec![format!(
        "Pending: {} ({}, staged by {})",
        visible_line(&action.label),
        action.tier.as_str(),
        visible_line(&action.stager)
    )];
    if let Some(reason) = problem.or(action.void.as_deref()) {
        add_block(&mut lines, reason);
    }
    for file in files {
        lines.push(format!("  {}", heading(file)));
        match &file.binary {
            // One zero byte makes a script binary, and it still runs: what is written is shown.
            Some(binary) => {
                add_block(&mut lines, &String::from_utf8_lossy(&binary.start));
                let rest = binary.size - binary.start.len().min(binary.size);
                lines.extend((rest > 0).then(|| format!("  {rest} more bytes are not shown.")));
            }
            None => {
                let diff = file.diff_text();
                add_block(&mut lines, diff.strip_suffix('\n').unwrap_or(&diff));
            }
        }
    }
    match &action.details {
        Some(serde_json::Value::String(text)) if files.is_empty() => add_block(&mut lines, text),
        Some(details) if files.is_empty() && !details.is_null() => {
            add_block(&mut lines, &format!("{details:#}"));
        }
        _ => {}
    }
    lines
}

fn add_block(lines: &mut Vec<String>, text: &str) {
    let block = VisibleBlock::new(text, BlockLimits::whole(WIDTH));
    lines.extend(block.rows.iter().map(|row| format!("  {}", row.signed())));
}

fn heading(file: &FilePreview) -> String {
    let name = |path: &Path| visible_line(&path.to_string_lossy()).into_owned();
    let verb = match (file.is_new, file.is_deleted) {
        (true, _) => "Create",
        (_, true) => "Delete",
        _ => "Change",
    };
    let renamed = match (&file.renamed_from, &file.renamed_to) {
        (Some(from), _) => format!(", renamed from {}", name(from)),
        (_, Some(to)) => format!(", renamed to {}", name(to)),
        _ => String::new(),
    };
    format!("{verb} {} (+{} -{}{renamed})", name(&file.path), file.added, file.removed)
}

#[async_trait]
impl Reviewer for PlainUi {
    /// Piped input has prompts, not answers.
    fn can_ask(&self) -> bool {
        is_terminal()
    }

    async fn review(&self, request: &ReviewRequest, cancel: &CancelToken) -> ReviewDecision {
        let mut lines = action_lines(&request.action, &request.files, request.problem.as_deref());
        if let Some(proposal) = &request.proposal {
            let verb = if proposal.apply { "apply" } else { "discard" };
            lines.push(format!("The model proposes to {verb} it: {}", visible_line(&proposal.reason)));
        }
        lines.push(format!("Apply this change ({})?", request.tier.as_str()));
        lines.push("  1. Apply\n  2. Discard\n  3. Decide later\nType a number.".to_owned());
        let mut question = lines.join("\n");
        loop {
            let Some(answer) = self.ask_decision(&question, cancel).await else {
                return ReviewDecision::Keep;
            };
            return match answer.trim().to_ascii_lowercase().as_str() {
                "1" | "y" | "yes" => ReviewDecision::Apply { selection: None, note: None },
                "2" | "n" | "no" => ReviewDecision::Discard { note: None },
                "3" | "" => ReviewDecision::Keep,
                _ => {
                    "Type 1, 2 or 3.".clone_into(&mut question);
                    continue;
                }
            };
        }
    }

    fn decided(&self, _request: &ReviewRequest, outcome: &Result<ToolResult, ToolError>) {
        match outcome {
            Ok(result) if !result.is_error => say_message("Decided", &result.joined_text()),
            Ok(result) => say_message("Error", &result.joined_text()),
            Err(error) => say_message("Error", error),
        }
    }
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
