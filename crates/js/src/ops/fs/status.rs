//! File and file-system metadata, as numbers in the order JavaScript expects; setting access and modification times.

use serde_json::{Value, json};
use toolsmith_host::posix::{self, FileStatus};

use super::{
    error::{FsError, about, about_file},
    open_files::file,
    request::{Request, Scene},
};
use crate::instance::Settled;

pub(super) fn stat(name: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let found = match name {
        "fstat" => posix::file_status(&*file(request, scene, name)?).map_err(about_file(name))?,
        _ => posix::path_status(&scene.path(&request.path), name != "lstat")
            .map_err(about(name, &request.path))?,
    };
    Ok(Settled::Text(numbers(&found, request.big)))
}

fn numbers(FileStatus { unsigned, signed }: &FileStatus, big: bool) -> String {
    let list: Vec<Value> = if big {
        let unsigned = unsigned.iter().map(|number| json!(number.to_string()));
        unsigned.chain(signed.iter().map(|number| json!(number.to_string()))).collect()
    } else {
        unsigned.iter().map(|number| json!(number)).chain(signed.iter().map(|number| json!(number))).collect()
    };
    Value::Array(list).to_string()
}

pub(super) fn statfs(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let list = posix::space(&scene.path(&request.path)).map_err(about("statfs", &request.path))?;
    Ok(Settled::Text(json!(list).to_string()))
}

pub(super) fn set_times(syscall: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let (accessed, modified) = (request.accessed, request.modified);
    if syscall == "futime" {
        let file = file(request, scene, syscall)?;
        return posix::set_file_times(&file, accessed, modified)
            .map(|()| Settled::Nothing)
            .map_err(about_file(syscall));
    }
    posix::set_path_times(&scene.path(&request.path), syscall != "lutime", accessed, modified)
        .map(|()| Settled::Nothing)
        .map_err(about(syscall, &request.path))
}
