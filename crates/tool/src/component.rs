//! Components that tools draw themselves and that a UI shows: widgets, headers, dialogs, overlays, editors.
//!
//! The tool owns the component, the UI decides when to draw it. A UI draws a component when it is mounted, when the width or
//! the theme changes, and after [`ComponentChange::Render`]; it never polls.

use std::{
    fmt,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::render::RenderedLines;

/// Identifies a component within the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(u32);

impl ComponentId {
    /// Returns an id that was not used before.
    #[expect(clippy::new_without_default, reason = "every id is different")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the id with this number.
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Returns its number.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A component of a tool.
#[async_trait]
pub trait Component: Send + Sync {
    /// Returns its id.
    fn id(&self) -> ComponentId;

    /// Draws it for a width and the size of the screen; `None` if the tool cannot or the tool is gone. A focused component
    /// marks its cursor with `ESC _ pi:c BEL`.
    async fn render(&self, width: usize) -> Option<RenderedLines>;

    /// Passes keys to it, as a terminal sends them.
    async fn input(&self, keys: &str);

    /// Tells it whether it receives keys.
    async fn focus(&self, _focused: bool) {}

    /// Tells it to drop what it computed for another theme.
    async fn invalidate(&self) {}

    /// Returns the text of a component that replaces the editor.
    async fn text(&self) -> Option<String> {
        None
    }

    /// Sets the text of a component that replaces the editor.
    async fn set_text(&self, _text: &str) {}

    /// Returns whether key releases are passed to it.
    fn wants_key_release(&self) -> bool {
        false
    }
}

impl fmt::Debug for dyn Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Component").field(&self.id().number()).finish()
    }
}

/// Something a component asks of the UI that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComponentChange {
    /// Draw it again.
    Render,
    /// Hide or show it; it stays mounted.
    Hidden(bool),
    /// Give it the keys, or take them away.
    Focus(bool),
    /// Remove it. A dialog stays open until it is answered.
    Removed,
    /// A component that replaces the editor submits this text.
    Submit(String),
    /// The text of a component that replaces the editor changed.
    TextChanged(String),
}

/// The place of a widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum WidgetPlacement {
    /// Above the editor.
    #[default]
    AboveEditor,
    /// Below the editor.
    BelowEditor,
}

/// Content of a widget.
#[derive(Clone)]
#[non_exhaustive]
pub enum WidgetContent {
    /// Lines drawn by the tool.
    Lines(Vec<String>),
    /// A live component.
    Component(std::sync::Arc<dyn Component>),
}

impl fmt::Debug for WidgetContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(lines) => f.debug_tuple("Lines").field(lines).finish(),
            Self::Component(component) => fmt::Debug::fmt(&**component, f),
        }
    }
}

/// Placement of a component of `ui.custom`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CustomOptions {
    /// Drawn over the screen; otherwise it replaces the editor.
    pub overlay: Option<OverlayOptions>,
}

/// A length on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Cells.
    Cells(usize),
    /// Percent of the screen.
    Percent(f64),
}

impl Length {
    /// Returns the cells of a screen of this size.
    pub fn cells(self, whole: usize) -> usize {
        match self {
            Self::Cells(cells) => cells,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a share of a screen size, clamped to it"
            )]
            Self::Percent(percent) => (whole as f64 * (percent / 100.0).clamp(0.0, 1.0)).floor() as usize,
        }
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(f64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            Form::Number(cells) => Ok(Self::Cells(cells.clamp(0.0, 10_000.0) as usize)),
            Form::Text(text) => {
                let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok());
                percent.map(Self::Percent).ok_or_else(|| {
                    serde::de::Error::custom(format!(
                        "\"{text}\" is not a length (expected a number or \"50%\")"
                    ))
                })
            }
        }
    }
}

/// The point of the screen that an overlay is placed at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Anchor {
    #[default]
    Center,
    TopLeft,
    TopCenter,
    TopRight,
    LeftCenter,
    RightCenter,
    BottomLeft,
    BottomCenter,
    BottomRight,
}

/// Free cells around an overlay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Margin {
    pub top: usize,
    pub right: usize,
    pub bottom: usize,
    pub left: usize,
}

impl<'de> Deserialize<'de> for Margin {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            All(usize),
            Sides {
                #[serde(default)]
                top: usize,
                #[serde(default)]
                right: usize,
                #[serde(default)]
                bottom: usize,
                #[serde(default)]
                left: usize,
            },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::All(all) => Self { top: all, right: all, bottom: all, left: all },
            Form::Sides { top, right, bottom, left } => Self { top, right, bottom, left },
        })
    }
}

/// Size and place of an overlay.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct OverlayOptions {
    /// Columns; the UI chooses without it.
    pub width: Option<Length>,
    /// At least these columns.
    pub min_width: Option<usize>,
    /// At most these rows.
    pub max_height: Option<Length>,
    /// Place on the screen.
    pub anchor: Anchor,
    /// Columns to the right of the place.
    pub offset_x: i32,
    /// Rows below the place.
    pub offset_y: i32,
    /// First row, instead of the anchor.
    pub row: Option<Length>,
    /// First column, instead of the anchor.
    pub col: Option<Length>,
    /// Free cells around it.
    pub margin: Margin,
    /// It takes the whole screen.
    pub fullscreen: bool,
    /// Keys stay with what has them.
    pub non_capturing: bool,
}

/// The indicator shown while the model works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingIndicator {
    /// Frames; a single one does not move, none hides the indicator.
    pub frames: Vec<String>,
    /// Time between frames.
    pub interval: Option<Duration>,
}

/// The screen that components are drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScreenInfo {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Full colours can be shown.
    pub true_color: bool,
    /// Links can be shown.
    pub hyperlinks: bool,
    /// Protocol for images: `kitty` or `iterm2`.
    pub images: Option<&'static str>,
    /// Keys arrive in the form of kitty's protocol.
    pub kitty_keys: bool,
}

impl Default for ScreenInfo {
    fn default() -> Self {
        Self { columns: 80, rows: 24, true_color: false, hyperlinks: false, images: None, kitty_keys: false }
    }
}

impl ScreenInfo {
    /// Returns a screen of this size.
    pub fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, ..Self::default() }
    }
}

#[cfg(test)]
#[path = "component_tests.rs"]
mod tests;
