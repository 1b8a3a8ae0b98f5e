//! Determines which files an operation changes, for the file watcher.

use std::path::Path;

use toolsmith_host::posix::FileFlags;
use toolsmith_tool::FileWatch;

use super::request::{Request, Scene};

/// Notifies the watcher of the files an operation is about to change. Writes through a descriptor were reported when it
/// was opened.
pub(super) fn tell(watch: &dyn FileWatch, name: &str, request: &Request, scene: &Scene) {
    let (path, dest) = (scene.path(&request.path), scene.path(&request.dest));
    match name {
        "writeFile" if request.fd.is_none() => watch.before_change(&path),
        "open" if FileFlags::may_change(request.flags) => watch.before_change(&path),
        "truncate" => watch.before_change(&path),
        "copyFile" | "link" => watch.before_change(&dest),
        "mkdir" => watch.before_folder(&path),
        "unlink" | "rm" if !path.is_symlink() => watch.before_change(&path),
        "rename" if !path.is_symlink() => renamed(watch, &path, &dest),
        _ => {}
    }
}

/// Both names change; for a directory, also the names of everything in it.
fn renamed(watch: &dyn FileWatch, from: &Path, to: &Path) {
    watch.before_change(from);
    if !to.is_symlink() {
        watch.before_change(to);
    }
    if !from.is_dir() {
        return;
    }
    watch.before_folder(to);
    let mut waiting = vec![from.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let Ok(below) = entry.path().strip_prefix(from).map(|below| to.join(below)) else { continue };
            if kind.is_dir() {
                watch.before_folder(&below);
                waiting.push(entry.path());
            } else if kind.is_file() {
                watch.before_change(&below);
            }
        }
    }
}
