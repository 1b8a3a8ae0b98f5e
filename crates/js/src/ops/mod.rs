//! The functions the kernel calls: each file offers those of one subject. What they may do is decided here and in
//! `toolsmith-host`, never in JavaScript.

mod byte_streams;
mod bytes;
mod cipher;
mod context;
mod exec;
mod failure;
mod fetch;
mod hashing;
mod modules;
mod native;
mod pending;
mod process;
mod random;
mod runtime;
mod system;
mod text;
mod ui;
mod web_address;

pub(crate) use bytes::to_js;
pub(crate) use fetch::WebClients;

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result};

use crate::instance::ThreadState;

/// Puts all of them on the object the kernel takes.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    runtime::install(ctx, host, state)?;
    byte_streams::install(host, state)?;
    bytes::install(host)?;
    cipher::install(host)?;
    context::install(host, state)?;
    exec::install(host, state)?;
    fetch::install(host, state)?;
    hashing::install(host, state)?;
    modules::install(host, state)?;
    pending::install(host, state)?;
    process::install(host, state)?;
    random::install(host)?;
    system::install(host, state)?;
    text::install(host)?;
    ui::install(host, state)?;
    web_address::install(host)
}
