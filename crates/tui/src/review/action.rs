//! A pending action as it is reviewed: its files, their hunks, and which of them are chosen.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use toolsmith_agent::PendingView;
use toolsmith_host::changes::FilePreview;
use toolsmith_text::{FileDiff, HunkLayout};
use toolsmith_tool::{FileSelection, HunkRange, visible, visible_line};

use super::details::Details;

/// A file of an action.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewFile {
    /// The file, as the preview names it.
    pub path: PathBuf,
    /// The file that is deleted because this one has its content.
    pub renamed_from: Option<PathBuf>,
    /// The path as it is shown: relative to the project.
    pub shown: String,
    /// The parts of the difference, as they are applied.
    ranges: Vec<HunkRange>,
    /// It is not text.
    pub is_binary: bool,
    /// The difference.
    pub diff: FileDiff,
    /// Hunks are drawn.
    pub(super) is_open: bool,
    /// Columns that the hunks were measured for.
    columns: usize,
    /// Rows of each hunk at that width.
    pub(super) layouts: Vec<HunkLayout>,
    /// Rows of each hunk that were on the screen, from the first one on without a gap.
    read: Vec<usize>,
    /// Its name was on the screen.
    is_named: bool,
    /// One entry per hunk; one for a file without hunks.
    chosen: Vec<bool>,
}

impl ReviewFile {
    /// Creates a file from its preview. Paths below `root` are shown relative to it.
    pub fn new(preview: &FilePreview, root: &Path) -> Self {
        let mut diff = visible_diffs(&preview.diff_text()).into_iter().next().unwrap_or_default();
        diff.is_new = preview.is_new;
        diff.is_deleted = preview.is_deleted;
        let show = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        let mut shown = show(&preview.path);
        if let Some(from) = &preview.renamed_from {
            shown = format!("{} → {shown}", show(from));
            diff.hunks.clear();
        }
        let ranges: Vec<HunkRange> = preview.hunks.iter().map(|hunk| hunk.range.clone()).collect();
        // Without the same parts on both sides, only the whole file can be chosen.
        let parts = if ranges.len() == diff.hunks.len() { ranges.len() } else { 1 };
        Self {
            path: preview.path.clone(),
            renamed_from: preview.renamed_from.clone(),
            shown,
            ranges,
            is_binary: preview.is_binary,
            diff,
            is_open: false,
            columns: 0,
            layouts: Vec::new(),
            read: Vec::new(),
            is_named: false,
            chosen: vec![true; parts.max(1)],
        }
    }

    /// Creates a file from a unified difference, for tests.
    #[cfg(test)]
    pub(super) fn of_diff(path: &str, diff: &str) -> Self {
        let diff = visible_diffs(diff).into_iter().next().unwrap_or_default();
        let ranges = (0..diff.hunks.len()).map(|at| HunkRange { old: at..at + 1, new: at..at + 1 }).collect();
        let chosen = vec![true; diff.hunks.len().max(1)];
        Self {
            path: path.into(),
            renamed_from: None,
            shown: path.to_owned(),
            ranges,
            is_binary: false,
            diff,
            is_open: false,
            columns: 0,
            layouts: Vec::new(),
            read: Vec::new(),
            is_named: false,
            chosen,
        }
    }

    /// Returns the number of lines of the difference.
    pub(super) fn lines(&self) -> usize {
        self.diff.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum()
    }

    /// Returns whether hunks are items of their own: a single hunk is the file.
    pub(super) fn shows_hunks(&self) -> bool {
        self.diff.hunks.len() > 1 && self.chosen.len() == self.diff.hunks.len()
    }

    /// Computes the rows of each hunk for a width.
    pub(super) fn measure(&mut self, columns: usize) {
        if self.columns == columns {
            return;
        }
        self.columns = columns;
        let layouts: Vec<HunkLayout> =
            self.diff.hunks.iter().map(|hunk| HunkLayout::new(hunk, columns)).collect();
        let heights = |layouts: &[HunkLayout]| layouts.iter().map(HunkLayout::len).collect::<Vec<_>>();
        if heights(&layouts) != heights(&self.layouts) {
            // Other rows of another width: what was read is read again.
            self.read = vec![0; layouts.len()];
        }
        self.layouts = layouts;
    }

    /// Notes that a row of a hunk was on the screen.
    pub(super) fn note_read(&mut self, hunk: usize, row: usize) {
        if let Some(read) = self.read.get_mut(hunk).filter(|read| row == **read) {
            *read = row + 1;
        }
    }

    /// Notes that the name was on the screen.
    pub(super) fn note_named(&mut self) {
        self.is_named = true;
    }

    /// Returns the first chosen row that was not on the screen, by hunk and number; a file without rows has its name only.
    pub(super) fn unread(&self) -> Option<Unread> {
        if self.is_left_out() {
            return None;
        }
        let unread = self.layouts.iter().zip(&self.read).enumerate().find(|(hunk, (layout, read))| {
            (self.chosen.len() != self.layouts.len() || self.is_hunk_chosen(*hunk)) && **read < layout.len()
        });
        match unread {
            Some((hunk, (_, read))) => Some(Unread::Row(hunk, *read)),
            None => (!self.is_named).then_some(Unread::Name),
        }
    }

    /// Returns whether everything is chosen.
    pub fn is_chosen(&self) -> bool {
        self.chosen.iter().all(|chosen| *chosen)
    }

    /// Returns whether nothing is chosen.
    pub fn is_left_out(&self) -> bool {
        self.chosen.iter().all(|chosen| !*chosen)
    }

    /// Returns whether a hunk is chosen.
    pub fn is_hunk_chosen(&self, hunk: usize) -> bool {
        self.chosen.get(hunk).copied().unwrap_or_default()
    }

    pub(super) fn choose(&mut self, chosen: bool) {
        self.chosen.fill(chosen);
    }

    pub(super) fn toggle(&mut self, hunk: Option<usize>) {
        match hunk {
            Some(hunk) => {
                if let Some(chosen) = self.chosen.get_mut(hunk) {
                    *chosen = !*chosen;
                }
            }
            None => {
                let all = self.is_chosen();
                self.choose(!all);
            }
        }
    }

    fn choice(&self) -> Vec<FileSelection> {
        if self.is_left_out() {
            return Vec::new();
        }
        let mut selection = FileSelection::whole(&self.path);
        if !self.is_chosen() {
            let chosen = self.ranges.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen);
            selection.hunks = Some(chosen.map(|(range, _)| range.clone()).collect());
        }
        // A rename is the new file and the deletion of the old one.
        std::iter::once(selection).chain(self.renamed_from.as_ref().map(FileSelection::whole)).collect()
    }
}

/// The part of a file that was not on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// Its name.
    Name,
    /// A row of a hunk.
    Row(usize, usize),
}

/// Parses differences with every hidden character written as an escape. Ends of lines count where they differ: a carriage
/// return that all lines have is left out.
pub(crate) fn visible_diffs(text: &str) -> Vec<FileDiff> {
    let is_body = |line: &&str| matches!(line.as_bytes().first(), Some(b'+' | b'-' | b' '));
    let has_headers = |line: &&str| line.starts_with("+++ ") || line.starts_with("--- ");
    let mut body = text.split('\n').filter(|line| is_body(line) && !has_headers(line)).peekable();
    let has_returns = body.peek().is_some() && body.all(|line| line.ends_with('\r'));
    let text = if has_returns { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    FileDiff::parse(&visible(&text))
}

/// An action under review.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewAction {
    /// Its id.
    pub id: u64,
    /// Its label.
    pub label: String,
    /// The tool that staged it.
    pub source: String,
    /// Its approval tier.
    pub tier: String,
    /// Reason why it can no longer be applied.
    pub void: Option<String>,
    /// Its files.
    pub files: Vec<ReviewFile>,
    /// Single files and hunks can be applied.
    pub can_split: bool,
    /// Details from the tool, where it does not name files.
    pub(super) details: Option<Details>,
}

impl ReviewAction {
    /// Creates an action from its previews. Paths below `root` are shown relative to it.
    pub fn new(view: &PendingView, previews: &[FilePreview], root: &Path, can_split: bool) -> Self {
        let details = view.details.as_ref().filter(|_| previews.is_empty());
        // The deleted half of a rename is part of the new file's entry.
        let shown = previews.iter().filter(|file| file.renamed_to.is_none());
        Self {
            id: view.id,
            label: visible_line(&view.label).into_owned(),
            source: visible_line(&view.stager).into_owned(),
            tier: view.tier.as_str().to_owned(),
            void: view.void.clone(),
            files: shown.map(|preview| ReviewFile::new(preview, root)).collect(),
            can_split: can_split && !previews.is_empty(),
            details: details.map(Details::new),
        }
    }

    /// Returns the chosen parts; `None` if that is everything.
    pub fn chosen(&self) -> Option<Vec<FileSelection>> {
        if !self.can_split || self.files.iter().all(ReviewFile::is_chosen) {
            return None;
        }
        Some(self.files.iter().flat_map(ReviewFile::choice).collect())
    }

    pub(super) fn detail_rows(&self) -> usize {
        self.details.as_ref().map_or(0, Details::len)
    }

    pub(super) fn has_same_files(&self, other: &Self) -> bool {
        let pairs = || self.files.iter().zip(&other.files);
        self.files.len() == other.files.len()
            && pairs().all(|(one, other)| one.path == other.path && one.diff == other.diff)
    }
}
