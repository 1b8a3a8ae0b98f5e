//! What the store writes down about a change: the entry that undoing reads, and the plan that recovery reads.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use toolsmith_tool::{ContentHash, FileChange};

use crate::system::files;

/// One file of a change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChangedFile {
    /// As it was asked for.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// The file itself.
    #[serde(with = "path_text")]
    pub target: PathBuf,
    /// The content before; `None` when there was no file.
    pub before: Option<ContentHash>,
    /// The content after; `None` when the file was deleted.
    pub after: Option<ContentHash>,
    /// The file's mode before.
    pub mode: Option<u32>,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Sorts by time.
    pub id: String,
    /// When, as RFC 3339 in UTC.
    pub time: String,
    /// Which tool.
    pub tool: String,
    /// Description.
    pub label: String,
    /// The project it was made in.
    #[serde(with = "path_text")]
    pub root: PathBuf,
    /// The entry this one undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Its files.
    pub files: Vec<ChangedFile>,
    /// Folders that had to be made, outermost first.
    #[serde(default, with = "path_texts", skip_serializing_if = "Vec::is_empty")]
    pub made_folders: Vec<PathBuf>,
}

/// An entry, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastChange {
    /// A completed change.
    pub entry: Entry,
    /// It was undone since.
    pub is_undone: bool,
}

/// A change that can be undone, and the file changes that undo it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UndoPlan {
    /// The change.
    pub past: PastChange,
    /// File changes that undo it.
    pub files: Vec<FileChange>,
}

/// As programs read it: names of files that are no text have replacement characters.
impl Serialize for PastChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = &self.entry;
        let mut fields = serializer.serialize_struct("PastChange", 7)?;
        fields.serialize_field("id", &entry.id)?;
        fields.serialize_field("time", &entry.time)?;
        fields.serialize_field("tool", &entry.tool)?;
        fields.serialize_field("label", &entry.label)?;
        fields.serialize_field("root", &entry.root.to_string_lossy())?;
        let files: Vec<_> = entry.files.iter().map(|file| file.path.to_string_lossy()).collect();
        fields.serialize_field("files", &files)?;
        fields.serialize_field("undone", &self.is_undone)?;
        fields.end()
    }
}

/// A planned change, written before the first file is touched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) entry: Entry,
    pub(super) steps: Vec<Step>,
}

/// Where a file's two contents are kept meanwhile, in the file's own folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    /// The new content; after the exchange, the old one.
    #[serde(with = "path_text")]
    pub(super) fresh: PathBuf,
    /// The old file, where it had to be moved away first.
    #[serde(with = "path_text")]
    pub(super) old: PathBuf,
}

impl Plan {
    pub(super) fn files(&self) -> impl DoubleEndedIterator<Item = (&ChangedFile, &Step)> {
        self.entry.files.iter().zip(&self.steps).collect::<Vec<_>>().into_iter()
    }
}

/// A path in JSON: text where it is text, and bytes where it is not.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum PathText {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(files::path_to_bytes(path)),
        }
    }
}

impl From<PathText> for PathBuf {
    fn from(text: PathText) -> Self {
        match text {
            PathText::Text(text) => text.into(),
            PathText::Bytes(bytes) => files::path_from_bytes(bytes).unwrap_or_default(),
        }
    }
}

mod path_text {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::PathText;

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        PathText::from(path).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        PathText::deserialize(deserializer).map(Into::into)
    }
}

mod path_texts {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::PathText;

    pub(super) fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| PathText::from(path.as_path())))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<PathText>::deserialize(deserializer)?.into_iter().map(Into::into).collect())
    }
}
