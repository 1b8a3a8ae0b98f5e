//! Version of the embedded engine.
#![expect(unsafe_code, reason = "the engine says its version through its C interface only")]

use std::ffi::CStr;

use rquickjs::qjs;

/// Returns the version of QuickJS-NG, such as `0.16.2`.
pub fn engine_version() -> &'static str {
    // SAFETY: the function gives a constant of the library, with an end, that is never freed.
    unsafe { CStr::from_ptr(qjs::JS_GetVersion()) }.to_str().unwrap_or("of unknown version")
}

/// Returns whether `Intl` of the embedded engine has data for a language tag. Tags that no data exists for anywhere count as
/// supported, because every engine falls back for them.
pub fn supports_locale(tag: &str) -> bool {
    #[cfg(feature = "intl")]
    return toolsmith_intl::is_supported(tag);
    #[cfg(not(feature = "intl"))]
    {
        let _ = tag;
        false
    }
}
