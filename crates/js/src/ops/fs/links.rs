//! Renaming, linking, permissions and owners.

use std::{
    io,
    path::{Path, PathBuf},
};

use toolsmith_host::{
    posix::{self, errno},
    real_path,
};

use super::{
    error::{FsError, about, about_both, about_file},
    open_files::file,
    request::{Request, Scene, name},
};
use crate::instance::Settled;

fn done(outcome: Result<(), FsError>) -> Result<Settled, FsError> {
    outcome.map(|()| Settled::Nothing)
}

pub(super) fn exists(request: &Request, scene: &Scene) -> bool {
    posix::access(&scene.path(&request.path), 0).is_ok()
}

pub(super) fn access(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    done(posix::access(&scene.path(&request.path), request.mode).map_err(about("access", &request.path)))
}

pub(super) fn unlink(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    done(std::fs::remove_file(scene.path(&request.path)).map_err(about("unlink", &request.path)))
}

pub(super) fn rename(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let (from, to) = (scene.path(&request.path), scene.path(&request.dest));
    done(std::fs::rename(from, to).map_err(about_both("rename", &request.path, &request.dest)))
}

pub(super) fn link(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let (from, to) = (scene.path(&request.path), scene.path(&request.dest));
    done(posix::hard_link(&from, &to).map_err(about_both("link", &request.path, &request.dest)))
}

pub(super) fn symlink(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    // The target of a link is stored as given: it is relative to the link.
    let outcome = posix::symbolic_link(Path::new(&request.path.to_os()), &scene.path(&request.dest));
    done(outcome.map_err(about_both("symlink", &request.path, &request.dest)))
}

pub(super) fn readlink(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let target = std::fs::read_link(scene.path(&request.path)).map_err(about("readlink", &request.path))?;
    Ok(Settled::Text(name(&target, request.raw).to_string()))
}

pub(super) fn realpath(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let path = scene.path(&request.path);
    match real_path(&path) {
        Ok(real) => Ok(Settled::Text(name(&real, request.raw).to_string())),
        Err(error) if request.native => Err(about("realpath", &request.path)(error)),
        Err(error) => Err(first_problem(&path, &error)),
    }
}

/// Node walks down and names the first missing component.
fn first_problem(path: &Path, error: &io::Error) -> FsError {
    let mut at = PathBuf::new();
    for component in path.components() {
        at.push(component);
        if let Err(error) = at.symlink_metadata() {
            return FsError::io(&error, "lstat").with_path(at.to_string_lossy());
        }
        if let Err(error) = at.metadata() {
            return FsError::io(&error, "stat").with_path(at.to_string_lossy());
        }
    }
    FsError::io(error, "lstat").with_path(path.to_string_lossy())
}

pub(super) fn chmod(syscall: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    if syscall == "fchmod" {
        let file = file(request, scene, syscall)?;
        return done(posix::change_mode(&file, request.mode).map_err(about_file(syscall)));
    }
    let outcome = posix::change_mode_of_path(&scene.path(&request.path), request.mode);
    done(outcome.map_err(about(syscall, &request.path)))
}

pub(super) fn chown(syscall: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    // The value that means "unchanged".
    let id = |number: u32| (number != u32::MAX).then_some(number);
    let (user, group) = (id(request.uid), id(request.gid));
    let path = scene.path(&request.path);
    if syscall == "fchown" {
        let file = file(request, scene, syscall)?;
        return done(posix::change_owner(&file, user, group).map_err(about_file(syscall)));
    }
    let outcome = posix::change_owner_of_path(&path, syscall != "lchown", user, group);
    done(outcome.map_err(about(syscall, &request.path)))
}

/// Checks whether a tool may change to a directory; returns its path.
pub(super) fn chdir(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let here = scene.cwd.to_string_lossy().into_owned();
    let failed = |number: i32| {
        FsError::number(number, "chdir").with_path(here.clone()).with_dest(request.path.shown())
    };
    let real = real_path(scene.path(&request.path))
        .map_err(|error| failed(errno::number(&error).unwrap_or(errno::EIO)))?;
    if !real.is_dir() {
        return Err(failed(errno::ENOTDIR));
    }
    Ok(Settled::Text(real.to_string_lossy().into_owned()))
}
