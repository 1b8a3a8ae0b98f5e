//! Themes: colours by role.
//!
//! A theme file has the format of compatible agents: `name`, `appearance`, `vars` and `colors`. [`Theme::dark`],
//! [`Theme::light`], [`Theme::system`] and [`Theme::none`] are built in. The writer reduces colours to what the terminal can
//! show, so a theme always holds the full ones.

mod file;
mod token;

use serde_json::{Map, Value, json};

use crate::style::{Color, ColorDepth, Style, color_parameters, reduce};

pub use file::ThemeError;
pub use token::Token;

/// Background that a theme is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Appearance {
    /// Light text on a dark background.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
}

impl Appearance {
    /// Returns the appearance for a background colour, by its luminance.
    pub fn of_background(r: u8, g: u8, b: u8) -> Self {
        let luminance = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
        if luminance > 127_500 { Self::Light } else { Self::Dark }
    }
}

/// Colours by role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    appearance: Appearance,
    colors: [Color; Token::COUNT],
    has_color: bool,
}

impl Theme {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is for a dark or a light background.
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// Returns whether it has colours at all.
    pub fn has_color(&self) -> bool {
        self.has_color
    }

    /// Returns the names of the built-in themes.
    pub fn built_in_names() -> &'static [&'static str] {
        &["dark", "light", "system", "none"]
    }

    /// Returns a built-in theme.
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::dark()),
            "light" => Some(Self::light()),
            "system" => Some(Self::system()),
            "none" => Some(Self::none()),
            _ => None,
        }
    }

    /// Returns the built-in theme for a background.
    pub fn for_appearance(appearance: Appearance) -> Self {
        match appearance {
            Appearance::Dark => Self::dark(),
            Appearance::Light => Self::light(),
        }
    }

    /// Returns the colour of a role.
    pub fn color(&self, token: Token) -> Color {
        self.colors.get(token as usize).copied().unwrap_or_default()
    }

    /// Returns the style of a role: its colour as foreground, or as background for the roles that are one.
    pub fn style(&self, token: Token) -> Style {
        let color = self.color(token);
        if token.is_background() { Style::PLAIN.bg(color) } else { Style::PLAIN.fg(color) }
    }

    /// Returns the palette that renderers of tools draw with: SGR parameters by role.
    pub fn palette(&self, depth: ColorDepth) -> Value {
        let (mut colours, mut backgrounds) = (Map::new(), Map::new());
        for token in Token::ALL {
            let (table, is_background) =
                if token.is_background() { (&mut backgrounds, true) } else { (&mut colours, false) };
            let color = match depth {
                ColorDepth::Ansi16 if is_background => Style::PLAIN.bg(self.color(*token)).reduced(depth).bg,
                depth => reduce(self.color(*token), depth),
            };
            table.insert(token.name().to_owned(), color_parameters(color, is_background).into());
        }
        let mode = match depth {
            ColorDepth::None => "none",
            ColorDepth::Ansi16 => "16color",
            ColorDepth::Ansi256 => "256color",
            ColorDepth::TrueColor => "truecolor",
        };
        json!({
            "name": self.name,
            "isLight": self.appearance == Appearance::Light,
            "colours": colours,
            "backgrounds": backgrounds,
            "colorMode": mode,
        })
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
