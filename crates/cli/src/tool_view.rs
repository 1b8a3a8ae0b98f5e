//! Tool calls on a terminal as the interactive interface shows them (CONTRACT 6): drawn by the tool in a box, or with the
//! default view. `-p`, `call` and `dev` use it.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde_json::Value;
use toolsmith_text::{Appearance, ColorDepth, Row, Theme};
use toolsmith_tool::{Tool, ToolResult};
use toolsmith_tui::{
    blocks::{BlockOptions, ToolBlock, ToolState},
    tool_view::{self, DrawOptions},
};

use crate::terminal;

/// Returns the theme for the terminal.
pub(crate) fn theme() -> &'static Theme {
    static THEME: OnceLock<Theme> = OnceLock::new();
    THEME.get_or_init(|| match depth() {
        ColorDepth::None => Theme::none(),
        ColorDepth::Ansi16 => Theme::system(),
        _ => Theme::for_appearance(appearance(std::env::var("COLORFGBG").ok().as_deref())),
    })
}

/// `COLORFGBG` is `foreground;background`; a light background is 7 or 15.
fn appearance(colours: Option<&str>) -> Appearance {
    match colours.and_then(|colours| colours.rsplit(';').next()) {
        Some("7" | "15") => Appearance::Light,
        _ => Appearance::Dark,
    }
}

/// Returns the colours the terminal can show.
pub(crate) fn depth() -> ColorDepth {
    if !terminal::is_error_coloured() {
        return ColorDepth::None;
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (colours, kind) = (variable("COLORTERM"), variable("TERM"));
    match (colours.as_str(), kind.as_str()) {
        ("truecolor" | "24bit", _) => ColorDepth::TrueColor,
        (_, kind) if kind.contains("256color") || kind.contains("direct") || kind.contains("kitty") => {
            ColorDepth::Ansi256
        }
        _ => ColorDepth::Ansi16,
    }
}

/// A call and its tool.
pub(crate) struct CallView {
    tool: Option<Arc<dyn Tool>>,
    block: ToolBlock,
}

impl CallView {
    /// Creates the view of a running call.
    pub(crate) fn new(tool: Option<Arc<dyn Tool>>, id: &str, name: &str, arguments: Value) -> Self {
        let label = tool.as_ref().map_or_else(|| name.to_owned(), |tool| tool.spec().label.clone());
        let block = ToolBlock { arguments, state: ToolState::Running, ..ToolBlock::new(id, name, label) };
        Self { tool, block }
    }

    /// Returns whether the tool draws its calls.
    pub(crate) fn is_drawn_by_tool(tool: &Arc<dyn Tool>) -> bool {
        tool.render_hooks().any()
    }

    /// Sets a partial result.
    pub(crate) fn update(&mut self, partial: ToolResult) {
        self.block.result = Some(partial);
        self.block.version += 1;
    }

    /// Sets the result.
    pub(crate) fn finish(&mut self, result: ToolResult, is_error: bool, elapsed: Duration) {
        self.block.state = if is_error { ToolState::Failed } else { ToolState::Done };
        self.block.elapsed = Some(elapsed);
        self.update(result);
    }

    /// Draws the call.
    pub(crate) async fn rows(&mut self, columns: usize, expanded: bool) -> Vec<Row> {
        let frame = usize::try_from(self.block.version).unwrap_or_default();
        let mut options = DrawOptions::new(columns);
        options.expanded = expanded;
        options.spinner_frame = frame;
        self.block.drawing = match &self.tool {
            Some(tool) => tool_view::draw(tool, &self.block, &options).await,
            None => None,
        };
        self.block.rows(columns, theme(), &BlockOptions::default().expanded(expanded).spinner_frame(frame))
    }
}

#[cfg(test)]
#[path = "tool_view_tests.rs"]
mod tests;
