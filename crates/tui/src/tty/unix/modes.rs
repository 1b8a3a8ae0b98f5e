//! Modes and size of the terminal.

use std::io;

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};

/// The modes of the terminal.
#[derive(Clone, Debug)]
pub(in super::super) struct Modes(Termios);

impl Modes {
    /// Returns the current ones.
    pub(in super::super) fn current() -> io::Result<Self> {
        Ok(Self(tcgetattr(io::stdin())?))
    }

    /// Returns those in which every key is input, Ctrl-C included.
    pub(in super::super) fn raw(&self) -> Self {
        let mut raw = self.0.clone();
        raw.make_raw();
        Self(raw)
    }

    /// Returns those in which keys are read one by one and not echoed. Output is as usual, and Ctrl-C is still a signal.
    pub(in super::super) fn keys(&self) -> Self {
        let mut keys = self.0.clone();
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        // Otherwise Enter is the same as Ctrl-J.
        keys.input_modes.remove(InputModes::ICRNL);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        Self(keys)
    }

    /// Sets them. `TCSANOW` keeps what was typed already, which `TCSAFLUSH` would discard.
    pub(in super::super) fn set(&self) -> io::Result<()> {
        Ok(tcsetattr(io::stdin(), OptionalActions::Now, &self.0)?)
    }
}

/// Returns columns and rows, if the terminal tells.
pub(in super::super) fn size() -> Option<(usize, usize)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some((usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// Discards what was typed and not read yet.
pub(in super::super) fn discard_typed() {
    // Elsewhere there is nothing to discard, and the call fails.
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}
