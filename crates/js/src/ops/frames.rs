//! The frame that JavaScript runs in, for what remembers it: timers, listeners, queued callbacks (CONTRACT 4.10).

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value, function::Func};

use crate::instance::ThreadState;

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let Some(frames) = state.frames.get() else { return Ok(()) };
    let own = Rc::clone(frames);
    host.set("frame", Func::from(move |ctx: Ctx<'js>| own.current(&ctx)))?;
    let own = Rc::clone(frames);
    host.set("enterFrame", Func::from(move |ctx: Ctx<'js>, frame: Value<'js>| own.enter(&ctx, &frame)))?;
    let own = Rc::clone(frames);
    host.set(
        "frameWith",
        Func::from(move |ctx: Ctx<'js>, stores: Value<'js>| own.with_stores(&ctx, stores)),
    )?;
    let own = Rc::clone(frames);
    host.set(
        "enterListener",
        Func::from(move |ctx: Ctx<'js>, frame: Value<'js>| own.enter_listener(&ctx, &frame)),
    )
}
