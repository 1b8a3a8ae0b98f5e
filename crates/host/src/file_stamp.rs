//! A file's identity and times, to tell without reading it that its content is unchanged. The system sets the change
//! time itself on every write, and programs cannot set it.

use std::{
    fs::Metadata,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

/// Two writes within this time may have the same change time.
const GRANULARITY: Duration = Duration::from_millis(100);

/// A file's size, identity and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    size: u64,
    device: u64,
    inode: u64,
    /// Nanoseconds since the Unix epoch.
    modified: i64,
    changed: i64,
}

impl FileStamp {
    /// Returns the stamp of a file; `None` on systems without a change time, where only the content tells.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Some(Self {
            size: metadata.len(),
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Returns the stamp of a file; `None` on systems without a change time, where only the content tells.
    #[cfg(not(unix))]
    pub fn of(_metadata: &Metadata) -> Option<Self> {
        None
    }

    /// Returns whether the file was last changed so long before `time` that a later change has another change time. A
    /// clock that was set back makes this false, never true.
    pub fn is_settled_before(&self, time: SystemTime) -> bool {
        let changed = u64::try_from(self.changed).ok().map(Duration::from_nanos);
        changed.is_some_and(|changed| UNIX_EPOCH + changed + GRANULARITY < time)
    }
}
