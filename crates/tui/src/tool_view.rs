//! What tools draw of their calls (CONTRACT 6): asked for in the background, kept until something changes, and never waited
//! for by the screen.
//!
//! A renderer runs on its tool's own thread and may be slow, fail or hang. [`draw`] asks it once; [`ToolViews`] keeps the
//! answers for a screen. A tool whose renderer is slow three times in a row gets the default view.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use toolsmith_text::{Row, parse_row};
use toolsmith_tool::{RenderOptions, RenderedLines, Tool};

use crate::blocks::{ToolBlock, ToolDrawing, ToolState};

/// A renderer that takes longer is slow.
const BUDGET: Duration = Duration::from_millis(50);
/// So many times in a row, and the default view takes its place.
const MAX_OVERRUNS: u32 = 3;
/// Shortest time between two drawings of a running call.
const PARTIAL_INTERVAL: Duration = Duration::from_millis(100);
/// Drawings beyond this are dropped, the oldest first.
const MAX_KEPT: usize = 256;
/// Rows of one drawing; the rest is cut.
const MAX_ROWS: usize = 2000;

/// How a call is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawOptions {
    /// Columns of the transcript.
    pub columns: usize,
    /// Draws the expanded form.
    pub expanded: bool,
    /// Frame of the spinner. Only asked for again if the tool draws it.
    pub spinner_frame: usize,
    /// Number that changes with the theme.
    pub theme_version: u32,
    /// Images can be shown.
    pub shows_images: bool,
}

impl DrawOptions {
    /// Creates options for a width.
    pub fn new(columns: usize) -> Self {
        Self { columns, expanded: false, spinner_frame: 0, theme_version: 0, shows_images: false }
    }
}

/// Asks a tool to draw a call. `None` if the tool has no renderers.
pub async fn draw(tool: &Arc<dyn Tool>, block: &ToolBlock, options: &DrawOptions) -> Option<ToolDrawing> {
    let hooks = tool.render_hooks();
    if !hooks.any() {
        return None;
    }
    let is_partial = block.state.is_live();
    let mut request = RenderOptions::new(ToolBlock::drawing_width(options.columns, hooks.own_frame));
    request.expanded = options.expanded;
    request.is_partial = is_partial;
    request.spinner_frame = is_partial.then_some(options.spinner_frame);
    request.tool_call_id = Some(block.id.clone());
    request.args_complete = block.state != ToolState::Writing;
    request.execution_started = !matches!(block.state, ToolState::Writing | ToolState::Waiting);
    request.shows_images = options.shows_images;
    request.duration = block.elapsed.filter(|_| !is_partial);
    let mut drawing =
        ToolDrawing { own_frame: hooks.own_frame, merges: hooks.merges, ..ToolDrawing::default() };
    if hooks.call && !(hooks.merges && block.result.is_some()) {
        let drawn = tool.render_call(&block.arguments, &request).await;
        drawing.call = drawn.map(|drawn| take_rows(drawn, &mut drawing.own_frame));
    }
    if let Some(result) = block.result.as_ref().filter(|_| hooks.result) {
        let drawn = tool.render_result(result, &request, &block.arguments).await;
        drawing.result = drawn.map(|drawn| take_rows(drawn, &mut drawing.own_frame));
    }
    Some(drawing)
}

fn take_rows(drawn: RenderedLines, own_frame: &mut bool) -> Vec<Row> {
    *own_frame |= drawn.is_framed;
    drawn.lines.iter().take(MAX_ROWS).map(|line| parse_row(line)).collect()
}

/// Request that a drawing was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    version: u64,
    options: DrawOptions,
    /// Counts requests of the tool itself to be drawn again.
    epoch: u64,
}

#[derive(Default)]
struct Entry {
    /// The newest drawing, and what it was made for.
    drawn: Option<(Key, Option<ToolDrawing>)>,
    /// Next request.
    wanted: Option<(Key, Arc<dyn Tool>, ToolBlock)>,
    is_drawing: bool,
    epoch: u64,
    used: u64,
}

#[derive(Default)]
struct State {
    calls: HashMap<String, Entry>,
    overruns: HashMap<String, u32>,
    suspended: HashSet<String>,
    clock: u64,
}

struct Shared {
    state: Mutex<State>,
    on_change: Box<dyn Fn(&str) + Send + Sync>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The drawings of a transcript. Must be used within a tokio runtime.
#[derive(Clone)]
pub struct ToolViews {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for ToolViews {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolViews").field("calls", &self.shared.lock().calls.len()).finish()
    }
}

impl ToolViews {
    /// Creates an empty store. `on_change` is called with the id of a call that has a new drawing, on any thread.
    pub fn new(on_change: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { shared: Arc::new(Shared { state: Mutex::default(), on_change: Box::new(on_change) }) }
    }

    /// Returns the newest drawing of a call; `None` if there is none yet or the tool has no renderers. If it was made for
    /// something else, a new one is requested and `on_change` called when it is there.
    pub fn drawing(
        &self,
        tool: &Arc<dyn Tool>,
        block: &ToolBlock,
        options: DrawOptions,
    ) -> Option<ToolDrawing> {
        let hooks = tool.render_hooks();
        if !hooks.any() {
            return None;
        }
        let mut state = self.shared.lock();
        if state.suspended.contains(&block.name) {
            return None;
        }
        state.clock += 1;
        let clock = state.clock;
        let entry = state.calls.entry(block.id.clone()).or_default();
        entry.used = clock;
        let mut options = options;
        if !hooks.animates || !block.state.is_live() {
            options.spinner_frame = 0;
        }
        let key = Key { version: block.version, options, epoch: entry.epoch };
        let known = entry.drawn.as_ref();
        let is_current = known.is_some_and(|(drawn, _)| *drawn == key);
        let newest = known.and_then(|(_, drawing)| drawing.clone());
        if !is_current {
            entry.wanted = Some((key, Arc::clone(tool), block.clone()));
            if !std::mem::replace(&mut entry.is_drawing, true) {
                let (shared, id) = (Arc::clone(&self.shared), block.id.clone());
                tokio::spawn(async move { redraw(&shared, &id).await });
            }
            state.forget_oldest();
        }
        newest
    }

    /// Returns whether [`ToolViews::drawing`] would return what the call looks like now: the drawing is up to date, or there
    /// will be none.
    pub fn is_current(&self, tool: &Arc<dyn Tool>, block: &ToolBlock, options: DrawOptions) -> bool {
        let hooks = tool.render_hooks();
        let state = self.shared.lock();
        if !hooks.any() || state.suspended.contains(&block.name) {
            return true;
        }
        let mut options = options;
        if !hooks.animates || !block.state.is_live() {
            options.spinner_frame = 0;
        }
        state.calls.get(&block.id).is_some_and(|entry| {
            let key = Key { version: block.version, options, epoch: entry.epoch };
            entry.drawn.as_ref().is_some_and(|(drawn, _)| *drawn == key)
        })
    }

    /// Handles a renderer's own request to be drawn again. The next [`ToolViews::drawing`] asks it.
    pub fn invalidate(&self, id: &str) {
        let mut state = self.shared.lock();
        let is_known = state.calls.get_mut(id).map(|entry| entry.epoch += 1).is_some();
        drop(state);
        if is_known {
            (self.shared.on_change)(id);
        }
    }

    /// Drops everything, as when the session is switched.
    pub fn clear(&self) {
        let mut state = self.shared.lock();
        state.calls.clear();
        state.overruns.clear();
        state.suspended.clear();
    }
}

impl State {
    fn forget_oldest(&mut self) {
        while self.calls.len() > MAX_KEPT {
            let idle = self.calls.iter().filter(|(_, entry)| !entry.is_drawing);
            let Some(oldest) = idle.min_by_key(|(_, entry)| entry.used).map(|(id, _)| id.clone()) else {
                return;
            };
            self.calls.remove(&oldest);
        }
    }

    /// Counts a slow drawing; returns whether the tool gets the default view from now on.
    fn count(&mut self, tool: &str, took: Duration) -> bool {
        if took <= BUDGET {
            self.overruns.remove(tool);
            return false;
        }
        let overruns = self.overruns.entry(tool.to_owned()).or_default();
        *overruns += 1;
        *overruns >= MAX_OVERRUNS && self.suspended.insert(tool.to_owned())
    }
}

/// Draws a call until nothing newer is wanted.
async fn redraw(shared: &Arc<Shared>, id: &str) {
    loop {
        let wanted = {
            let mut state = shared.lock();
            let Some(entry) = state.calls.get_mut(id) else {
                return;
            };
            match entry.wanted.take() {
                Some(wanted) => wanted,
                None => {
                    entry.is_drawing = false;
                    return;
                }
            }
        };
        let (key, tool, block) = wanted;
        let started = Instant::now();
        let drawing = draw(&tool, &block, &key.options).await;
        let took = started.elapsed();
        {
            let mut state = shared.lock();
            if state.count(&block.name, took) {
                tracing::warn!(tool = %block.name, "The tool's renderer is too slow; its calls get the default view");
            }
            if let Some(entry) = state.calls.get_mut(id) {
                entry.drawn = Some((key, drawing));
            }
        }
        (shared.on_change)(id);
        if block.state.is_live() {
            tokio::time::sleep(PARTIAL_INTERVAL.saturating_sub(took)).await;
        }
    }
}

#[cfg(test)]
#[path = "tool_view_tests.rs"]
mod tests;
