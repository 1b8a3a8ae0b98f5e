//! An action as the person sees it who is asked whether it may be applied (CONTRACT 5.8): everything it will do, as far as the
//! action says so. The text is raw; UIs make it visible.

use std::path::Path;

use toolsmith_host::changes::{ChangeSet, FilePreview};
use toolsmith_tool::{FileChange, PendingAction, Writes};

/// Differences longer than this together are announced and left out, so that a question stays a question.
const MAX_DIFF_BYTES: usize = 256 << 10;

/// Returns the lines of the question: one value each. Reads files.
pub(crate) fn approval_lines(action: &PendingAction, reason: &str, root: &Path) -> Vec<String> {
    let mut lines = vec![format!("Action: {}", action.label)];
    lines.push(format!("Staged by: {}", action.stager()));
    lines.push(format!("Tier: {}", action.tier.unwrap_or_default().as_str()));
    lines.push(format!("Reason given: {reason}"));
    if let Some(details) = &action.details {
        lines.push(format!("Details: {details}"));
    }
    if action.writes == Writes::Callback {
        lines.push(match action.files.len() {
            0 => "The tool makes the change itself and does not name the files.".to_owned(),
            _ => "The tool makes the change itself; it names these files:".to_owned(),
        });
    }
    lines.extend(change_lines(&action.files, root));
    lines
}

/// Returns a line for each file and its difference. Reads files.
pub(crate) fn change_lines(files: &[FileChange], root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let previews = ChangeSet::from_files(files.to_vec()).preview_in(root);
    match previews {
        Ok(previews) => {
            let mut room = MAX_DIFF_BYTES;
            for (file, preview) in files.iter().zip(&previews) {
                lines.push(file_line(file, Some(preview)));
                match room.checked_sub(preview.diff.len()) {
                    Some(left) => {
                        room = left;
                        lines.push(content(file, preview));
                    }
                    None => lines.push(format!(
                        "The difference of this file is not shown: {} bytes",
                        preview.diff.len()
                    )),
                }
            }
        }
        Err(error) => {
            lines.extend(files.iter().map(|file| file_line(file, None)));
            lines.push(format!("The differences cannot be shown, and applying will fail: {error}"));
        }
    }
    lines
}

fn file_line(file: &FileChange, preview: Option<&FilePreview>) -> String {
    let what = match (&file.base, &file.content) {
        (_, None) => "Delete",
        (None, Some(_)) => "Create",
        (Some(_), Some(_)) => "Change",
    };
    let mut line = format!("{what}: {}", file.path.display());
    if file.target != file.path {
        line += &format!(" (really {})", file.target.display());
    }
    if let Some(from) = preview.and_then(|preview| preview.renamed_from.as_ref()) {
        line += &format!(" (renamed from {}, same content)", from.display());
    }
    if let Some(to) = preview.and_then(|preview| preview.renamed_to.as_ref()) {
        line += &format!(" (renamed to {})", to.display());
    }
    if let Some(preview) = preview.filter(|preview| !preview.is_binary) {
        line += &format!(" (+{} -{})", preview.added, preview.removed);
    }
    line
}

/// The difference; of a file that is not text, the new content.
fn content(file: &FileChange, preview: &FilePreview) -> String {
    // Only the end of the last line is left out: other blanks there are part of the change.
    let mut diff = preview.diff_text();
    if diff.ends_with('\n') {
        diff.pop();
    }
    match &file.content {
        Some(content) if preview.is_binary && content.len() <= MAX_DIFF_BYTES / 4 => {
            format!("{diff}\nNew content:\n{}", String::from_utf8_lossy(content))
        }
        Some(content) if preview.is_binary => {
            format!("{diff}\nNew content: {} bytes, not shown", content.len())
        }
        _ => diff,
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
