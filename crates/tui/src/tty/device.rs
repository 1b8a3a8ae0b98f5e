//! The terminal as a device: raw mode and size.

use std::io::{self, IsTerminal as _};

use thiserror::Error;

use super::{
    output::Output,
    reader::InputEvents,
    restore,
    system::{self, Modes},
};

/// Size of the terminal in cells; at least one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Size {
    /// Used when the terminal does not say.
    const DEFAULT: Self = Self { columns: 80, rows: 24 };
}

/// Discards what was typed and not read yet.
pub fn discard_typed() {
    system::discard_typed();
}

/// The terminal cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TtyError {
    /// Standard input or output is not a terminal.
    #[error("standard input and standard output must be a terminal")]
    NotATerminal,
    /// A system call failed.
    #[error("the terminal cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// The terminal in raw mode with its input and output threads. Dropping it restores the terminal.
#[derive(Debug)]
pub struct Tty {
    input: InputEvents,
    output: Output,
}

impl Tty {
    /// Enters raw mode. What was typed before is kept and becomes input.
    ///
    /// # Errors
    /// Fails if this is not a terminal or a thread cannot be started.
    pub fn open() -> Result<Self, TtyError> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(TtyError::NotATerminal);
        }
        enter()?;
        let threads = InputEvents::start().and_then(|input| Ok((input, Output::start()?)));
        match threads {
            Ok((input, output)) => {
                output.submit(restore::ENTER.as_bytes().to_vec());
                Ok(Self { input, output })
            }
            Err(error) => {
                restore::restore_now();
                Err(error.into())
            }
        }
    }

    /// Returns the input.
    pub fn input(&mut self) -> &mut InputEvents {
        &mut self.input
    }

    /// Returns the output.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Returns the current size.
    pub fn size(&self) -> Size {
        size()
    }

    /// Gives the terminal back, for another program or while stopped: input is not read and modes are restored.
    pub fn release(&self) {
        self.input.pause();
        self.output.drain();
        restore::restore_now();
    }

    /// Takes the terminal again after [`Tty::release`].
    ///
    /// # Errors
    /// Fails if the terminal is gone.
    pub fn acquire(&self) -> Result<(), TtyError> {
        enter()?;
        self.output.submit(restore::ENTER.as_bytes().to_vec());
        self.input.resume();
        Ok(())
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.input.stop();
        self.output.drain();
        restore::restore_now();
    }
}

/// Sets raw mode. What was typed already stays.
fn enter() -> Result<(), TtyError> {
    let original = Modes::current()?;
    let raw = original.raw();
    restore::remember(original);
    Ok(raw.set()?)
}

fn size() -> Size {
    match system::size() {
        Some((columns @ 1.., rows @ 1..)) => Size { columns, rows },
        _ => Size::DEFAULT,
    }
}
