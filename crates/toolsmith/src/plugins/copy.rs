//! Copying a plugin from a directory: no links that lead out of it, no history, and not without limit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolsmith_host::{changes::content_hash, regular_file::open_within};

use super::error::PluginError;

/// Most files and bytes of a plugin.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 500 << 20;

/// Copies a directory and returns a hash of its contents.
pub(super) fn copy_tree(from: &Path, to: &Path) -> Result<String, PluginError> {
    let (mut files, mut bytes) = (0, 0);
    let mut hashes = String::new();
    let mut open = vec![PathBuf::new()];
    while let Some(relative) = open.pop() {
        let (source, target) = (from.join(&relative), to.join(&relative));
        fs::create_dir_all(&target).map_err(PluginError::io(&target))?;
        let entries = fs::read_dir(&source).map_err(PluginError::io(&source))?;
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names.into_iter().filter(|name| name != ".git") {
            let (path, relative) = (source.join(&name), relative.join(&name));
            let about = path.symlink_metadata().map_err(PluginError::io(&path))?;
            if about.is_dir() {
                open.push(relative);
                continue;
            }
            // A link becomes a copy of the file it leads to, which must be part of the plugin. Others are left out.
            let is_file = fs::metadata(&path).is_ok_and(|about| about.is_file());
            if !is_file {
                continue;
            }
            files += 1;
            bytes += fs::metadata(&path).map_or(0, |about| about.len());
            if files > MAX_FILES || bytes > MAX_BYTES {
                let what = format!("it has more than {MAX_FILES} files or {} MB", MAX_BYTES >> 20);
                return Err(PluginError::Invalid(what));
            }
            let mut opened = open_within(&path, from).map_err(PluginError::io(&path))?;
            let target = to.join(&relative);
            let mut content = Vec::new();
            std::io::Read::read_to_end(&mut opened, &mut content).map_err(PluginError::io(&path))?;
            fs::write(&target, &content).map_err(PluginError::io(&target))?;
            if let Ok(about) = opened.metadata() {
                fs::set_permissions(&target, about.permissions()).map_err(PluginError::io(&target))?;
            }
            hashes.push_str(&format!("{} {}\n", content_hash(&content), relative.display()));
        }
    }
    let sorted: std::collections::BTreeSet<&str> = hashes.lines().collect();
    let all: Vec<&str> = sorted.into_iter().collect();
    Ok(format!("sha256-{}", content_hash(all.join("\n").as_bytes())))
}
