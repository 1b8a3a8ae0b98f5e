//! Modes and size of the console.

#![expect(unsafe_code, reason = "std does not wrap the modes of a console")]

use std::{io, os::windows::io::AsRawHandle as _};

use windows_sys::Win32::{
    Globalization::CP_UTF8,
    System::Console::{
        CONSOLE_SCREEN_BUFFER_INFO, DISABLE_NEWLINE_AUTO_RETURN, ENABLE_ECHO_INPUT, ENABLE_EXTENDED_FLAGS,
        ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT, ENABLE_PROCESSED_OUTPUT, ENABLE_VIRTUAL_TERMINAL_INPUT,
        ENABLE_VIRTUAL_TERMINAL_PROCESSING, ENABLE_WINDOW_INPUT, FlushConsoleInputBuffer, GetConsoleCP,
        GetConsoleMode, GetConsoleOutputCP, GetConsoleScreenBufferInfo, SetConsoleCP, SetConsoleMode,
        SetConsoleOutputCP,
    },
};

/// The modes of the console, and the encodings of its input and output.
#[derive(Clone, Debug)]
pub(in super::super) struct Modes {
    input: u32,
    /// None if standard output is not the console.
    output: Option<u32>,
    encodings: (u32, u32),
}

impl Modes {
    /// Returns the current ones.
    pub(in super::super) fn current() -> io::Result<Self> {
        let (mut input, mut output) = (0, 0);
        // SAFETY: the numbers are on this stack.
        unsafe {
            if GetConsoleMode(io::stdin().as_raw_handle(), &raw mut input) == 0 {
                return Err(io::Error::last_os_error());
            }
            let has_output = GetConsoleMode(io::stdout().as_raw_handle(), &raw mut output) != 0;
            Ok(Self {
                input,
                output: has_output.then_some(output),
                encodings: (GetConsoleCP(), GetConsoleOutputCP()),
            })
        }
    }

    /// Returns those in which every key is input, Ctrl-C included, and output is not changed.
    pub(in super::super) fn raw(&self) -> Self {
        let line = ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT;
        let sequences = ENABLE_VIRTUAL_TERMINAL_INPUT | ENABLE_WINDOW_INPUT | ENABLE_EXTENDED_FLAGS;
        let drawn =
            ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING | DISABLE_NEWLINE_AUTO_RETURN;
        Self {
            input: (self.input & !line) | sequences,
            output: self.output.map(|output| output | drawn),
            encodings: (CP_UTF8, CP_UTF8),
        }
    }

    /// Returns those in which keys are read one by one and not echoed. Output is as usual, and Ctrl-C is still a signal.
    pub(in super::super) fn keys(&self) -> Self {
        let line = ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT;
        Self {
            input: (self.input & !line) | ENABLE_VIRTUAL_TERMINAL_INPUT | ENABLE_EXTENDED_FLAGS,
            output: self.output.map(|output| output | ENABLE_VIRTUAL_TERMINAL_PROCESSING),
            encodings: (CP_UTF8, CP_UTF8),
        }
    }

    /// Sets them. What was typed already stays.
    pub(in super::super) fn set(&self) -> io::Result<()> {
        // SAFETY: touches no memory.
        unsafe {
            if SetConsoleMode(io::stdin().as_raw_handle(), self.input) == 0 {
                return Err(io::Error::last_os_error());
            }
            if let Some(output) = self.output
                && SetConsoleMode(io::stdout().as_raw_handle(), output) == 0
            {
                return Err(io::Error::other("the console does not understand escape sequences"));
            }
            SetConsoleCP(self.encodings.0);
            SetConsoleOutputCP(self.encodings.1);
        }
        Ok(())
    }
}

/// Returns columns and rows of the window, which is a part of the buffer.
pub(in super::super) fn size() -> Option<(usize, usize)> {
    let mut found = CONSOLE_SCREEN_BUFFER_INFO::default();
    // SAFETY: the structure is on this stack.
    if unsafe { GetConsoleScreenBufferInfo(io::stdout().as_raw_handle(), &raw mut found) } == 0 {
        return None;
    }
    let window = found.srWindow;
    let length = |from: i16, to: i16| usize::try_from(i32::from(to) - i32::from(from) + 1).ok();
    Some((length(window.Left, window.Right)?, length(window.Top, window.Bottom)?))
}

/// Discards what was typed and not read yet.
pub(in super::super) fn discard_typed() {
    // SAFETY: touches no memory. Fails if standard input is not a console.
    unsafe { FlushConsoleInputBuffer(io::stdin().as_raw_handle()) };
}
