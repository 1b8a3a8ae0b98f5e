//! The functions the kernel calls: each file offers those of one subject. What they may do is decided here and in
//! `toolsmith-host`, never in JavaScript.

mod bytes;
mod context;
mod exec;
mod fetch;
mod modules;
mod pending;
mod random;
mod remote;
mod runtime;
mod system;
mod text;
mod ui;
mod web_address;

pub use exec::{ExecAnswer, ExecHandler};
pub(crate) use fetch::WebClients;
pub(crate) use remote::answer_remote;

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
    modules::install(host, state)?;
    pending::install(host, state)?;
    random::install(host)?;
    system::install(host, state)?;
    text::install(host)?;
    ui::install(host, state)?;
    web_address::install(host)
}
