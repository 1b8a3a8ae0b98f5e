//! Rust objects held by JavaScript: freed when the engine collects their holder.

#![expect(
    unsafe_code,
    reason = "the engine's trait for values without engine references is unsafe to implement"
)]

use std::{any::Any, cell::RefCell};

use rquickjs::{
    Class, Ctx, Exception, JsLifetime, Result,
    class::{JsClass, Readable, Trace, Tracer},
    function::Constructor,
};

/// Any value behind an opaque object.
pub(super) struct Native(RefCell<Box<dyn Any>>);

pub(super) type Handle<'js> = Class<'js, Native>;

impl<'js> Trace<'js> for Native {
    fn trace<'a>(&self, _tracer: Tracer<'a, 'js>) {}
}

// SAFETY: what is inside is `'static`, so it refers to no engine.
unsafe impl JsLifetime<'_> for Native {
    type Changed<'to> = Self;
}

impl<'js> JsClass<'js> for Native {
    const NAME: &'static str = "Native";
    type Mutable = Readable;

    fn constructor(_ctx: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// Passes a value to JavaScript.
pub(super) fn give<'js, T: 'static>(ctx: &Ctx<'js>, value: T) -> Result<Handle<'js>> {
    Class::instance(ctx.clone(), Native(RefCell::new(Box::new(value))))
}

/// Accesses a value passed back by JavaScript.
pub(super) fn with<T: 'static, R>(
    ctx: &Ctx<'_>,
    handle: &Handle<'_>,
    work: impl FnOnce(&mut T) -> R,
) -> Result<R> {
    let native = handle.borrow();
    let mut inner = native
        .0
        .try_borrow_mut()
        .map_err(|_| Exception::throw_message(ctx, "the object is already in use by this call"))?;
    match inner.downcast_mut::<T>() {
        Some(value) => Ok(work(value)),
        None => Err(Exception::throw_type(ctx, "Illegal invocation")),
    }
}
