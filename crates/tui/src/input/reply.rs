//! The terminal's replies to queries, as data.

/// A colour as the terminal reports it, eight bits per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Returns whether text on this background should be light.
    pub fn is_dark(self) -> bool {
        let Self(red, green, blue) = self;
        (u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114) / 1000 < 128
    }
}

/// State of a terminal mode (DECRPM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeState {
    /// The terminal does not know the mode.
    Unknown,
    /// Set.
    Set,
    /// Reset.
    Reset,
    /// Permanently set or reset.
    Fixed,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Cursor position (CPR), starting at zero.
    Cursor {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
    },
    /// Primary device attributes (DA1). Every terminal answers this query, so it ends a series of queries.
    Attributes(Vec<u32>),
    /// State of a private mode.
    Mode {
        /// Number of the mode.
        mode: u32,
        /// Its state.
        state: ModeState,
    },
    /// Active kitty keyboard flags.
    KeyboardFlags(u32),
    /// Foreground colour (OSC 10).
    Foreground(Rgb),
    /// Background colour (OSC 11).
    Background(Rgb),
    /// The colour scheme changed, or was asked for (mode 2031): `true` is dark.
    Scheme(bool),
    /// Name and version of the terminal (XTVERSION).
    Version(String),
    /// Size reported in band: rows and columns.
    Size {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// Answer of the kitty graphics protocol.
    Graphics(String),
}

/// Decodes `rgb:RRRR/GGGG/BBBB`, `rgba:…` or `#RRGGBB`.
pub(super) fn colour(text: &str) -> Option<Rgb> {
    if let Some(hex) = text.strip_prefix('#') {
        let digits = hex.len() / 3;
        let part = |at: usize| hex.get(at * digits..(at + 1) * digits).and_then(channel);
        return Some(Rgb(part(0)?, part(1)?, part(2)?));
    }
    let rest = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut parts = rest.split('/').map(channel);
    Some(Rgb(parts.next()??, parts.next()??, parts.next()??))
}

/// Scales one to four hexadecimal digits to eight bits.
fn channel(digits: &str) -> Option<u8> {
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let max = (1_u32 << (4 * digits.len())) - 1;
    u8::try_from(value * 255 / max).ok()
}

/// Decodes an operating system command the terminal sent.
pub(super) fn osc(body: &str) -> Option<Reply> {
    let (number, value) = body.split_once(';')?;
    match number {
        "10" => colour(value).map(Reply::Foreground),
        "11" => colour(value).map(Reply::Background),
        _ => None,
    }
}

/// Decodes a device control string the terminal sent.
pub(super) fn dcs(body: &str) -> Option<Reply> {
    body.strip_prefix(">|")
        .map(|name| Reply::Version(name.chars().filter(|c| !c.is_control()).take(100).collect()))
}
