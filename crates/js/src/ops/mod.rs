//! The functions the kernel calls: each file offers those of one subject. What they may do is decided here and in
//! `toolsmith-host`, never in JavaScript.

pub(crate) mod bytes;
mod context;
mod errno;
mod exec;
mod fetch;
mod fs;
mod machine;
mod modules;
mod pending;
mod random;
mod runtime;
mod system;
mod text;
mod ui;
mod web_address;

pub(crate) use fetch::WebClients;
pub(crate) use fs::{OpenFiles, Watchers};

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result};

use crate::instance::ThreadState;

/// Puts all of them on the object the kernel takes.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    runtime::install(ctx, host, state)?;
    bytes::install(host)?;
    context::install(host, state)?;
    exec::install(host, state)?;
    fetch::install(host, state)?;
    fs::install(host, state)?;
    machine::install(host)?;
    modules::install(host, state)?;
    pending::install(host, state)?;
    random::install(host)?;
    system::install(host, state)?;
    text::install(host)?;
    ui::install(host, state)?;
    web_address::install(host)
}
