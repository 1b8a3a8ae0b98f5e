//! Version of the embedded engine.
#![expect(unsafe_code, reason = "the engine says its version through its C interface only")]

use std::ffi::CStr;

use rquickjs::qjs;

/// Returns the version of QuickJS-NG, such as `0.16.2`.
pub fn engine_version() -> &'static str {
    // SAFETY: the function gives a constant of the library, with an end, that is never freed.
    unsafe { CStr::from_ptr(qjs::JS_GetVersion()) }.to_str().unwrap_or("of unknown version")
}
