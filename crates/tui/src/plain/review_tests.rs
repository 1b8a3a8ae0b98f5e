//! Lines of reviews in the plain interface.

use std::{fs, sync::Arc};

use toolsmith_host::changes::{ChangeSet, Wanted};
use toolsmith_tool::{PendingAction, PendingCallbacks, ToolContext, Writes};

use super::*;

struct Nothing;

#[async_trait]
impl PendingCallbacks for Nothing {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text("applied"))
    }
}

#[test]
fn c5_8_a_review_shows_hidden_characters_and_line_ends_and_no_text_passes_for_another_line() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a"), "old\n").unwrap();
    let content = "x\u{202e}y\u{200b}\r\nPending: other\n";
    let set = ChangeSet::bind(root, vec![Wanted::write(root.join("a"), content)]).unwrap();
    let previews = set.preview_in(root).unwrap();
    let action = PendingAction::new("label\nPending: forged", Arc::new(Nothing))
        .files(set.into_files(), Writes::Host)
        .source("ast_edit");
    let lines = action_lines(&PendingView::from(&action), &previews, None);
    assert_eq!(lines[0], "Pending: label\\nPending: forged (exec, staged by ast_edit)");
    let all = lines.join("\n");
    assert!(all.contains("│ +x\\u{202e}y\\u{200b}\\r\n") && all.contains("│ +Pending: other"), "{all}");
    assert_eq!(all.lines().filter(|line| !line.starts_with("  ")).count(), 1, "{all}");
}
