//! Which engine is built in.
#![expect(unsafe_code, reason = "the engine says its version through its C interface only")]

use std::ffi::CStr;

use rquickjs::qjs;

/// The version of QuickJS-NG that is built in, such as `0.16.2`.
pub fn engine_version() -> &'static str {
    // SAFETY: the function gives a constant of the library, with an end, that is never freed.
    unsafe { CStr::from_ptr(qjs::JS_GetVersion()) }.to_str().unwrap_or("of unknown version")
}
