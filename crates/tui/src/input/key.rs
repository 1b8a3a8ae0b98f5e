//! A key with its modifiers.

/// Modifier keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Modifiers {
    /// Control.
    pub ctrl: bool,
    /// Alt, or Option.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
    /// Super, or Command.
    pub command: bool,
}

impl Modifiers {
    /// No modifier.
    pub const NONE: Self = Self { ctrl: false, alt: false, shift: false, command: false };

    /// Decodes the parameter of CSI sequences: one plus a set of bits.
    pub(super) fn from_parameter(parameter: u32) -> Self {
        let bits = parameter.saturating_sub(1);
        Self { shift: bits & 1 != 0, alt: bits & 2 != 0, ctrl: bits & 4 != 0, command: bits & 8 != 0 }
    }
}

/// A key apart from its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyCode {
    /// A character. Letters typed with shift are upper case and have the modifier too.
    Char(char),
    /// Enter.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Clear (keypad five without num lock).
    Clear,
    /// A function key.
    F(u8),
}

/// Press, repeat or release, where the terminal tells them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Pressed.
    #[default]
    Press,
    /// Held.
    Repeat,
    /// Released.
    Release,
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// Modifiers held with it.
    pub modifiers: Modifiers,
    /// Press, repeat or release.
    pub kind: KeyKind,
}

impl Key {
    /// Creates a pressed key.
    pub const fn new(code: KeyCode, modifiers: Modifiers) -> Self {
        Self { code, modifiers, kind: KeyKind::Press }
    }

    /// Creates a pressed key without modifiers.
    pub const fn plain(code: KeyCode) -> Self {
        Self::new(code, Modifiers::NONE)
    }

    /// Creates a typed character.
    pub fn char(c: char) -> Self {
        let shift = c.is_uppercase();
        Self::new(KeyCode::Char(c), Modifiers { shift, ..Modifiers::NONE })
    }

    /// Creates a key with control.
    pub const fn ctrl(c: char) -> Self {
        Self::new(KeyCode::Char(c), Modifiers { ctrl: true, ..Modifiers::NONE })
    }

    /// Adds alt.
    #[must_use]
    pub const fn with_alt(mut self) -> Self {
        self.modifiers.alt = true;
        self
    }

    /// Returns the character this key inserts, if it is one.
    pub fn text(&self) -> Option<char> {
        let Modifiers { ctrl, alt, command, .. } = self.modifiers;
        match self.code {
            KeyCode::Char(c) if !(ctrl || alt || command || c.is_control()) => Some(c),
            _ => None,
        }
    }
}
