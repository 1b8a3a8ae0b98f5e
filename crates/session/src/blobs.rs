//! Large images, stored once by hash in a directory that all sessions share.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use toolsmith_host::changes::content_hash;

use super::{
    error::StoreError,
    files::{create_private_folder, read_failed, write_failed},
};

/// Prefix of a reference.
const PREFIX: &str = "blob:sha256:";

/// Minimum base64 length of an image that is stored separately.
const APART_FROM: usize = 4096;

/// The directory of blobs.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Stores bytes and returns the reference. They are on disk when this returns, so a line may refer to them.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<String, StoreError> {
        let hash = content_hash(bytes).to_string();
        let path = self.folder.join(&hash);
        let reference = format!("{PREFIX}{hash}");
        if fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(reference);
        }
        create_private_folder(&self.folder)?;
        // A blob never exists partially under its name, even after a kill or a concurrent write of the same one.
        let write = || -> io::Result<()> {
            let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
            file.write_all(bytes)?;
            file.as_file().sync_data()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(write_failed(&path))?;
        Ok(reference)
    }

    /// Reads the bytes of a reference, if they exist and match the hash.
    pub(crate) fn get(&self, reference: &str) -> Option<Vec<u8>> {
        read_blob(&self.folder, reference)
    }

    /// Moves the large images of an entry to blobs.
    pub(crate) fn put_images(&self, value: &mut Value) -> Result<(), StoreError> {
        let mut outcome = Ok(());
        each_image(value, &mut |data| {
            if outcome.is_err() || data.len() < APART_FROM || is_reference(data) {
                return;
            }
            // Only data that decodes and encodes to the same text is moved.
            let Some(bytes) =
                STANDARD.decode(data.as_bytes()).ok().filter(|bytes| STANDARD.encode(bytes) == *data)
            else {
                return;
            };
            match self.put(&bytes) {
                Ok(reference) => *data = reference,
                Err(error) => outcome = Err(error),
            }
        });
        outcome
    }

    /// Restores the images of an entry. A missing one becomes a text that says so.
    pub(crate) fn fetch_images(&self, value: &mut Value) {
        match value {
            Value::Object(fields) if fields.get("type").is_some_and(|kind| kind == "image") => {
                let Some(reference) =
                    fields.get("data").and_then(Value::as_str).filter(|data| is_reference(data))
                else {
                    return;
                };
                match self.get(reference) {
                    Some(bytes) => {
                        fields.insert("data".to_owned(), STANDARD.encode(bytes).into());
                    }
                    None => {
                        let text = format!("[Image missing: {reference} is no longer stored]");
                        *value = serde_json::json!({ "type": "text", "text": text });
                    }
                }
            }
            Value::Object(fields) => fields.values_mut().for_each(|field| self.fetch_images(field)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.fetch_images(item)),
            _ => {}
        }
    }

    /// Copies the blobs referenced by another agent's session from the `blobs` directory beside that agent's sessions.
    pub(crate) fn adopt(&self, value: &mut Value, file: &Path) -> Result<(), StoreError> {
        let mut outcome = Ok(());
        each_image(value, &mut |data| {
            if outcome.is_err() || !is_reference(data) || self.get(data).is_some() {
                return;
            }
            let near = file.ancestors().skip(1).take(4).map(|folder| folder.join("blobs"));
            if let Some(bytes) = near.into_iter().find_map(|folder| read_blob(&folder, data)) {
                outcome = self.put(&bytes).map(drop);
            }
        });
        outcome
    }
}

fn is_reference(data: &str) -> bool {
    data.strip_prefix(PREFIX)
        .is_some_and(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn read_blob(folder: &Path, reference: &str) -> Option<Vec<u8>> {
    let hash = reference.strip_prefix(PREFIX).filter(|_| is_reference(reference))?;
    let path = folder.join(hash.to_ascii_lowercase());
    let bytes = fs::read(&path).map_err(read_failed(&path)).ok()?;
    let found = content_hash(&bytes).to_string();
    found.eq_ignore_ascii_case(hash).then_some(bytes)
}

/// Visits the data of every image block.
fn each_image(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::Object(fields) => {
            let is_image =
                fields.get("type").is_some_and(|kind| kind == "image") && fields.contains_key("mimeType");
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::String(data) if is_image && name == "data" => visit(data),
                    field => each_image(field, visit),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_image(item, visit)),
        _ => {}
    }
}
