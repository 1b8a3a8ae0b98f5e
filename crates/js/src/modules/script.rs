//! Scripts as compiled code: an expression is compiled once and loaded again from its code.

#![expect(unsafe_code, reason = "the engine's safe interface compiles scripts only to run them")]

use std::{ffi::CString, slice};

use rquickjs::{Ctx, Error, FromJs as _, Function, Result, Value, qjs};

/// Compiles an expression whose value is a function, under the name shown in errors; also returns its code if asked for.
pub(super) fn compile<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    code: String,
    writes: bool,
) -> Result<(Function<'js>, Option<Vec<u8>>)> {
    let name = CString::new(name)?;
    let length = code.len();
    // The engine reads up to a NUL byte after the text.
    let mut bytes = code.into_bytes();
    bytes.push(0);
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the text ends with NUL and outlives the call; the context is the current one. What comes back is ours and
    // given up to `run`.
    unsafe {
        let script =
            qjs::JS_Eval(raw, bytes.as_ptr().cast(), length as _, name.as_ptr(), flags.cast_signed());
        if qjs::JS_VALUE_GET_TAG(script) == qjs::JS_TAG_EXCEPTION {
            return Err(Error::Exception);
        }
        let written = if writes { write(raw, script) } else { None };
        Ok((run(ctx, script)?, written))
    }
}

/// Loads the function of an expression that was compiled before.
///
/// # Safety
/// The code was written by [`compile`] of the same build of the program.
pub(super) unsafe fn load<'js>(ctx: &Ctx<'js>, code: &[u8]) -> Result<Function<'js>> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the caller's promise; the engine copies the code.
    unsafe {
        let flags = qjs::JS_READ_OBJ_BYTECODE.cast_signed();
        let script = qjs::JS_ReadObject(raw, code.as_ptr(), code.len() as _, flags);
        if qjs::JS_VALUE_GET_TAG(script) == qjs::JS_TAG_EXCEPTION {
            return Err(Error::Exception);
        }
        run(ctx, script)
    }
}

/// # Safety
/// `script` is a compiled script of this context; it is given up.
unsafe fn run<'js>(ctx: &Ctx<'js>, script: qjs::JSValue) -> Result<Function<'js>> {
    // SAFETY: the caller's promise; the result is owned by the value made of it.
    unsafe {
        let value = qjs::JS_EvalFunction(ctx.as_raw().as_ptr(), script);
        if qjs::JS_VALUE_GET_TAG(value) == qjs::JS_TAG_EXCEPTION {
            return Err(Error::Exception);
        }
        Function::from_js(ctx, Value::from_raw(ctx.clone(), value))
    }
}

/// # Safety
/// `script` is a compiled script of this context.
unsafe fn write(raw: *mut qjs::JSContext, script: qjs::JSValue) -> Option<Vec<u8>> {
    let mut length = 0;
    // SAFETY: the caller's promise; what the engine wrote is copied and freed.
    unsafe {
        let flags = qjs::JS_WRITE_OBJ_BYTECODE.cast_signed();
        let written = qjs::JS_WriteObject(raw, &raw mut length, script, flags);
        if written.is_null() {
            qjs::JS_FreeValue(raw, qjs::JS_GetException(raw));
            return None;
        }
        let code = slice::from_raw_parts(written, length as usize).to_vec();
        qjs::js_free(raw, written.cast());
        Some(code)
    }
}
