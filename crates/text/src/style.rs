//! Colours and text attributes, and how they are reduced for terminals that have fewer.

use std::fmt::Write as _;

/// A colour of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256 palette colours; the first 16 follow the terminal's scheme.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// The number of colours a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColorDepth {
    /// No colours; attributes such as bold remain.
    None,
    /// The 16 colours of the terminal's scheme.
    Ansi16,
    /// The palette of 256.
    Ansi256,
    /// Any.
    #[default]
    TrueColor,
}

/// Text attributes, combined with [`Attributes::with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes(u8);

impl Attributes {
    /// None.
    pub const NONE: Self = Self(0);
    /// Bold.
    pub const BOLD: Self = Self(1);
    /// Faint.
    pub const DIM: Self = Self(2);
    /// Italic.
    pub const ITALIC: Self = Self(4);
    /// Underlined.
    pub const UNDERLINE: Self = Self(8);
    /// Foreground and background exchanged.
    pub const INVERSE: Self = Self(16);
    /// Struck through.
    pub const STRIKE: Self = Self(32);

    /// Attributes with their SGR parameter.
    const PARAMETERS: [(Self, u8); 6] = [
        (Self::BOLD, 1),
        (Self::DIM, 2),
        (Self::ITALIC, 3),
        (Self::UNDERLINE, 4),
        (Self::INVERSE, 7),
        (Self::STRIKE, 9),
    ];

    /// Returns both together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns these without the others.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether all of the others are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Style of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Foreground.
    pub fg: Color,
    /// Background.
    pub bg: Color,
    /// Attributes.
    pub attributes: Attributes,
}

impl Style {
    /// The terminal's own colours, no attributes.
    pub const PLAIN: Self = Self { fg: Color::Default, bg: Color::Default, attributes: Attributes::NONE };

    /// Sets the foreground.
    #[must_use]
    pub const fn fg(mut self, fg: Color) -> Self {
        self.fg = fg;
        self
    }

    /// Sets the background.
    #[must_use]
    pub const fn bg(mut self, bg: Color) -> Self {
        self.bg = bg;
        self
    }

    /// Adds attributes.
    #[must_use]
    pub const fn with(mut self, attributes: Attributes) -> Self {
        self.attributes = self.attributes.with(attributes);
        self
    }

    /// Adds bold.
    #[must_use]
    pub const fn bold(self) -> Self {
        self.with(Attributes::BOLD)
    }

    /// Adds italic.
    #[must_use]
    pub const fn italic(self) -> Self {
        self.with(Attributes::ITALIC)
    }

    /// Adds underline.
    #[must_use]
    pub const fn underline(self) -> Self {
        self.with(Attributes::UNDERLINE)
    }

    /// Adds dim.
    #[must_use]
    pub const fn dim(self) -> Self {
        self.with(Attributes::DIM)
    }

    /// Returns this style where it is set, and `base` elsewhere.
    #[must_use]
    pub fn over(self, base: Self) -> Self {
        Self {
            fg: if self.fg == Color::Default { base.fg } else { self.fg },
            bg: if self.bg == Color::Default { base.bg } else { self.bg },
            attributes: self.attributes.with(base.attributes),
        }
    }

    /// Returns the nearest style a terminal of this depth can show.
    #[must_use]
    pub fn reduced(self, depth: ColorDepth) -> Self {
        let bg = match (depth, self.bg) {
            // A subtle background has no counterpart among 16 colours; the nearest would hide the text.
            (ColorDepth::Ansi16, Color::Indexed(index)) if index < 16 => self.bg,
            (ColorDepth::Ansi16, _) => Color::Default,
            _ => reduce(self.bg, depth),
        };
        Self { fg: reduce(self.fg, depth), bg, attributes: self.attributes }
    }

    /// Returns the SGR sequence that sets exactly this style, whatever was set before.
    pub fn sequence(self, depth: ColorDepth) -> String {
        let style = self.reduced(depth);
        let mut out = String::from("\x1b[0");
        for (attribute, parameter) in Attributes::PARAMETERS {
            if style.attributes.has(attribute) {
                // Writing to a string cannot fail.
                let _ = write!(out, ";{parameter}");
            }
        }
        for (color, is_background) in [(style.fg, false), (style.bg, true)] {
            if color != Color::Default {
                out.push(';');
                out.push_str(&color_parameters(color, is_background));
            }
        }
        out.push('m');
        out
    }
}

/// Returns the SGR parameters of a colour.
pub(crate) fn color_parameters(color: Color, is_background: bool) -> String {
    let base = if is_background { 10 } else { 0 };
    match color {
        Color::Default => (39 + base).to_string(),
        Color::Indexed(index @ 0..=7) => (30 + base + u16::from(index)).to_string(),
        Color::Indexed(index @ 8..=15) => (82 + base + u16::from(index)).to_string(),
        Color::Indexed(index) => format!("{};5;{index}", 38 + base),
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", 38 + base),
    }
}

pub(crate) fn reduce(color: Color, depth: ColorDepth) -> Color {
    match (depth, color) {
        (ColorDepth::None, _) => Color::Default,
        (ColorDepth::Ansi256, Color::Rgb(r, g, b)) => Color::Indexed(nearest_256(r, g, b)),
        (ColorDepth::Ansi16, Color::Rgb(r, g, b)) => Color::Indexed(nearest_16(r, g, b)),
        (ColorDepth::Ansi16, Color::Indexed(index @ 16..)) => {
            let (r, g, b) = rgb_of(index);
            Color::Indexed(nearest_16(r, g, b))
        }
        _ => color,
    }
}

/// The levels of the colour cube of the palette.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn nearest_level(value: u8) -> u8 {
    let distance =
        |level: &u8| LEVELS.get(usize::from(*level)).map_or(u8::MAX, |known| known.abs_diff(value));
    (0..6).min_by_key(distance).unwrap_or(0)
}

fn nearest_256(r: u8, g: u8, b: u8) -> u8 {
    let (cr, cg, cb) = (nearest_level(r), nearest_level(g), nearest_level(b));
    let cube = 16 + 36 * cr + 6 * cg + cb;
    // Greys have a finer scale of their own.
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let step = (mean.saturating_sub(3) / 10).min(23);
    let grey = 232 + u8::try_from(step).unwrap_or(23);
    if distance(rgb_of(grey), (r, g, b)) < distance(rgb_of(cube), (r, g, b)) { grey } else { cube }
}

/// The 16 colours as most terminals show them.
const SCHEME: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 49, 49),
    (13, 188, 121),
    (229, 229, 16),
    (36, 114, 200),
    (188, 63, 188),
    (17, 168, 205),
    (204, 204, 204),
    (118, 118, 118),
    (241, 76, 76),
    (35, 209, 139),
    (245, 245, 67),
    (59, 142, 234),
    (214, 112, 214),
    (41, 184, 219),
    (242, 242, 242),
];

fn nearest_16(r: u8, g: u8, b: u8) -> u8 {
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    if max - min < 32 {
        // Greys: black and white may be the background, so the middle is the safe one.
        return match max {
            0..=40 => 0,
            41..=180 => 8,
            181..=230 => 7,
            _ => 15,
        };
    }
    let hue = |index: &u8| {
        let (sr, sg, sb) = SCHEME.get(usize::from(*index)).copied().unwrap_or_default();
        distance(stretched(sr, sg, sb), stretched(r, g, b))
    };
    (1..7).min_by_key(hue).map_or(7, |index| if max > 215 && min < 150 { index + 8 } else { index })
}

/// The colour with its full saturation and brightness, so that only its hue is compared.
fn stretched(r: u8, g: u8, b: u8) -> (u8, u8, u8) {
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    let range = u32::from(max - min).max(1);
    let stretch = |value: u8| u8::try_from(u32::from(value - min) * 255 / range).unwrap_or(u8::MAX);
    (stretch(r), stretch(g), stretch(b))
}

/// Returns the usual RGB value of a palette colour.
pub(crate) fn rgb_of(index: u8) -> (u8, u8, u8) {
    match index {
        0..=15 => SCHEME.get(usize::from(index)).copied().unwrap_or_default(),
        16..=231 => {
            let level = |step: u8| LEVELS.get(usize::from(step)).copied().unwrap_or_default();
            let at = index - 16;
            (level(at / 36), level(at / 6 % 6), level(at % 6))
        }
        232.. => {
            let value = 8 + 10 * (index - 232);
            (value, value, value)
        }
    }
}

fn distance(one: (u8, u8, u8), other: (u8, u8, u8)) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

#[cfg(test)]
#[path = "style_tests.rs"]
mod tests;
