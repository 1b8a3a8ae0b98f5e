//! Reviewing a preview on a plain terminal (CONTRACT 8.6): numbered files and hunks, and the answer as a decision. `-p` and
//! `call` use it.

use std::{path::Path, sync::Arc};

use toolsmith_agent::{PendingView, ReviewDecision, ReviewRequest, Reviewer};
use toolsmith_host::changes::FilePreview;
use toolsmith_tool::{
    CancelToken, FileSelection, ToolError, ToolResult, VisibleBlock, async_trait, visible, visible_line,
};

use toolsmith_text::plain;

use crate::{
    approver,
    interface::TerminalUi,
    terminal::{DIM, ERROR, HEADING, NAME, paint},
};

/// The files of a preview, numbered from 1. A rename is one entry.
pub(crate) struct Parts<'a> {
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    /// The file that is shown.
    file: &'a FilePreview,
    /// The deleted file of a rename.
    from: Option<&'a FilePreview>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(files: &'a [FilePreview]) -> Self {
        let from = |file: &FilePreview| {
            let path = file.renamed_from.as_ref()?;
            files.iter().find(|other| other.path == *path)
        };
        let shown = files.iter().filter(|file| file.renamed_to.is_none());
        Self { entries: shown.map(|file| Entry { file, from: from(file) }).collect() }
    }

    /// Returns the text to show. Lines of content start with a space, `+`, `-`, `@` or `\`; only headings start with `[`.
    fn text(&self, root: &Path) -> String {
        let mut text = String::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let number = at + 1;
            text.push_str(&format!("[{number}] {}\n", entry.heading(root)));
            if entry.from.is_some() {
                continue;
            }
            let file = entry.file;
            if let Some(binary) = &file.binary {
                // One zero byte makes a script binary, and it still runs: what is written is shown.
                text.push_str(&format!("@ new content, {} bytes\n", binary.size));
                let content = String::from_utf8_lossy(&binary.start);
                text.extend(content.split('\n').map(|line| format!("+{}\n", visible(line))));
                if binary.size > binary.start.len() {
                    text.push_str(&format!(
                        "@ {} more bytes are not shown\n",
                        binary.size - binary.start.len()
                    ));
                }
                continue;
            }
            if file.hunks.is_empty() {
                text.push_str(&visible(&file.diff_text()));
                continue;
            }
            for (at, hunk) in file.hunks.iter().enumerate() {
                if file.hunks.len() > 1 {
                    text.push_str(&format!("[{number}.{}]\n", at + 1));
                }
                let diff = file.diff.get(hunk.diff.clone()).unwrap_or_default();
                text.push_str(&visible(&String::from_utf8_lossy(diff)));
            }
        }
        text
    }

    /// Parses a choice such as `1,3` or `2.1, 2.3`: files, and hunks of files.
    ///
    /// # Errors
    /// Fails with a message if the text is not such a list, or a number does not exist.
    pub(crate) fn select(&self, choice: &str) -> Result<Vec<FileSelection>, String> {
        let mut selected: Vec<(usize, Option<Vec<usize>>)> = Vec::new();
        for word in choice.split([',', ' ']).filter(|word| !word.is_empty()) {
            let (file, hunk) = word.split_once('.').map_or((word, None), |(file, hunk)| (file, Some(hunk)));
            let number = |text: &str| text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let bad = || format!("expected numbers such as 1,3 or 2.1, got {:?}", visible_line(word));
            let at = number(file).ok_or_else(bad)?;
            let entry =
                self.entries.get(at).ok_or_else(|| format!("there is no file {} in this preview", at + 1))?;
            let hunk = hunk.map(|text| number(text).ok_or_else(bad)).transpose()?;
            if let Some(hunk) = hunk.filter(|hunk| entry.file.hunks.get(*hunk).is_none()) {
                return Err(format!("file {} has no part {}", at + 1, hunk + 1));
            }
            let known = match selected.iter().position(|(file, _)| *file == at) {
                Some(known) => known,
                None => {
                    selected.push((at, Some(Vec::new())));
                    selected.len() - 1
                }
            };
            if let Some((_, hunks)) = selected.get_mut(known) {
                match hunk {
                    Some(hunk) => hunks.iter_mut().for_each(|hunks| hunks.push(hunk)),
                    None => *hunks = None,
                }
            }
        }
        if selected.is_empty() {
            return Err("expected numbers such as 1,3 or 2.1".to_owned());
        }
        Ok(selected.into_iter().flat_map(|(at, hunks)| self.entry_selection(at, hunks)).collect())
    }

    fn entry_selection(&self, at: usize, hunks: Option<Vec<usize>>) -> Vec<FileSelection> {
        let Some(entry) = self.entries.get(at) else { return Vec::new() };
        let all = entry.file.hunks.len();
        let hunks = hunks.map(|mut hunks| {
            hunks.sort_unstable();
            hunks.dedup();
            hunks
        });
        // All hunks are the whole file, which also covers new and deleted files.
        let hunks = hunks.filter(|hunks| hunks.len() < all).map(|hunks| {
            let range = |at: usize| entry.file.hunks.get(at).map(|hunk| hunk.range.clone());
            hunks.into_iter().filter_map(range).collect()
        });
        let mut selection = vec![FileSelection { path: entry.file.path.clone(), hunks }];
        selection.extend(entry.from.map(|from| FileSelection::whole(&from.path)));
        selection
    }
}

impl Entry<'_> {
    fn heading(&self, root: &Path) -> String {
        let name = |path: &Path| {
            visible_line(&path.strip_prefix(root).unwrap_or(path).display().to_string()).into_owned()
        };
        let file = self.file;
        if let Some(from) = self.from {
            return format!("rename {} to {}", name(&from.path), name(&file.path));
        }
        let verb = match (file.is_new, file.is_deleted) {
            (true, _) => "create",
            (_, true) => "delete",
            _ => "change",
        };
        format!("{verb} {} (+{} -{})", name(&file.path), file.added, file.removed)
    }
}

/// Returns the text to show for an action.
pub(crate) fn text(
    action: &PendingView,
    files: &[FilePreview],
    problem: Option<&str>,
    root: &Path,
) -> String {
    if let Some(problem) = problem {
        return format!("{}\n", visible(problem));
    }
    if !files.is_empty() {
        return Parts::new(files).text(root);
    }
    match &action.details {
        None | Some(serde_json::Value::Null) => String::new(),
        Some(serde_json::Value::String(text)) => format!("{}\n", visible(text)),
        Some(value) => format!("{}\n", visible(&format!("{value:#}"))),
    }
}

/// Asks about one action until the answer is a decision. Label, details and content are the tool's: they cannot write
/// lines of ours.
pub(crate) async fn ask(
    terminal: &TerminalUi,
    cancel: &CancelToken,
    request: &ReviewRequest,
    root: &Path,
) -> ReviewDecision {
    let text = text(&request.action, &request.files, request.problem.as_deref(), root);
    let parts = Parts::new(&request.files);
    let has_parts = parts.entries.len() > 1 || parts.entries.iter().any(|entry| entry.file.hunks.len() > 1);
    let mut is_whole = false;
    let mut complaint = None;
    loop {
        let block = VisibleBlock::new(text.trim_end_matches('\n'), approver::limits(is_whole));
        let question = question(request, &block, &text, has_parts, complaint.take());
        let Some(answer) = terminal.ask_decision(&question, allows, cancel).await else {
            return ReviewDecision::Keep;
        };
        let answer = answer.trim();
        let (word, rest) = answer.split_once(char::is_whitespace).unwrap_or((answer, ""));
        let note = Some(rest.trim().to_owned()).filter(|note| !note.is_empty());
        let (applies, selects) = (applies(word), selects(word));
        // Nothing is applied before all of it was shown.
        if approver::wants_full(answer) || (block.is_cut && (applies || selects)) {
            is_whole = true;
            continue;
        }
        if applies {
            return ReviewDecision::Apply { selection: None, note };
        }
        if selects {
            match parts.select(answer) {
                Ok(selection) => return ReviewDecision::Apply { selection: Some(selection), note: None },
                Err(error) => complaint = Some(error),
            }
            continue;
        }
        return match word.to_ascii_lowercase().as_str() {
            "n" | "no" | "d" | "discard" => ReviewDecision::Discard { note },
            _ => ReviewDecision::Keep,
        };
    }
}

fn applies(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "y" | "yes" | "a" | "apply")
}

fn selects(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether an answer applies anything.
fn allows(answer: &str) -> bool {
    let word = answer.split(char::is_whitespace).next().unwrap_or(answer);
    applies(word) || selects(word)
}

fn question(
    request: &ReviewRequest,
    block: &VisibleBlock,
    text: &str,
    has_parts: bool,
    complaint: Option<String>,
) -> String {
    let mut question = format!(
        "{} {} {}\n",
        paint(HEADING, "Preview:"),
        paint(NAME, visible_line(&request.action.label)),
        paint(
            DIM,
            format_args!("({}, staged by {})", request.tier.as_str(), visible_line(&request.action.stager))
        ),
    );
    if !text.is_empty() {
        question.extend(block.rows.iter().map(|row| format!("  {}\n", row.signed())));
    }
    if let Some(proposal) = &request.proposal {
        let verb = if proposal.apply { "apply" } else { "discard" };
        question.push_str(&format!("The model proposes to {verb} it: {}\n", visible_line(&proposal.reason)));
    }
    if let Some(complaint) = complaint {
        question.push_str(&format!("{}\n", paint(ERROR, complaint)));
    }
    let parts = if has_parts { "parts such as 1,3 or 2.1, " } else { "" };
    let full = if block.is_cut { "[f]ull text, " } else { "" };
    question.push_str("Apply it? ");
    question.push_str(&paint(
        NAME,
        format_args!("[y]es, [n]o with an optional reason, {parts}{full}anything else leaves it:"),
    ));
    question
}

/// Asks the user at the terminal about previews.
pub(crate) struct TerminalReviewer {
    terminal: Arc<TerminalUi>,
    root: std::path::PathBuf,
}

impl TerminalReviewer {
    pub(crate) fn new(terminal: Arc<TerminalUi>, root: impl Into<std::path::PathBuf>) -> Self {
        Self { terminal, root: root.into() }
    }
}

#[async_trait]
impl Reviewer for TerminalReviewer {
    async fn review(&self, request: &ReviewRequest, cancel: &CancelToken) -> ReviewDecision {
        ask(&self.terminal, cancel, request, &self.root).await
    }

    fn decided(&self, _request: &ReviewRequest, outcome: &Result<ToolResult, ToolError>) {
        self.terminal.print(match outcome {
            Ok(result) if !result.is_error => paint(DIM, plain(&result.joined_text())),
            Ok(result) => paint(ERROR, plain(&result.joined_text())),
            Err(error) => paint(ERROR, plain(&error.to_string())),
        });
    }
}
