//! Text as Windows takes it: UTF-16 with a zero at the end.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::windows::ffi::{OsStrExt as _, OsStringExt as _},
};

/// Returns the text with a zero at its end. A zero inside is an error: Windows would take it for the end.
pub(crate) fn wide(text: impl AsRef<OsStr>) -> io::Result<Vec<u16>> {
    let mut units: Vec<u16> = text.as_ref().encode_wide().collect();
    if units.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it contains a NUL character"));
    }
    units.push(0);
    Ok(units)
}

/// Returns the text before the first zero.
pub(crate) fn text(units: &[u16]) -> OsString {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    OsString::from_wide(units.get(..end).unwrap_or_default())
}

/// Returns the text that a pointer leads to.
///
/// # Safety
/// The text ends with a zero.
#[expect(unsafe_code, reason = "the system gives texts as pointers")]
pub(crate) unsafe fn text_at(mut next: *const u16) -> OsString {
    let mut units = Vec::new();
    // SAFETY: the caller says so.
    unsafe {
        while *next != 0 {
            units.push(*next);
            next = next.add(1);
        }
    }
    OsString::from_wide(&units)
}

/// Calls a function that writes text into a buffer and returns its length, or the length it needs, or 0 for an error.
pub(crate) fn read_text(mut read: impl FnMut(&mut [u16]) -> u32) -> io::Result<OsString> {
    let mut buffer = vec![0_u16; 300];
    loop {
        let length = read(&mut buffer) as usize;
        match length {
            0 => return Err(io::Error::last_os_error()),
            length if length < buffer.len() => {
                return Ok(OsString::from_wide(buffer.get(..length).unwrap_or_default()));
            }
            length => buffer.resize(length + 1, 0),
        }
    }
}
