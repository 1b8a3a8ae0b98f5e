//! Input from the terminal: keys, pasted text, mouse, focus and the terminal's replies, decoded from bytes.

mod csi;
mod key;
mod kitty;
mod parser;
mod reply;

pub use key::{Key, KeyCode, KeyKind, Modifiers};
pub use parser::Parser;
pub use reply::{ModeState, Reply, Rgb};

/// One item of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key, with the bytes the terminal sent for it.
    Key {
        /// The decoded key.
        key: Key,
        /// The bytes, as `handleInput` of a component receives them.
        raw: Vec<u8>,
    },
    /// Pasted text.
    Paste(String),
    /// A mouse event.
    Mouse(Mouse),
    /// The terminal window received (`true`) or lost the focus.
    Focus(bool),
    /// A reply of the terminal to a query.
    Reply(Reply),
    /// The terminal is gone: end of input or a read error.
    Closed,
}

/// A mouse event; columns and rows start at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// Kind of event.
    pub action: MouseAction,
    /// Column.
    pub column: usize,
    /// Row.
    pub row: usize,
}

/// Kind of a mouse event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// Wheel up.
    WheelUp,
    /// Wheel down.
    WheelDown,
    /// A button was pressed; the number is that of the button, starting at zero for the left one.
    Press(u8),
    /// A button was released.
    Release(u8),
    /// The mouse moved with a button held.
    Drag(u8),
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
