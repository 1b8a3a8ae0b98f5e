//! Paths in manifests, which must stay in their plugin.

use std::path::{Component, Path, PathBuf};

/// Errors of a path in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotInside {
    /// It leads out of the plugin, by its name or by a link.
    Outside,
    /// Nothing is there.
    Missing,
}

/// Resolves a path of a manifest.
///
/// # Errors
/// Fails if it leads out of `folder` or does not exist.
pub(crate) fn inside(folder: &Path, written: &str) -> Result<PathBuf, NotInside> {
    let mut depth = 0_i32;
    let escapes = Path::new(written).components().any(|part| {
        depth += match part {
            Component::Normal(_) => 1,
            Component::ParentDir => -1,
            Component::CurDir => 0,
            Component::RootDir | Component::Prefix(_) => i32::MIN / 2,
        };
        depth < 0
    });
    if escapes {
        return Err(NotInside::Outside);
    }
    let parts = Path::new(written).components().filter(|part| *part != Component::CurDir);
    let target = folder.join(parts.collect::<PathBuf>());
    let real = target.canonicalize().map_err(|_| NotInside::Missing)?;
    let is_inside = folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if is_inside { Ok(target) } else { Err(NotInside::Outside) }
}
