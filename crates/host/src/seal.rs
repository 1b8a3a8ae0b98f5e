//! Seals on files that the program reads back and acts on: a file counts only when this user's key sealed it, so that nothing
//! that somebody else put there is used.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read, Write},
    path::Path,
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::system::files;

const KEY_BYTES: usize = 32;
/// The seal is the first line of a file, in hexadecimal.
const SEAL_DIGITS: usize = 64;

/// A key that seals texts. A text is sealed as one kind and under one name, and cannot replace another.
pub struct SealKey([u8; KEY_BYTES]);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey")
    }
}

impl SealKey {
    /// Creates a key that ends with the process.
    ///
    /// # Errors
    /// Fails if the system has no random numbers.
    pub fn new() -> io::Result<Self> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes))
    }

    /// Returns the key in a file that only the user can read. The file is created if there is none; one that others could
    /// have read or written is replaced, and what it sealed no longer counts.
    ///
    /// # Errors
    /// Fails if the file cannot be read or created.
    pub fn in_file(path: &Path) -> io::Result<Self> {
        match Self::read(path) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => {
                tracing::warn!(path = %path.display(), "A key was not private and is replaced");
                fs::remove_file(path)?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let key = Self::new()?;
        let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
        // Whole or not at all: another program may create it at the same time.
        let mut file = tempfile::Builder::new().make_in(folder, |path| {
            files::private(fs::OpenOptions::new().write(true).create_new(true)).open(path)
        })?;
        file.write_all(&key.0)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(key),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                Self::read(path)?.ok_or_else(|| ErrorKind::PermissionDenied.into())
            }
            // Not every file system can refuse to replace a file.
            Err(error) => error.file.persist(path).map(|_| key).map_err(io::Error::from),
        }
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

    fn mac(&self, kind: &str, id: &str, text: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(kind.as_bytes());
        mac.update(b"\0");
        mac.update(id.as_bytes());
        mac.update(b"\0");
        mac.update(text);
        Some(mac)
    }

    /// Returns the text with its seal in front.
    pub fn seal(&self, kind: &str, id: &str, text: &[u8]) -> Vec<u8> {
        let mut sealed = String::with_capacity(SEAL_DIGITS + 1);
        if let Some(mac) = self.mac(kind, id, text) {
            for byte in mac.finalize().into_bytes() {
                sealed.push_str(&format!("{byte:02x}"));
            }
        }
        sealed.push('\n');
        [sealed.as_bytes(), text].concat()
    }

    /// Returns the text without its seal; `None` if this key did not seal it as this.
    pub fn open<'a>(&self, kind: &str, id: &str, sealed: &'a [u8]) -> Option<&'a [u8]> {
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
