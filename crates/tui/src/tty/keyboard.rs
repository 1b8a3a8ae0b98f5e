//! Keys one by one between lines of output, for commands that print and ask without the interface.

use std::io::{self, IsTerminal as _};

use super::{device::TtyError, reader::InputEvents, restore, system::Modes};
use crate::input::Input;

/// The keyboard while keys are read as they are typed and not echoed. Output is as usual, and Ctrl-C is still a signal.
/// Dropping it restores the terminal.
#[derive(Debug)]
pub struct Keyboard {
    input: InputEvents,
}

impl Keyboard {
    /// Starts reading keys.
    ///
    /// # Errors
    /// Fails if standard input is not a terminal or a thread cannot be started.
    pub fn open() -> Result<Self, TtyError> {
        if !io::stdin().is_terminal() {
            return Err(TtyError::NotATerminal);
        }
        let original = Modes::current()?;
        let keys = original.keys();
        restore::remember_keyboard(original);
        let reading = keys.set().and_then(|()| InputEvents::start());
        match reading {
            Ok(input) => Ok(Self { input }),
            Err(error) => {
                restore::restore_now();
                Err(error.into())
            }
        }
    }

    /// Waits for the next key.
    pub async fn next(&mut self) -> Input {
        self.input.next().await
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        // What is typed from now on belongs to the next question.
        self.input.pause();
        self.input.stop();
        restore::restore_now();
    }
}
