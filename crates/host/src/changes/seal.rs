//! The seal on plans and entries. What is read back from the store is carried out on files, so it counts only when this
//! user's key sealed it: a plan that somebody else put there is refused.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read, Write},
    path::Path,
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::durable::{create_private, remove_if_there};
use crate::system::files;

const KEY_BYTES: usize = 32;
/// The seal is the first line of a file, in hexadecimal.
const SEAL_DIGITS: usize = 64;

/// Kind of a sealed text. One cannot replace another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sealed {
    Plan,
    Entry,
}

/// The key of a store.
pub(super) struct Key([u8; KEY_BYTES]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// A key that ends with the process.
    pub(super) fn new() -> io::Result<Self> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes))
    }

    /// The key in a file that only the user can read. One that others could have read or written is replaced, and what
    /// it sealed no longer counts. The caller holds the lock of the store.
    pub(super) fn in_file(path: &Path) -> io::Result<Self> {
        match Self::read(path) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => {
                tracing::warn!(path = %path.display(), "The key for undoing changes was not private and is replaced");
                remove_if_there(path)?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let key = Self::new()?;
        let mut file = create_private(path)?;
        file.write_all(&key.0)?;
        file.sync_all()?;
        Ok(key)
    }

    fn read(path: &Path) -> io::Result<Option<Self>> {
        let found = fs::symlink_metadata(path)?;
        if !files::is_private(path, &found)? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes.try_into().ok().map(Self))
    }

    fn mac(&self, kind: Sealed, id: &str, text: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(match kind {
            Sealed::Plan => b"plan\0",
            Sealed::Entry => b"entry\0",
        });
        mac.update(id.as_bytes());
        mac.update(b"\0");
        mac.update(text);
        Some(mac)
    }

    /// The text with its seal in front.
    pub(super) fn seal(&self, kind: Sealed, id: &str, text: &[u8]) -> Vec<u8> {
        let mut sealed = String::with_capacity(SEAL_DIGITS + 1);
        if let Some(mac) = self.mac(kind, id, text) {
            for byte in mac.finalize().into_bytes() {
                sealed.push_str(&format!("{byte:02x}"));
            }
        }
        sealed.push('\n');
        [sealed.as_bytes(), text].concat()
    }

    /// The text without its seal; `None` when this key did not seal it as this.
    pub(super) fn open<'a>(&self, kind: Sealed, id: &str, sealed: &'a [u8]) -> Option<&'a [u8]> {
        let (digits, rest) = sealed.split_at_checked(SEAL_DIGITS)?;
        let text = rest.strip_prefix(b"\n")?;
        let mut seal = [0; SEAL_DIGITS / 2];
        for (byte, pair) in seal.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        // Compares in constant time.
        self.mac(kind, id, text)?.verify_slice(&seal).ok().map(|()| text)
    }
}
