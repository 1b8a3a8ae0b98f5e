//! Machine and user information, for `os` and `process`.

use rquickjs::{Ctx, Object, Result, function::Func};
use toolsmith_host::posix::{self, KillError};

use super::{failure, guard::note_surroundings};
use crate::instance::HostError;

pub(super) fn install<'js>(host: &Object<'js>) -> Result<()> {
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
    host.set("kill", Func::from(kill))
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
