//! Rendering requests and results: lines as data, drawn by the UI (CONTRACT 6).

use std::time::Duration;

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
    /// Id of the call. Renderers of one call share state; without an id they have none.
    pub tool_call_id: Option<String>,
    /// The arguments are complete; otherwise the model is still writing them.
    pub args_complete: bool,
    /// The call was started.
    pub execution_started: bool,
    /// Images can be shown.
    pub shows_images: bool,
    /// Duration of a finished call.
    pub duration: Option<Duration>,
}

impl RenderOptions {
    /// Requests the collapsed form of a finished call.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            expanded: false,
            is_partial: false,
            spinner_frame: None,
            tool_call_id: None,
            args_complete: true,
            execution_started: true,
            shows_images: false,
            duration: None,
        }
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

    /// Names the call.
    #[must_use]
    pub fn call(mut self, id: impl Into<String>) -> Self {
        self.tool_call_id = Some(id.into());
        self
    }
}

/// The renderers a tool has, and how they are framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderHooks {
    /// It draws its calls.
    pub call: bool,
    /// It draws its results.
    pub result: bool,
    /// It draws its own frame: no box, no background, no padding.
    pub own_frame: bool,
    /// The call is not drawn once there is a result.
    pub merges: bool,
    /// It draws spinner frames itself.
    pub animates: bool,
}

impl RenderHooks {
    /// Returns hooks for the call and the result.
    pub fn new(call: bool, result: bool) -> Self {
        Self { call, result, ..Self::default() }
    }

    /// Returns whether there is a renderer.
    pub fn any(self) -> bool {
        self.call || self.result
    }
}

/// Lines to draw. Each contains only text, SGR sequences and links, and fits the requested width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedLines {
    /// The lines, top to bottom.
    pub lines: Vec<String>,
    /// The component draws its own frame.
    pub is_framed: bool,
}

impl From<Vec<String>> for RenderedLines {
    fn from(lines: Vec<String>) -> Self {
        Self { lines, is_framed: false }
    }
}
