//! Theme files: JSON with `name`, `appearance`, `vars` and `colors`. The built-in themes are such files.
//!
//! A colour is `"#rrggbb"`, an index of the 256-colour palette, the name of an entry of `vars`, or `""` for the terminal's own.
//! Missing roles are taken from the built-in theme of the same appearance, so that files of older versions still work.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use super::{Appearance, Theme, Token};
use crate::style::{Color, rgb_of};

/// Longer chains of `vars` are refused; they are cycles.
const MAX_CHAIN: usize = 16;

/// A theme file that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThemeError {
    /// The file is not JSON of the expected shape.
    #[error("not a theme file: {0}")]
    Format(#[from] serde_json::Error),
    /// A colour has an unknown form.
    #[error(
        "`{entry}`: \"{value}\" is not a colour (expected \"#rrggbb\", 0-255, a name in `vars`, or \"\")"
    )]
    Color {
        /// Name of the colour.
        entry: String,
        /// The text found there.
        value: String,
    },
    /// Entries of `vars` refer to each other.
    #[error("`{0}`: entries of `vars` refer to each other in a circle")]
    Circle(String),
}

#[derive(Deserialize)]
struct File {
    name: String,
    appearance: Option<String>,
    #[serde(default)]
    vars: BTreeMap<String, Entry>,
    #[serde(default)]
    colors: BTreeMap<String, Entry>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Entry {
    Index(u8),
    Text(String),
}

impl Theme {
    /// Reads a theme file.
    ///
    /// # Errors
    /// [`ThemeError`] names the entry that cannot be used.
    pub fn parse(text: &str) -> Result<Self, ThemeError> {
        let file: File = serde_json::from_str(text)?;
        let mut found: BTreeMap<&'static str, (Token, Color)> = BTreeMap::new();
        for (name, entry) in &file.colors {
            if let Some(token) = Token::named(name) {
                found.insert(token.name(), (token, resolve(name, entry, &file.vars)?));
            }
        }
        let appearance = match file.appearance.as_deref() {
            Some("light") => Appearance::Light,
            Some(_) => Appearance::Dark,
            None => guess(&found),
        };
        // An embedded file has every role and must not ask for itself.
        let mut colors = if found.len() == Token::COUNT {
            [Color::Default; Token::COUNT]
        } else {
            Self::for_appearance(appearance).colors
        };
        for (token, color) in found.into_values() {
            if let Some(slot) = colors.get_mut(token as usize) {
                *slot = color;
            }
        }
        Ok(Self { name: file.name, appearance, colors, has_color: true })
    }
}

/// A file without `appearance`: dark backgrounds of messages mean a dark theme.
fn guess(found: &BTreeMap<&'static str, (Token, Color)>) -> Appearance {
    match found.get(Token::UserMessageBg.name()) {
        Some((_, Color::Rgb(r, g, b))) => Appearance::of_background(*r, *g, *b),
        Some((_, Color::Indexed(index))) => {
            let (r, g, b) = rgb_of(*index);
            Appearance::of_background(r, g, b)
        }
        _ => Appearance::Dark,
    }
}

fn resolve(name: &str, entry: &Entry, vars: &BTreeMap<String, Entry>) -> Result<Color, ThemeError> {
    let mut current = entry;
    for _ in 0..MAX_CHAIN {
        let text = match current {
            Entry::Index(index) => return Ok(Color::Indexed(*index)),
            Entry::Text(text) => text,
        };
        if text.is_empty() {
            return Ok(Color::Default);
        }
        if let Some(color) = hex(text) {
            return Ok(color);
        }
        current = vars
            .get(text)
            .ok_or_else(|| ThemeError::Color { entry: name.to_owned(), value: text.clone() })?;
    }
    Err(ThemeError::Circle(name.to_owned()))
}

fn hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#')?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let byte = |shift: u32| u8::try_from(value >> shift & 0xff).unwrap_or_default();
    let nibble = |shift: u32| u8::try_from((value >> shift & 0xf) * 17).unwrap_or_default();
    match digits.len() {
        6 => Some(Color::Rgb(byte(16), byte(8), byte(0))),
        3 => Some(Color::Rgb(nibble(8), nibble(4), nibble(0))),
        _ => None,
    }
}

const DARK: &str = include_str!("dark.json");
const LIGHT: &str = include_str!("light.json");
const SYSTEM: &str = include_str!("system.json");

impl Theme {
    /// Returns the theme for dark backgrounds.
    pub fn dark() -> Self {
        Self::embedded(DARK)
    }

    /// Returns the theme for light backgrounds.
    pub fn light() -> Self {
        Self::embedded(LIGHT)
    }

    /// Returns the theme that uses only the 16 colours of the terminal's own scheme.
    pub fn system() -> Self {
        Self::embedded(SYSTEM)
    }

    /// Returns the theme without colours.
    pub fn none() -> Self {
        Self {
            name: "none".to_owned(),
            appearance: Appearance::Dark,
            colors: [Color::Default; Token::COUNT],
            has_color: false,
        }
    }

    /// Returns a theme whose colours are the numbers of their roles, to find out which role a span was drawn with.
    pub(crate) fn roles() -> Self {
        let mut theme = Self { has_color: true, ..Self::none() };
        for (index, slot) in (0..).zip(&mut theme.colors) {
            *slot = Color::Indexed(index);
        }
        theme
    }

    fn embedded(text: &str) -> Self {
        // A test reads every embedded file.
        Self::parse(text).unwrap_or_else(|_| Self::none())
    }
}
