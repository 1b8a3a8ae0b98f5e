//! Whether a file or directory changed since it was last read, told without reading it.

use std::{fs, path::Path, time::SystemTime};

use toolsmith_host::file_stamp::FileStamp;

/// A file or directory at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Missing,
    /// It was last changed long enough ago that another change is recognised.
    Known(FileStamp),
    /// It counts as changed.
    Unsettled,
}

impl Seen {
    /// Looks at a path that is read after the time `before`.
    pub(crate) fn at(path: &Path, before: SystemTime) -> Self {
        match fs::metadata(path) {
            Err(_) => Self::Missing,
            Ok(metadata) => match FileStamp::of(&metadata) {
                Some(stamp) if stamp.is_settled_before(before) => Self::Known(stamp),
                _ => Self::Unsettled,
            },
        }
    }

    /// Returns whether the path may have changed since.
    pub(crate) fn is_changed(self, path: &Path, now: SystemTime) -> bool {
        self == Self::Unsettled || Self::at(path, now) != self
    }
}
