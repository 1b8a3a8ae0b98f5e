//! Process, machine and user information, for `os` and `process`.

use std::{ffi::OsStr, path::Path, rc::Rc};

use rquickjs::{Ctx, Object, Result, function::Func};
use serde_json::json;
use toolsmith_host::{
    exec::{PathRule, find_program},
    posix::{self, KillError, user_ids},
};

use super::{failure, guard::note_surroundings};
use crate::instance::{HostError, ThreadState};

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let ask = |what: String| {
        // These are asked for when `process` and `os` are imported.
        if !matches!(what.as_str(), "signals" | "parent") {
            note_surroundings();
        }
        posix::describe_machine(&what).to_string()
    };
    host.set("machine", Func::from(ask))?;
    host.set("errorNumbers", Func::from(failure::table))?;
    let kill = |ctx: Ctx<'js>, pid: i32, signal: i32| -> Result<()> {
        kill(pid, signal).map_err(|error| error.throw(&ctx))
    };
    host.set("kill", Func::from(kill))?;
    let own = Rc::clone(state);
    host.set("cwd", Func::from(move || own.current_dir().to_string_lossy().into_owned()))?;
    let own = Rc::clone(state);
    host.set("setCwd", Func::from(move |folder: String| own.set_current_dir(folder.into())))?;
    let memory = std::sync::Arc::clone(&state.shared.memory);
    host.set("memoryUse", Func::from(move || memory.bytes()))?;
    let own = Rc::clone(state);
    host.set("memoryLeft", Func::from(move || own.memory_left()))?;
    host.set("userIds", Func::from(user_ids))?;
    host.set("systemInfo", Func::from(system_info))?;
    host.set("environment", Func::from(environment))?;
    host.set("variable", Func::from(|name: String| std::env::var(name).ok()))?;
    host.set("variableNames", Func::from(variable_names))?;
    host.set(
        "findProgram",
        Func::from(|name: String, path: String, cwd: String| {
            let found = find_program(&name, OsStr::new(&path), Path::new(&cwd), PathRule::Tool);
            found.ok().map(|file| file.to_string_lossy().into_owned())
        }),
    )?;
    host.set("worktree", Func::from(|folder: String| worktree(Path::new(&folder))))
}

/// Returns the root of the repository a directory is in; the file-system root if there is none.
pub(super) fn worktree(folder: &Path) -> String {
    let root = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(Path::new("/"));
    root.to_string_lossy().into_owned()
}

pub(super) fn system_info() -> String {
    json!({
        "platform": match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        },
        "arch": match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            "x86" => "ia32",
            other => other,
        },
        "pid": std::process::id(),
        "execPath": std::env::current_exe().ok(),
        "version": env!("CARGO_PKG_VERSION"),
    })
    .to_string()
}

/// Returns the names of the environment variables that are valid text.
fn variable_names() -> String {
    let names = std::env::vars_os().filter_map(|(key, value)| value.to_str().and(key.into_string().ok()));
    json!(names.collect::<Vec<_>>()).to_string()
}

/// Returns the environment variables that are valid text.
fn environment() -> String {
    let variables: serde_json::Map<String, serde_json::Value> = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?.into())))
        .collect();
    serde_json::Value::Object(variables).to_string()
}

/// Sends a signal, but not to the program itself or to process groups it belongs to.
fn kill(pid: i32, signal: i32) -> std::result::Result<(), HostError> {
    match posix::kill(pid, signal) {
        Ok(()) => Ok(()),
        Err(KillError::Own) => Err(HostError::new(format!(
            "process.kill({pid}) was called by a tool; a tool cannot exit the host program"
        ))),
        Err(KillError::System(number)) => {
            let (code, _) = failure::describe(number);
            Err(HostError::new(format!("kill {code}"))
                .with("errno", -number)
                .with("code", code)
                .with("syscall", "kill"))
        }
    }
}
