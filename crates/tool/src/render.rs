//! Rendering requests and results: lines as data, drawn by the UI (CONTRACT 6).

/// How to draw a call or result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Available columns; longer lines are cut.
    pub width: usize,
    /// Draws the expanded form.
    pub expanded: bool,
    /// The result is a partial update.
    pub is_partial: bool,
    /// Frame of the spinner, while partial.
    pub spinner_frame: Option<usize>,
}

impl RenderOptions {
    /// Requests the collapsed form of a finished call.
    pub fn new(width: usize) -> Self {
        Self { width, expanded: false, is_partial: false, spinner_frame: None }
    }

    /// Requests the expanded form.
    #[must_use]
    pub fn expanded(mut self, expanded: bool) -> Self {
        self.expanded = expanded;
        self
    }

    /// Requests an unfinished call with this spinner frame.
    #[must_use]
    pub fn partial(mut self, spinner_frame: usize) -> Self {
        self.is_partial = true;
        self.spinner_frame = Some(spinner_frame);
        self
    }
}

/// Lines to draw. Each contains only text and SGR sequences, and fits the requested width.
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
