//! The file with the compiled code of one module and of everything it imports: a header in JSON, then the code.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    rc::Rc,
};

use serde::{Deserialize, Serialize};
use toolsmith_host::{changes::content_hash, regular_file::read_regular, seal::SealKey};

use super::files::CompiledFile;
use crate::{definitions::program_id, modules::Format};

/// Kind of the seal.
const KIND: &str = "compiled";
const KEY: &str = "key";
const EXTENSION: &str = "code";
/// Larger files are neither written nor read.
const MAX_BYTES: u64 = 64 << 20;

/// The folder with compiled code.
#[derive(Clone, Debug)]
pub(crate) struct CompiledCode {
    folder: PathBuf,
}

/// One file in the header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    name: String,
    /// SHA-256 of the file's text.
    hash: String,
    is_common_js: bool,
    uses_meta: bool,
    imports: BTreeMap<String, Vec<String>>,
    /// Bytes of its code.
    length: usize,
}

impl CompiledCode {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the file of a module, and the name it is sealed under.
    fn place(&self, module: &Path) -> Option<(PathBuf, String)> {
        let id = content_hash(module.to_str()?.as_bytes()).to_string();
        let path = self.folder.join(&id[..32]).with_extension(EXTENSION);
        Some((path, format!("{id} {}", program_id())))
    }

    /// Reads the compiled code for a module: nothing if there is none, or if it is not what this program sealed.
    pub(crate) fn read(&self, module: &Path) -> Vec<CompiledFile> {
        let read = || {
            let (path, id) = self.place(module)?;
            let sealed = read_regular(&path, MAX_BYTES).ok()?;
            let key = SealKey::in_file(&self.folder.join(KEY)).ok()?;
            unpack(key.open(KIND, &id, &sealed)?)
        };
        read().unwrap_or_default()
    }

    /// Replaces the compiled code of a module.
    pub(crate) fn write(&self, module: &Path, files: &[CompiledFile]) -> io::Result<()> {
        let Some((path, id)) = self.place(module) else { return Ok(()) };
        let packed = pack(files)?;
        if packed.len() as u64 > MAX_BYTES / 2 {
            return Ok(());
        }
        toolsmith_host::create_private_folder(&self.folder)?;
        let key = SealKey::in_file(&self.folder.join(KEY))?;
        let mut new = tempfile::NamedTempFile::new_in(&self.folder)?;
        new.write_all(&key.seal(KIND, &id, &packed))?;
        new.persist(path).map_err(io::Error::from)?;
        Ok(())
    }
}

/// Removes all compiled code in a folder.
///
/// # Errors
/// Fails if a file cannot be removed.
pub(crate) fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn pack(files: &[CompiledFile]) -> io::Result<Vec<u8>> {
    let headers: Vec<Header> = files
        .iter()
        .map(|file| Header {
            name: file.name.clone(),
            hash: file.hash.clone(),
            is_common_js: file.format == Format::CommonJs,
            uses_meta: file.uses_meta,
            imports: file.imports.clone(),
            length: file.code.len(),
        })
        .collect();
    let mut packed = serde_json::to_vec(&headers)?;
    packed.push(b'\n');
    files.iter().for_each(|file| packed.extend_from_slice(&file.code));
    Ok(packed)
}

fn unpack(packed: &[u8]) -> Option<Vec<CompiledFile>> {
    // JSON text has no line breaks of its own.
    let end = packed.iter().position(|byte| *byte == b'\n')?;
    let headers: Vec<Header> = serde_json::from_slice(&packed[..end]).ok()?;
    let mut rest = &packed[end + 1..];
    let mut files = Vec::with_capacity(headers.len());
    for Header { name, hash, is_common_js, uses_meta, imports, length } in headers {
        let (code, after) = rest.split_at_checked(length)?;
        rest = after;
        let format = if is_common_js { Format::CommonJs } else { Format::EsModule };
        files.push(CompiledFile { name, hash, format, uses_meta, imports, code: Rc::from(code) });
    }
    Some(files)
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
