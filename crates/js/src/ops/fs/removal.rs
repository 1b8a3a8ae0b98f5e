//! Removal of files and of whole directories.

use std::{io, time::Duration};

use toolsmith_host::posix::{errno, remove_tree};

use super::{
    error::{FsError, about},
    open_files::pause,
    request::{Request, Scene},
};
use crate::instance::{HostError, Settled};

pub(super) fn remove(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let path = scene.path(&request.path);
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if request.force && error.kind() == io::ErrorKind::NotFound => {
            return Ok(Settled::Nothing);
        }
        Err(error) => return Err(about("lstat", &request.path)(error)),
    };
    if !found.is_dir() {
        return std::fs::remove_file(&path)
            .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
            .map(|()| Settled::Nothing)
            .map_err(about("unlink", &request.path));
    }
    if !request.recursive {
        let shown = request.path.shown();
        let message = format!("Path is a directory: rm returned EISDIR (is a directory) {shown}");
        return Err(FsError::Other(
            HostError::of_class("SystemError", message)
                .with("code", "ERR_FS_EISDIR")
                .with("errno", errno::EISDIR)
                .with("syscall", "rm")
                .with("path", shown),
        ));
    }
    let transient = [errno::EBUSY, errno::EMFILE, errno::ENFILE, errno::ENOTEMPTY, errno::EPERM];
    let mut attempts = 0;
    loop {
        let Err((number, place)) = remove_tree(&path, || scene.go_on("rm"))? else {
            return Ok(Settled::Nothing);
        };
        if !transient.contains(&number) || attempts >= request.retries {
            let path = if place.is_empty() {
                request.path.shown()
            } else {
                format!("{}/{place}", request.path.shown())
            };
            return Err(FsError::number(number, "rm").with_path(path));
        }
        attempts += 1;
        let time = Duration::from_millis(request.retry_delay.saturating_mul(u64::from(attempts)));
        pause(time, scene, "rm")?;
    }
}
