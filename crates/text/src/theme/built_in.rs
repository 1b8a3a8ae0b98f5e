//! The built-in themes, as theme files.

use super::{Appearance, Theme, Token};
use crate::style::Color;

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
