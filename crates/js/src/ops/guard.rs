//! Host functions of a runtime that is to stop do nothing: a loop of them would otherwise go on for as long as the engine
//! takes to ask by itself, which it does every ten thousand steps however long each takes (CONTRACT 4.6).

#![expect(unsafe_code, reason = "an error that cannot be caught is beyond the engine's safe interface")]

use std::{
    cell::{Cell, RefCell},
    ffi::c_int,
    sync::Arc,
};

use rquickjs::{Ctx, Error, Object, Result, Value, qjs};

use crate::stop::StopFlags;

thread_local! {
    /// A thread has one runtime.
    static STOP: RefCell<Option<Arc<StopFlags>>> = const { RefCell::new(None) };
    /// Something outside the runtime was read or changed.
    static SURROUNDINGS: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread's runtime has read or changed anything outside it, other than by loading modules.
pub(crate) fn surroundings_were_read() -> bool {
    SURROUNDINGS.get()
}

/// Records that it did.
pub(super) fn note_surroundings() {
    SURROUNDINGS.set(true);
}

/// Has every function of an object look at the flags before and after it runs. `reads` tells by its name whether a
/// function reads or changes anything outside the runtime.
pub(super) fn install<'js>(
    ctx: &Ctx<'js>,
    functions: &Object<'js>,
    stop: &Arc<StopFlags>,
    reads: impl Fn(&str) -> bool,
) -> Result<()> {
    STOP.with(|slot| slot.replace(Some(Arc::clone(stop))));
    let raw = ctx.as_raw().as_ptr();
    for name in functions.keys::<String>().collect::<Result<Vec<_>>>()? {
        let function: Value<'_> = functions.get(name.as_str())?;
        if !function.is_function() {
            continue;
        }
        let mut data = [function.as_raw()];
        let magic = c_int::from(reads(&name));
        // SAFETY: the engine copies the data; what comes back is owned by the value made of it.
        let guarded = unsafe { qjs::JS_NewCFunctionData(raw, Some(call), 0, magic, 1, data.as_mut_ptr()) };
        // SAFETY: looks at the tag.
        if unsafe { qjs::JS_VALUE_GET_TAG(guarded) } == qjs::JS_TAG_EXCEPTION {
            return Err(Error::Exception);
        }
        // SAFETY: as above.
        functions.set(name, unsafe { Value::from_raw(ctx.clone(), guarded) })?;
    }
    Ok(())
}

fn is_over() -> bool {
    STOP.with(|slot| slot.borrow().as_ref().is_some_and(|stop| stop.should_interrupt()))
}

/// Calls the function that is its data.
unsafe extern "C" fn call(
    raw: *mut qjs::JSContext,
    this: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    if magic != 0 {
        note_surroundings();
    }
    // SAFETY: the engine calls this with its own context, as many live values as it says and the data of the function.
    unsafe {
        if is_over() {
            return interrupted(raw);
        }
        let outcome = qjs::JS_Call(raw, *data, this, argc, argv);
        if !is_over() {
            return outcome;
        }
        if qjs::JS_VALUE_GET_TAG(outcome) == qjs::JS_TAG_EXCEPTION {
            qjs::JS_FreeValue(raw, qjs::JS_GetException(raw));
        } else {
            qjs::JS_FreeValue(raw, outcome);
        }
        interrupted(raw)
    }
}

/// Throws what the engine itself throws when it is interrupted.
///
/// # Safety
/// `raw` is the current context.
unsafe fn interrupted(raw: *mut qjs::JSContext) -> qjs::JSValue {
    // SAFETY: the format has no arguments; the exception is taken, marked and thrown again.
    unsafe {
        qjs::JS_ThrowInternalError(raw, c"interrupted".as_ptr());
        let error = qjs::JS_GetException(raw);
        qjs::JS_SetUncatchableError(raw, error);
        qjs::JS_Throw(raw, error)
    }
}
