//! Contents by their hash: what files were before a change. The hash also binds a change to a content.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use toolsmith_tool::ContentHash;

use super::durable::{private_folder, write_private};

/// A folder of contents. Only whoever holds the store's lock writes or removes.
pub(super) struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    pub(super) fn new(store: &Path) -> Self {
        Self { folder: store.join("contents") }
    }

    fn path(&self, hash: ContentHash) -> PathBuf {
        let name = hash.to_string();
        self.folder.join(&name[..2]).join(name)
    }

    pub(super) fn put(&self, hash: ContentHash, content: &[u8]) -> io::Result<()> {
        let path = self.path(hash);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.len() == content.len() as u64) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        write_private(&path, content)
    }

    /// The content; `None` when it was not kept or is damaged.
    pub(super) fn get(&self, hash: ContentHash) -> Option<Vec<u8>> {
        fs::read(self.path(hash)).ok().filter(|content| content_hash(content) == hash)
    }

    pub(super) fn size(&self, hash: ContentHash) -> u64 {
        fs::symlink_metadata(self.path(hash)).map_or(0, |found| found.len())
    }

    /// Removes what nothing refers to.
    pub(super) fn keep_only(&self, needed: &HashSet<ContentHash>) -> io::Result<()> {
        let folders = match fs::read_dir(&self.folder) {
            Ok(folders) => folders,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for folder in folders {
            for file in fs::read_dir(folder?.path())? {
                let path = file?.path();
                let hash = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
                if hash.is_none_or(|hash| !needed.contains(&hash)) {
                    fs::remove_file(path)?;
                }
            }
        }
        Ok(())
    }
}

/// The hash of a content.
pub fn content_hash(content: &[u8]) -> ContentHash {
    ContentHash::from_bytes(Sha256::digest(content).into())
}

/// The hash of a file's content, read in pieces.
pub(super) fn hash_file(mut file: File) -> io::Result<ContentHash> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(ContentHash::from_bytes(hasher.finalize().into())),
            read => hasher.update(&buffer[..read]),
        }
    }
}
