//! Components that tools draw: widgets, header, footer, editor and custom views. They are drawn in the background and shown
//! as they were drawn last, so that a slow one never holds up a key (CONTRACT 9.2).

use std::{collections::HashMap, sync::Arc};

use tokio::sync::mpsc;
use toolsmith_tool::{
    CompletionItem, CompletionSource, Component, ComponentChange, ComponentId, CustomOptions, EditorState,
    InputTap, OverlayOptions, WidgetPlacement,
};

use super::{event::Event, interface::App};
use crate::{
    composer::{Submission, completion::Candidate},
    dialog::Drawn,
    input::{Input, Key, Parser},
    keys::Action,
    overlay::{covered, overlay_area, overlay_columns},
    screen::Frame,
    text::{DrawnRow, Row},
    tool_text,
};

/// Rows of a component that are kept.
const MAX_ROWS: usize = 500;
/// Sources of completions, and taps on the input, that tools can add. A key asks each of them.
const MAX_SOURCES: usize = 64;

/// A part of the interface that a component can replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Header,
    Footer,
    Editor,
}

struct Mounted {
    component: Arc<dyn Component>,
    /// The last drawing and its width.
    drawn: Option<(usize, Vec<DrawnRow>)>,
    /// The width of the drawing in progress.
    asked: Option<usize>,
    /// It changed since it was asked.
    is_stale: bool,
    is_hidden: bool,
    keys: mpsc::UnboundedSender<String>,
}

/// A widget as a tool sets it.
pub(super) enum WidgetView {
    /// Lines that are drawn.
    Rows(Vec<Row>),
    Component(Arc<dyn Component>),
}

/// A widget.
enum Widget {
    Rows(Vec<Row>),
    Component(ComponentId),
}

/// Everything tools have mounted.
#[derive(Default)]
pub(super) struct Components {
    mounted: HashMap<ComponentId, Mounted>,
    parts: HashMap<Part, ComponentId>,
    widgets: Vec<(String, Widget, WidgetPlacement)>,
    /// Custom views, the newest last; it has the focus.
    customs: Vec<(ComponentId, CustomOptions)>,
    sources: Vec<Arc<dyn CompletionSource>>,
    taps: Vec<(ComponentId, Arc<dyn InputTap>)>,
}

impl Components {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn mount(&mut self, component: Arc<dyn Component>) -> ComponentId {
        let id = component.id();
        let (keys, mut incoming) = mpsc::unbounded_channel::<String>();
        let receiver = Arc::clone(&component);
        tokio::spawn(async move {
            while let Some(keys) = incoming.recv().await {
                receiver.input(&keys).await;
            }
        });
        let mounted = Mounted { component, drawn: None, asked: None, is_stale: true, is_hidden: false, keys };
        self.mounted.insert(id, mounted);
        id
    }

    fn unmount(&mut self, id: ComponentId) {
        self.mounted.remove(&id);
        self.customs.retain(|(known, _)| *known != id);
        self.parts.retain(|_, known| *known != id);
        self.widgets.retain(|(_, widget, _)| !matches!(widget, Widget::Component(known) if *known == id));
    }

    /// Returns the custom view with the focus.
    fn focused(&self) -> Option<(ComponentId, &CustomOptions)> {
        let visible = |id: &ComponentId| self.mounted.get(id).is_some_and(|mounted| !mounted.is_hidden);
        self.customs
            .iter()
            .rev()
            .find(|(id, options)| {
                visible(id) && !options.overlay.as_ref().is_some_and(|overlay| overlay.non_capturing)
            })
            .map(|(id, options)| (*id, options))
    }

    /// Returns the overlays that are shown, the topmost last.
    fn overlays(&self) -> Vec<(ComponentId, OverlayOptions)> {
        let visible = |id: &ComponentId| self.mounted.get(id).is_some_and(|mounted| !mounted.is_hidden);
        self.customs
            .iter()
            .filter(|(id, _)| visible(id))
            .filter_map(|(id, options)| Some((*id, options.overlay.clone()?)))
            .collect()
    }

    pub(super) fn has_overlays(&self) -> bool {
        !self.overlays().is_empty()
    }

    pub(super) fn has_taps(&self) -> bool {
        !self.taps.is_empty()
    }
}

impl App {
    /// Returns the last drawing of a component, and asks for a new one if it is out of date.
    fn component_rows(&mut self, id: ComponentId, columns: usize) -> Drawn {
        let events = self.events.clone();
        let Some(mounted) = self.components.mounted.get_mut(&id) else { return Drawn::default() };
        let is_current =
            mounted.drawn.as_ref().is_some_and(|(width, _)| *width == columns) && !mounted.is_stale;
        if !is_current && mounted.asked.is_none() {
            (mounted.asked, mounted.is_stale) = (Some(columns), false);
            let component = Arc::clone(&mounted.component);
            tokio::spawn(async move {
                let lines = component.render(columns).await.map(|rendered| rendered.lines);
                // Cut here, not by the task that owns the screen.
                let drawn = |line: &String| tool_text::drawn(line, columns);
                let rows = lines.map(|lines| lines.iter().take(MAX_ROWS).map(drawn).collect());
                events.send(Event::Drawn(id, columns, rows));
            });
        }
        let mut drawn = Drawn::default();
        for (at, row) in mounted.drawn.iter().flat_map(|(_, rows)| rows).enumerate() {
            if let Some(column) = row.cursor {
                drawn.cursor = Some((at, column));
            }
            drawn.rows.push(row.row.clone().cut(columns));
        }
        drawn
    }

    pub(super) fn component_drawn(&mut self, id: ComponentId, columns: usize, rows: Option<Vec<DrawnRow>>) {
        let Some(mounted) = self.components.mounted.get_mut(&id) else { return };
        mounted.asked = None;
        // One that cannot be drawn keeps what it showed.
        if let Some(rows) = rows {
            mounted.drawn = Some((columns, rows));
        } else if mounted.drawn.is_none() {
            mounted.drawn = Some((columns, Vec::new()));
        }
    }

    pub(super) fn component_changed(&mut self, id: ComponentId, change: ComponentChange) {
        match change {
            ComponentChange::Removed => {
                self.components.unmount(id);
                let widgets = &self.components.widgets;
                self.bridge.shared().widgets.retain(|key| widgets.iter().any(|(known, ..)| known == key));
            }
            ComponentChange::Submit(text) => self.submit(Submission { text, images: Vec::new() }, false),
            ComponentChange::TextChanged(text) => self.bridge.shared().text = text,
            ComponentChange::Hidden(is_hidden) => {
                if let Some(mounted) = self.components.mounted.get_mut(&id) {
                    mounted.is_hidden = is_hidden;
                }
            }
            ComponentChange::Focus(true) => {
                if let Some(at) = self.components.customs.iter().position(|(known, _)| *known == id) {
                    let custom = self.components.customs.remove(at);
                    self.components.customs.push(custom);
                }
            }
            _ => {
                if let Some(mounted) = self.components.mounted.get_mut(&id) {
                    mounted.is_stale = true;
                }
            }
        }
        self.changed_now();
    }

    pub(super) fn open_custom(&mut self, component: Arc<dyn Component>, options: CustomOptions) {
        let id = self.components.mount(Arc::clone(&component));
        self.components.customs.push((id, options));
        tokio::spawn(async move { component.focus(true).await });
    }

    pub(super) fn set_part(&mut self, part: Part, component: Option<Arc<dyn Component>>) {
        if let Some(old) = self.components.parts.remove(&part) {
            self.components.unmount(old);
        }
        if let Some(component) = component {
            let id = self.components.mount(component);
            self.components.parts.insert(part, id);
        }
    }

    pub(super) fn set_widget(
        &mut self,
        key: String,
        content: Option<WidgetView>,
        placement: WidgetPlacement,
    ) {
        if let Some(at) = self.components.widgets.iter().position(|(known, ..)| *known == key)
            && let (_, Widget::Component(id), _) = self.components.widgets.remove(at)
        {
            self.components.unmount(id);
        }
        let widget = match content {
            Some(WidgetView::Rows(rows)) => Widget::Rows(rows),
            Some(WidgetView::Component(component)) => Widget::Component(self.components.mount(component)),
            None => return,
        };
        self.components.widgets.push((key, widget, placement));
    }

    /// Rows of the widgets at a place.
    pub(super) fn widget_rows(
        &mut self,
        placement: WidgetPlacement,
        columns: usize,
        limit: usize,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut ids = Vec::new();
        for (_, widget, place) in &self.components.widgets {
            if *place != placement {
                continue;
            }
            match widget {
                Widget::Rows(lines) => {
                    let room = limit.saturating_sub(rows.len());
                    rows.extend(lines.iter().take(room).map(|row| row.clone().cut(columns)));
                }
                Widget::Component(id) => ids.push(*id),
            }
        }
        for id in ids {
            rows.extend(self.component_rows(id, columns).rows);
        }
        rows.truncate(limit);
        rows
    }

    /// Draws the component that replaces a part; `None` if there is none.
    pub(super) fn part_rows(&mut self, part: Part, columns: usize) -> Option<Drawn> {
        let id = *self.components.parts.get(&part)?;
        Some(self.component_rows(id, columns))
    }

    /// Draws the custom view with the focus that takes the place of the composer.
    pub(super) fn custom_rows(&mut self, columns: usize) -> Option<Drawn> {
        let (id, _) = self.components.focused().filter(|(_, options)| options.overlay.is_none())?;
        Some(self.component_rows(id, columns))
    }

    /// Draws the overlays over the rows of a whole screen. Moves the caret to the overlay with the focus.
    pub(super) fn draw_overlays(&mut self, frame: &mut Frame) {
        let focused = self.components.focused().map(|(id, _)| id);
        let (columns, rows) = (self.columns(), self.size.rows);
        for (id, options) in self.components.overlays() {
            let drawn = self.component_rows(id, overlay_columns(&options, columns));
            let area = overlay_area(&options, drawn.rows.len(), columns, rows);
            frame.rows.resize_with(rows.max(frame.rows.len()), Row::new);
            for (at, over) in drawn.rows.into_iter().take(area.rows).enumerate() {
                if let Some(row) = frame.rows.get_mut(area.row + at) {
                    *row = covered(std::mem::take(row), over, area);
                }
            }
            if focused == Some(id) && self.panels.is_empty() {
                frame.shows_cursor = drawn.cursor.is_some();
                let (row, column) = drawn.cursor.unwrap_or_default();
                frame.cursor = (area.row + row, area.column + column);
            }
        }
    }

    /// Gives a key to the custom view, or to the editor that a tool provides. Returns whether there is one.
    pub(super) fn component_key(&mut self, key: &Key, raw: &[u8]) -> bool {
        let custom = self.components.focused().map(|(id, _)| id);
        let editor = || self.components.parts.get(&Part::Editor).copied();
        let Some(id) = custom.or_else(editor) else { return false };
        // A view that does not answer can always be left.
        if custom.is_some() && self.keys.is(key, Action::Clear) {
            let now = std::time::Instant::now();
            let is_double = self.last_clear.is_some_and(|last| now.duration_since(last).as_millis() < 500);
            self.last_clear = Some(now);
            if is_double {
                self.components.unmount(id);
                return true;
            }
        }
        if let Some(mounted) = self.components.mounted.get(&id) {
            let _ = mounted.keys.send(String::from_utf8_lossy(raw).into_owned());
        }
        true
    }

    /// Returns whether a custom view has the focus.
    pub(super) fn has_custom_view(&self) -> bool {
        self.components.focused().is_some()
    }

    pub(super) fn add_source(&mut self, source: Arc<dyn CompletionSource>) {
        if self.components.sources.len() >= MAX_SOURCES {
            return tracing::warn!("A source of completions was not added: {MAX_SOURCES} are in use");
        }
        self.components.sources.push(source);
    }

    /// Asks the sources of tools for completions; returns whether there are any.
    pub(super) fn ask_sources(&self, number: u64) -> bool {
        if self.components.sources.is_empty() {
            return false;
        }
        let (text, cursor) = self.composer.raw();
        let before = text.get(..cursor).unwrap_or_default();
        let state = EditorState {
            lines: text.split('\n').map(str::to_owned).collect(),
            cursor_line: before.matches('\n').count(),
            cursor_col: before.rsplit('\n').next().map_or(0, |line| line.chars().count()),
        };
        let sources = self.components.sources.clone();
        self.spawn(async move {
            for source in sources.iter().rev() {
                if let Some(found) = source.suggest(&state, false).await
                    && !found.items.is_empty()
                {
                    let start = cursor.saturating_sub(found.prefix.len());
                    let candidates = found.items.into_iter().map(candidate).collect();
                    return Event::Candidates(number, candidates, start..cursor);
                }
            }
            Event::Redraw
        });
        true
    }

    pub(super) fn set_tap(&mut self, id: ComponentId, tap: Option<Arc<dyn InputTap>>) {
        self.components.taps.retain(|(known, _)| *known != id);
        if tap.is_some() && self.components.taps.len() >= MAX_SOURCES {
            return tracing::warn!("A tap on the input was not added: {MAX_SOURCES} are in use");
        }
        self.components.taps.extend(tap.map(|tap| (id, tap)));
    }

    /// Lets the taps see a key first.
    pub(super) fn tap(&self, raw: &[u8]) {
        let taps: Vec<_> = self.components.taps.iter().map(|(_, tap)| Arc::clone(tap)).collect();
        let mut data = String::from_utf8_lossy(raw).into_owned();
        self.spawn(async move {
            for tap in taps {
                let tapped = tap.tap(&data).await;
                if tapped.consume {
                    return Event::Redraw;
                }
                data = tapped.data.unwrap_or(data);
            }
            Event::Tapped(data.into_bytes())
        });
    }

    /// Handles what the taps left.
    pub(super) fn tapped(&mut self, bytes: &[u8]) {
        let (mut parser, mut inputs) = (Parser::default(), Vec::new());
        parser.push(bytes, &mut inputs);
        parser.flush(&mut inputs);
        for input in inputs {
            if let Input::Key { key, raw } = input {
                self.untapped_key(&key, &raw);
            }
        }
    }

    /// Publishes what tools may ask for at any time.
    pub(super) fn publish(&self) {
        let mut shared = self.bridge.shared();
        (shared.screen.columns, shared.screen.rows) = (self.size.columns, self.size.rows);
        shared.screen.true_color = self.options.depth == crate::text::ColorDepth::TrueColor;
        shared.screen.hyperlinks = true;
        if self.composer.revision() != shared.text_revision {
            (shared.text_revision, shared.text) = (self.composer.revision(), self.composer.text());
        }
        shared.is_expanded = self.is_expanded;
        if shared.theme_version != self.theme_version {
            shared.theme_version = self.theme_version;
            shared.palette = self.theme.palette(self.options.depth);
            shared.depth = self.options.depth;
            shared.cwd.clone_from(&self.options.cwd);
            shared.themes = self.theme_names();
            let keys =
                Action::ALL.iter().map(|info| (info.id.to_owned(), self.keys.names(info.action).into()));
            shared.keys = serde_json::Value::Object(keys.collect());
        }
    }
}

fn candidate(item: CompletionItem) -> Candidate {
    let label = if item.label.is_empty() { item.value.clone() } else { item.label };
    Candidate { label, detail: item.description.unwrap_or_default(), text: item.value, submits: false }
}
