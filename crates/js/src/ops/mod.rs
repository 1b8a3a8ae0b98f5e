//! The host functions, one file per subject. Permissions are checked here and in `toolsmith-host`, never in JavaScript.

mod byte_streams;
pub(crate) mod bytes;
mod cipher;
mod context;
mod exec;
mod failure;
mod fetch;
mod frames;
mod fs;
mod guard;
mod hashing;
#[cfg(feature = "intl")]
mod intl;
mod modules;
mod native;
mod net;
mod pending;
mod process;
mod remote;
mod runtime;
mod session;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_memory;
mod surroundings;
mod system;
mod tape;
mod text;
mod ui;
mod web_address;
mod zlib;

pub(crate) use fetch::WebClients;
pub(crate) use fs::{OpenFiles, Watchers};
pub(crate) use guard::surroundings_were_read;
pub(crate) use remote::answer_remote;

use std::rc::Rc;

use rquickjs::{Ctx, Exception, Object, Result, function::Func};

use crate::instance::ThreadState;

/// Adds all functions to the object passed to the kernel.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    runtime::install(ctx, host, state)?;
    bytes::install(host)?;
    context::install(host, state)?;
    exec::install(host, state)?;
    fetch::install(host, state)?;
    fs::install(host, state)?;
    modules::install(host, state)?;
    pending::install(host, state)?;
    bytes::install_random(host)?;
    session::install(host, state)?;
    system::install(host, state)?;
    text::install(host)?;
    ui::install(host, state)?;
    web_address::install(host)?;
    tape::install(host, state)?;
    guard::install(ctx, host, &state.shared.stop, |name| !surroundings::IS_FREE_OF.contains(&name))?;
    // Entering a frame is over at once, and has to work on every way out.
    frames::install(host, state)?;
    let state = Rc::clone(state);
    host.set("group", Func::from(move |ctx: Ctx<'js>, name: String| group(&ctx, &name, &state)))
}

/// Functions that only some modules need: created when such a module is loaded, so that no other tool pays for them.
fn group<'js>(ctx: &Ctx<'js>, name: &str, state: &Rc<ThreadState>) -> Result<Object<'js>> {
    let group = Object::new(ctx.clone())?;
    match name {
        "crypto" => {
            hashing::install(&group, state)?;
            cipher::install(&group)?;
        }
        "formats" => text::install_formats(&group)?,
        "process" => process::install(&group, state)?,
        "net" => net::install(&group, state)?,
        #[cfg(feature = "sqlite")]
        "sqlite" => sqlite::install(&group, state)?,
        #[cfg(feature = "intl")]
        "intl" => intl::install(&group, state)?,
        #[cfg(not(feature = "sqlite"))]
        "sqlite" => {
            return Err(Exception::throw_message(
                ctx,
                "this build has no SQLite: it was compiled without the feature `sqlite`",
            ));
        }
        "zlib" => zlib::install(&group, state)?,
        "streams" => byte_streams::install(&group, state)?,
        _ => return Err(Exception::throw_reference(ctx, name)),
    }
    let reads = !matches!(name, "crypto" | "formats" | "zlib");
    guard::install(ctx, &group, &state.shared.stop, |_| reads)?;
    Ok(group)
}
