//! The difference a change makes, as `diff -u` writes it. Lines end at `\n` and nowhere else, so carriage returns and bytes
//! that are no text come through as they are.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Serialize, Serializer};
use similar::{ChangeTag, TextDiff, udiff::UnifiedHunkHeader};
use toolsmith_tool::HunkRange;

/// Lines around a change.
const CONTEXT: usize = 3;
/// After this the difference is still right, but not the shortest.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How much of a binary file is kept for showing it.
const MAX_BINARY: usize = 64 << 10;
/// Where a zero byte makes a content binary, as Git sees it.
const BINARY_WINDOW: usize = 8000;

/// The change of one file. In JSON, bytes that are not text become replacement characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FilePreview {
    /// The file, as it was asked for.
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    /// It does not exist yet.
    pub is_new: bool,
    /// It will be gone.
    pub is_deleted: bool,
    /// It is not shown line by line.
    pub is_binary: bool,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
    /// The unified difference, headers included. Bytes, because the file's content is.
    #[serde(serialize_with = "bytes_as_text")]
    pub diff: Vec<u8>,
    /// The parts of the difference; empty for a binary file.
    #[serde(skip)]
    pub hunks: Vec<Hunk>,
    /// Of a binary file: the beginning of the new content, which the difference does not show.
    #[serde(skip)]
    pub binary: Option<BinaryContent>,
    /// For a new file: the deleted file of the same action that has the same content.
    #[serde(skip)]
    pub renamed_from: Option<PathBuf>,
    /// For a deleted file: the new file of the same action that has the same content.
    #[serde(skip)]
    pub renamed_to: Option<PathBuf>,
}

/// The new content of a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BinaryContent {
    /// The first bytes.
    pub start: Vec<u8>,
    /// Size of the whole.
    pub size: usize,
}

/// A part of a file's difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hunk {
    /// The lines it replaces, and the lines it replaces them with.
    pub range: HunkRange,
    /// Its bytes in [`FilePreview::diff`].
    pub diff: Range<usize>,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
}

impl FilePreview {
    /// The headers of the difference name the file relative to `root` if it lies there.
    pub(super) fn new(path: &Path, root: Option<&Path>, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let mut preview = Self {
            path: path.to_path_buf(),
            is_new: before.is_none(),
            is_deleted: after.is_none(),
            is_binary: before.is_some_and(is_binary) || after.is_some_and(is_binary),
            added: 0,
            removed: 0,
            diff: Vec::new(),
            hunks: Vec::new(),
            binary: None,
            renamed_from: None,
            renamed_to: None,
        };
        let path = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        let name = |side: &str, exists: bool| match exists {
            true => format!("{side}{}", path.display()),
            false => "/dev/null".to_owned(),
        };
        // An absolute path brings the slash of `a/` with it.
        let (a, b) = if path.is_absolute() { ("a", "b") } else { ("a/", "b/") };
        let (old, new) = (name(a, before.is_some()), name(b, after.is_some()));
        if preview.is_binary {
            preview.diff = format!("Binary files {old} and {new} differ\n").into_bytes();
            preview.binary = after.map(|content| BinaryContent {
                start: content.iter().take(MAX_BINARY).copied().collect(),
                size: content.len(),
            });
            return preview;
        }
        preview.diff = format!("--- {old}\n+++ {new}\n").into_bytes();
        preview.write_hunks(before.unwrap_or_default(), after.unwrap_or_default());
        preview
    }

    fn write_hunks(&mut self, before: &[u8], after: &[u8]) {
        let (old, new) = (lines(before), lines(after));
        let diff = TextDiff::configure().timeout(TIMEOUT).diff_slices(&old, &new);
        for hunk in diff.grouped_ops(CONTEXT) {
            let (start, added, removed) = (self.diff.len(), self.added, self.removed);
            self.diff.extend_from_slice(UnifiedHunkHeader::new(&hunk).to_string().as_bytes());
            self.diff.push(b'\n');
            for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
                self.diff.push(match change.tag() {
                    ChangeTag::Equal => b' ',
                    ChangeTag::Delete => {
                        self.removed += 1;
                        b'-'
                    }
                    ChangeTag::Insert => {
                        self.added += 1;
                        b'+'
                    }
                });
                self.diff.extend_from_slice(change.value());
                if !change.value().ends_with(b"\n") {
                    self.diff.extend_from_slice(b"\n\\ No newline at end of file\n");
                }
            }
            if let (Some(first), Some(last)) = (hunk.first(), hunk.last()) {
                self.hunks.push(Hunk {
                    range: HunkRange {
                        old: first.old_range().start..last.old_range().end,
                        new: first.new_range().start..last.new_range().end,
                    },
                    diff: start..self.diff.len(),
                    added: self.added - added,
                    removed: self.removed - removed,
                });
            }
        }
    }

    /// The difference as text. Bytes that are no UTF-8 become replacement characters.
    pub fn diff_text(&self) -> String {
        String::from_utf8_lossy(&self.diff).into_owned()
    }
}

/// Splits content into lines, each with its line end.
pub(super) fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

fn path_as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn bytes_as_text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_WINDOW).any(|byte| *byte == 0)
}
