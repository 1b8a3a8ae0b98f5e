//! Whole files: reading, writing and copying.

use std::{fs::File, sync::Arc};

use toolsmith_host::posix::{FileFlags, errno, file_status};

use super::{
    error::{FsError, about_both},
    open_files::{file, is_endless, open_file, read_some, write_some},
    request::{GivenPath, Request, Scene},
};
use crate::instance::{HostError, Settled};

/// Bytes read or written between two checks of the stop flag.
const PIECE: usize = 4 << 20;

fn given(request: &Request, scene: &Scene, syscall: &str) -> Result<Arc<File>, FsError> {
    match request.fd {
        Some(_) => file(request, scene, syscall),
        None => open_file(&request.path, request.flags, request.mode, scene).map(Arc::new),
    }
}

pub(super) fn read(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let file = given(request, scene, "read")?;
    let content = read_all(&file, scene)?;
    if !request.text {
        return Ok(Settled::Bytes(content));
    }
    Ok(Settled::Text(
        String::from_utf8(content)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    ))
}

fn read_all(file: &File, scene: &Scene) -> Result<Vec<u8>, FsError> {
    let size = file.metadata().map_or(0, |found| if found.is_file() { found.len() } else { 0 });
    if usize::try_from(size).is_ok_and(|size| size > scene.room) {
        return Err(too_large(size, scene));
    }
    let endless = is_endless(file);
    let size = usize::try_from(size).unwrap_or(0) + 1;
    let mut held = scene.shared.charge(size).map_err(FsError::Other)?;
    let mut content = Vec::with_capacity(size);
    // Kernel files report a size of zero, and growing files exceed their reported size.
    loop {
        scene.go_on("read")?;
        let length = content.len();
        let room = (content.capacity() - length).clamp(8 << 10, PIECE);
        if length + room > content.capacity() {
            let wanted = content.capacity().saturating_mul(2).max(length + room);
            held.resize(wanted).map_err(|_| too_large(wanted as u64, scene))?;
            content.reserve_exact(wanted - length);
        }
        content.resize(length + room, 0);
        let count = read_some(file, &mut content[length..], None, endless, scene)?;
        content.truncate(length + count);
        if count == 0 {
            return Ok(content);
        }
        if content.len() > scene.room {
            return Err(too_large(content.len() as u64, scene));
        }
    }
}

fn too_large(size: u64, scene: &Scene) -> FsError {
    let message = format!(
        "File size ({size}) exceeds the {} MB of memory left for the tool; read it with createReadStream",
        scene.room >> 20
    );
    FsError::Other(HostError::of_class("RangeError", message).with("code", "ERR_FS_FILE_TOO_LARGE"))
}

pub(super) fn write(request: &Request, data: &[u8], scene: &Scene) -> Result<Settled, FsError> {
    let file = given(request, scene, "write")?;
    let endless = is_endless(&file);
    let mut rest = data;
    while !rest.is_empty() {
        scene.go_on("write")?;
        let count = write_some(&file, &rest[..rest.len().min(PIECE)], None, endless, scene)?;
        rest = &rest[count..];
    }
    if request.flush {
        file.sync_all().map_err(super::error::about_file("fsync"))?;
    }
    Ok(Settled::Nothing)
}

pub(super) fn copy(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    const EXCLUSIVE: u32 = 1;
    let failed = |error: std::io::Error| about_both("copyfile", &request.path, &request.dest)(error);
    let open = |given: &GivenPath, flags: i32, mode: u32| {
        open_file(given, flags, mode, scene).map_err(|error| {
            error.in_call("copyfile").with_path(request.path.shown()).with_dest(request.dest.shown())
        })
    };
    let source = open(&request.path, FileFlags::READ, 0)?;
    let found = source.metadata().map_err(failed)?;
    if found.is_dir() {
        return Err(failed(errno::error(errno::EISDIR)));
    }
    let exclusive = if request.mode & EXCLUSIVE != 0 { FileFlags::EXCLUSIVE } else { 0 };
    let status = file_status(&source).map_err(failed)?;
    // Not emptied yet: it may be the same file.
    let target = open(&request.dest, FileFlags::WRITE | FileFlags::CREATE | exclusive, status.permissions())?;
    if file_status(&target).map_err(failed)?.is_same_file(&status) {
        return Ok(Settled::Nothing);
    }
    target.set_len(0).map_err(failed)?;
    let endless = is_endless(&source);
    let (mut source, mut target) = (source, target);
    loop {
        scene.go_on("copyfile")?;
        let count = if endless {
            let mut piece = vec![0; 64 << 10];
            let count = read_some(&source, &mut piece, None, true, scene)?;
            std::io::Write::write_all(&mut target, &piece[..count]).map_err(failed)?;
            scene.meter.add_written(count);
            count
        } else {
            let part = &mut std::io::Read::take(&mut source, PIECE as u64 * 8);
            let count = std::io::copy(part, &mut target).map_err(failed)?;
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            scene.meter.add_read(count);
            scene.meter.add_written(count);
            count
        };
        if count == 0 {
            break;
        }
    }
    target.set_permissions(found.permissions()).map_err(failed)?;
    Ok(Settled::Nothing)
}
