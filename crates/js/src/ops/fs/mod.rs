//! Files for JavaScript: each operation runs synchronously, or on a thread of the program while the tool continues.
//!
//! Both ways go through [`perform`], so that they cannot differ. Potentially endless operations check regularly whether
//! to stop.

mod constants;
mod error;
mod folders;
mod links;
mod open_files;
mod request;
mod status;
mod watch;
mod whole;

pub(crate) use open_files::OpenFiles;
pub(crate) use watch::Watchers;

use std::{path::Path, rc::Rc, sync::Arc};

use rquickjs::{Ctx, IntoJs, Object, Result, TypedArray, Value, function::Func};
use toolsmith_host::posix::{FileFlags, errno};
use toolsmith_tool::FileWatch;

use self::{
    error::FsError,
    request::{Request, Scene},
};
use super::{bytes, runtime::whole as whole_number};
use crate::instance::{HostError, Settled, ThreadState, unless_cancelled};

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    host.set(
        "fsNow",
        Func::from(
            move |ctx: Ctx<'js>,
                  name: String,
                  json: String,
                  data: Option<TypedArray<'js, u8>>|
                  -> Result<Value<'js>> {
                let stop = Arc::clone(&own.shared.stop);
                let scene = scene(&own, Box::new(move || stop.is_over()));
                let data = data.map(|data| bytes::copy(&data)).unwrap_or_default();
                match run(&name, &json, data, &scene) {
                    Settled::Nothing => Ok(Value::new_undefined(ctx)),
                    Settled::Text(text) => text.into_js(&ctx),
                    Settled::Bytes(content) => Ok(bytes::array(&ctx, &content)?.into_value()),
                    Settled::Failed(error) => Err(error.throw(&ctx)),
                }
            },
        ),
    )?;
    let own = Rc::clone(state);
    host.set(
        "fsLater",
        Func::from(move |number: f64, name: String, json: String, data: Option<TypedArray<'js, u8>>| {
            let data = data.map(|data| bytes::copy(&data)).unwrap_or_default();
            later(&own, whole_number(number), name, json, data);
        }),
    )?;
    host.set("fsConstants", Func::from(constants::table))?;
    watch::install(host, state)
}

fn scene(state: &ThreadState, stopped: Box<dyn Fn() -> bool + Send>) -> Scene {
    let context = state.current_context();
    Scene {
        cwd: state.current_dir(),
        shared: Arc::clone(&state.shared),
        room: state.memory_left(),
        stopped,
        watch: context.files.clone(),
        meter: context.meter.clone(),
    }
}

fn later(state: &ThreadState, number: u64, name: String, json: String, data: Vec<u8>) {
    let runtime = state.shared.engine.runtime.clone();
    state.shared.spawn_operation(number, |token| {
        let watched = token.clone();
        let scene = scene(state, Box::new(move || watched.is_cancelled()));
        let held = state.shared.charge(data.len());
        async move {
            let held = match held {
                Ok(held) => held,
                Err(error) => return Settled::Failed(error),
            };
            let turns = Arc::clone(&scene.shared.files.turns);
            let work = async move {
                let turn = turns.acquire_owned().await;
                runtime
                    .spawn_blocking(move || {
                        let outcome = run(&name, &json, data, &scene);
                        drop((turn, held));
                        outcome
                    })
                    .await
            };
            match unless_cancelled(&token, work).await {
                Some(Ok(outcome)) => outcome,
                Some(Err(error)) => Settled::Failed(HostError::new(error.to_string())),
                None => Settled::Failed(
                    HostError::of_class("AbortError", "The operation was aborted").with("code", "ABORT_ERR"),
                ),
            }
        }
    });
}

fn run(name: &str, json: &str, data: Vec<u8>, scene: &Scene) -> Settled {
    let request: Request = match serde_json::from_str(json) {
        Ok(request) => request,
        Err(error) => return Settled::Failed(HostError::of_class("TypeError", error.to_string())),
    };
    perform(name, &request, data, scene).unwrap_or_else(|error| Settled::Failed(error.into()))
}

fn perform(
    name: &str,
    request: &Request,
    data: Vec<u8>,
    scene: &Scene,
) -> std::result::Result<Settled, FsError> {
    if let Some(watch) = &scene.watch {
        notify_watch(watch.as_ref(), name, request, scene);
    }
    match name {
        "exists" => Ok(Settled::Text(links::exists(request, scene).to_string())),
        "readFile" => whole::read(request, scene),
        "writeFile" => whole::write(request, &data, scene),
        "copyFile" => whole::copy(request, scene),
        "stat" | "lstat" | "fstat" => status::stat(name, request, scene),
        "statfs" => status::statfs(request, scene),
        "open" => open_files::open(request, scene),
        "close" => open_files::close(request, scene),
        "read" => open_files::read(request, scene),
        "write" => open_files::write(request, &data, scene),
        "fsync" | "fdatasync" => open_files::sync(name, request, scene),
        "truncate" | "ftruncate" => open_files::truncate(name, request, scene),
        "readdir" => folders::list(request, scene),
        "mkdir" => folders::make(request, scene),
        "mkdtemp" => folders::make_temporary(request, scene),
        "rmdir" => folders::remove(request, scene),
        "rm" => folders::remove_tree(request, scene),
        "unlink" => links::unlink(request, scene),
        "rename" => links::rename(request, scene),
        "link" => links::link(request, scene),
        "symlink" => links::symlink(request, scene),
        "readlink" => links::readlink(request, scene),
        "realpath" => links::realpath(request, scene),
        "access" => links::access(request, scene),
        "chmod" | "fchmod" => links::chmod(name, request, scene),
        "chown" | "lchown" | "fchown" => links::chown(name, request, scene),
        "utime" | "lutime" | "futime" => status::set_times(name, request, scene),
        "chdir" => links::chdir(request, scene),
        _ => Err(FsError::number(errno::ENOSYS, "fs").with_path(name)),
    }
}

/// Notifies the watcher of the files an operation is about to change. Writes through a descriptor were reported when it
/// was opened.
fn notify_watch(watch: &dyn FileWatch, name: &str, request: &Request, scene: &Scene) {
    let (path, dest) = (scene.path(&request.path), scene.path(&request.dest));
    match name {
        "writeFile" if request.fd.is_none() => watch.before_change(&path),
        "open" if FileFlags::may_change(request.flags) => watch.before_change(&path),
        "truncate" => watch.before_change(&path),
        "copyFile" | "link" => watch.before_change(&dest),
        "mkdir" => watch.before_folder(&path),
        "unlink" | "rm" if !path.is_symlink() => watch.before_change(&path),
        "rename" if !path.is_symlink() => notify_rename(watch, &path, &dest),
        _ => {}
    }
}

/// Both names change; for a directory, also the names of everything in it.
fn notify_rename(watch: &dyn FileWatch, from: &Path, to: &Path) {
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
