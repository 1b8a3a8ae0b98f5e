//! The hash that binds a change to a content.

use std::{
    fs::File,
    io::{self, Read},
};

use sha2::{Digest, Sha256};
use toolsmith_tool::ContentHash;

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
