//! Signals as the interface receives them.

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The terminal changed its size.
    Resize,
    /// Somebody asks the program to end.
    Terminate,
    /// Ctrl-C from outside; the terminal itself sends it as a key.
    Interrupt,
    /// The terminal is gone.
    HangUp,
    /// Somebody asks the program to stop for a while.
    Stop,
    /// The program continues after a stop.
    Continue,
}
