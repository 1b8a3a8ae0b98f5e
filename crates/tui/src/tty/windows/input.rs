//! Waiting for keys of the console. It delivers them as records, one per UTF-16 unit of text or of an escape sequence; here they
//! become bytes again. A record of another kind tells that the window has another size.

#![expect(unsafe_code, reason = "std reads the console by lines only")]

use std::{
    io,
    os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    ptr,
    sync::Arc,
    time::Duration,
};

use windows_sys::Win32::{
    Foundation::{HANDLE, WAIT_FAILED, WAIT_OBJECT_0, WAIT_TIMEOUT},
    System::{
        Console::{
            GetNumberOfConsoleInputEvents, INPUT_RECORD, KEY_EVENT, ReadConsoleInputW,
            WINDOW_BUFFER_SIZE_EVENT,
        },
        Threading::{CreateEventW, INFINITE, SetEvent, WaitForMultipleObjects},
    },
};

use super::signals::note_resize;

/// Records read at once.
const RECORDS: usize = 256;
/// The Alt key: its release carries a character that was typed by number.
const ALT: u16 = 0x12;
/// Most bytes of a character in UTF-8.
const CHARACTER: usize = 4;

/// Reason why the reader woke up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ready {
    /// Bytes were read: this many.
    Bytes(usize),
    /// The console is gone.
    Closed,
    /// The time is over.
    Timeout,
    /// It was woken, or has to look again.
    Again,
}

/// Wakes the reader.
#[derive(Debug)]
pub(in super::super) struct Wake(Arc<OwnedHandle>);

impl Wake {
    pub(in super::super) fn wake(&self) {
        // SAFETY: the handle is open.
        unsafe { SetEvent(self.0.as_raw_handle()) };
    }
}

/// The reader's side.
#[derive(Debug)]
pub(in super::super) struct Waiting {
    woken: Arc<OwnedHandle>,
    /// The first half of a character of two units.
    half: Option<u16>,
    /// Bytes that did not fit the caller's buffer.
    rest: Vec<u8>,
}

/// Creates both sides.
pub(in super::super) fn waiting() -> io::Result<(Waiting, Wake)> {
    // SAFETY: without attributes and name.
    let event = unsafe { CreateEventW(ptr::null(), 0, 0, ptr::null()) };
    if event.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was created just now and belongs to nobody else.
    let event = Arc::new(unsafe { OwnedHandle::from_raw_handle(event) });
    Ok((Waiting { woken: Arc::clone(&event), half: None, rest: Vec::new() }, Wake(event)))
}

impl Waiting {
    /// Waits for keys, at most for `timeout`, and reads them.
    pub(in super::super) fn read(
        &mut self,
        bytes: &mut [u8],
        timeout: Option<Duration>,
    ) -> io::Result<Ready> {
        if self.rest.is_empty() {
            let stdin = io::stdin().as_raw_handle();
            let handles: [HANDLE; 2] = [self.woken.as_raw_handle(), stdin];
            let time =
                timeout.map_or(INFINITE, |time| u32::try_from(time.as_millis()).unwrap_or(INFINITE - 1));
            // SAFETY: both handles are open.
            match unsafe { WaitForMultipleObjects(2, handles.as_ptr(), 0, time) } {
                WAIT_TIMEOUT => return Ok(Ready::Timeout),
                WAIT_FAILED => return Err(io::Error::last_os_error()),
                WAIT_OBJECT_0 => return Ok(Ready::Again),
                _ => {}
            }
            if !self.take_records(stdin)? {
                return Ok(Ready::Closed);
            }
        }
        let count = self.rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(if count == 0 { Ready::Again } else { Ready::Bytes(count) })
    }

    /// Reads the records that are there; gives whether the console still is.
    fn take_records(&mut self, stdin: HANDLE) -> io::Result<bool> {
        let mut waiting = 0;
        // SAFETY: the number is on this stack.
        if unsafe { GetNumberOfConsoleInputEvents(stdin, &raw mut waiting) } == 0 {
            return Ok(false);
        }
        if waiting == 0 {
            return Ok(true);
        }
        let mut records = vec![INPUT_RECORD::default(); RECORDS];
        let mut count = 0;
        // SAFETY: the list has the length that is given.
        let read = unsafe { ReadConsoleInputW(stdin, records.as_mut_ptr(), 256, &raw mut count) };
        if read == 0 {
            return Err(io::Error::last_os_error());
        }
        for record in records.iter().take(count as usize) {
            match u32::from(record.EventType) {
                KEY_EVENT => {
                    // SAFETY: the type says which part of the union is set; a character is always set in both forms.
                    let (key, unit) =
                        unsafe { (record.Event.KeyEvent, record.Event.KeyEvent.uChar.UnicodeChar) };
                    if unit != 0 && (key.bKeyDown != 0 || key.wVirtualKeyCode == ALT) {
                        for _ in 0..key.wRepeatCount.max(1) {
                            self.push(unit);
                        }
                    }
                }
                WINDOW_BUFFER_SIZE_EVENT => note_resize(),
                _ => {}
            }
        }
        Ok(true)
    }

    fn push(&mut self, unit: u16) {
        let units: Vec<u16> = self.half.take().into_iter().chain([unit]).collect();
        if units.len() == 1 && (0xD800..0xDC00).contains(&unit) {
            self.half = Some(unit);
            return;
        }
        for character in char::decode_utf16(units) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.rest.extend_from_slice(character.encode_utf8(&mut [0; CHARACTER]).as_bytes());
        }
    }
}
