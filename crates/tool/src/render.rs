//! What a renderer is asked for and what it gives: lines as data, drawn by whoever has a screen (CONTRACT 6).

/// How a call or result is to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Columns available; longer lines are cut.
    pub width: usize,
    /// The long form.
    pub expanded: bool,
    /// The result is an update, not the last word.
    pub is_partial: bool,
    /// Which frame of a spinner to draw, while partial.
    pub spinner_frame: Option<usize>,
}

impl RenderOptions {
    /// The short form of a finished call.
    pub fn new(width: usize) -> Self {
        Self { width, expanded: false, is_partial: false, spinner_frame: None }
    }

    /// Asks for the long form.
    #[must_use]
    pub fn expanded(mut self, expanded: bool) -> Self {
        self.expanded = expanded;
        self
    }

    /// Asks for an unfinished call at one frame of the spinner.
    #[must_use]
    pub fn partial(mut self, spinner_frame: usize) -> Self {
        self.is_partial = true;
        self.spinner_frame = Some(spinner_frame);
        self
    }
}

/// Lines to draw. Each holds text and SGR colour sequences only, and fits the width it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedLines {
    /// The lines, top to bottom.
    pub lines: Vec<String>,
}

impl From<Vec<String>> for RenderedLines {
    fn from(lines: Vec<String>) -> Self {
        Self { lines }
    }
}
