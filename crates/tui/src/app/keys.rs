//! What keys do in the interface, outside of panels.

use std::time::{Duration, Instant};

use toolsmith::tool::NoticeLevel;

use super::{effect::Effect, event::Event, interface::App};
use crate::{
    composer::{ComposerEvent, Submission},
    dialog::Step,
    input::{Key, KeyKind},
    keys::Action,
    tty::stop_process_group,
};

/// Two presses within this time are one double press.
const DOUBLE_TIME: Duration = Duration::from_millis(500);

/// Actions of the interface, in the order they are tried before the composer's.
const ACTIONS: &[Action] = &[
    Action::Interrupt,
    Action::Clear,
    Action::Exit,
    Action::Suspend,
    Action::ExternalEditor,
    Action::PasteImage,
    Action::ThinkingCycle,
    Action::ThinkingToggle,
    Action::ToolsExpand,
    Action::ModelSelect,
    Action::ModelCycleForward,
    Action::ModelCycleBackward,
    Action::MessageCopy,
    Action::Dequeue,
    Action::SessionNew,
    Action::SessionTree,
    Action::SessionFork,
    Action::SessionResume,
    Action::Pending,
    Action::Transcript,
    Action::Redraw,
];

impl App {
    pub(super) fn key(&mut self, key: &Key, raw: &[u8]) {
        if key.kind == KeyKind::Release {
            return;
        }
        if self.components.has_taps() && self.panels.is_empty() && !self.bypasses_taps(key) {
            return self.tap(raw);
        }
        self.untapped_key(key, raw);
    }

    /// Returns whether a key is ctrl+c for the second time: a tap that keeps it, or does not answer, cannot prevent quitting.
    fn bypasses_taps(&mut self, key: &Key) -> bool {
        let now = Instant::now();
        self.keys.is(key, Action::Clear)
            && self.last_tapped.replace(now).is_some_and(|last| now.duration_since(last) < DOUBLE_TIME)
    }

    /// Handles a key that every tap has seen.
    pub(super) fn untapped_key(&mut self, key: &Key, raw: &[u8]) {
        self.changed_now();
        let now = Instant::now();
        // A key that answers one question does not answer the next, and one that is held answers none.
        let pressed = Key { kind: KeyKind::Press, ..*key };
        let last = self.last_key.replace((now, pressed)).map(|(last, key)| (last, key == pressed));
        if self.keys.is(key, Action::Clear) && self.stop_asking(now) {
            return;
        }
        if self.panels.takes_key(last, now) {
            return self.panel_key(key, raw);
        }
        if !self.panels.is_empty() {
            // Typed before the question could be read: it belongs to the prompt that is being written.
            if key.text().is_some() && !self.composer.is_empty() {
                self.composer.key(key, &self.keys);
            }
            return;
        }
        if self.has_custom_view() && self.component_key(key, raw) {
            return;
        }
        if self.full_key(key) {
            return;
        }
        if self.shortcut_key(key) {
            return;
        }
        if let Some(action) = self.keys.first(key, ACTIONS)
            && self.act(action, now)
        {
            return;
        }
        if self.component_key(key, raw) {
            return;
        }
        match self.composer.key(key, &self.keys) {
            ComposerEvent::Ignored => {}
            ComposerEvent::Changed => self.complete(),
            ComposerEvent::Submit(sent) => self.submit(sent, false),
            ComposerEvent::FollowUp(sent) => self.submit(sent, true),
        }
    }

    /// ctrl+c in a question of a tool: twice, it stops the run or, if nothing runs, quits. A tool can ask again at once, so the
    /// second press counts also where the question is gone or cannot be answered yet. Returns whether it was the second.
    fn stop_asking(&mut self, now: Instant) -> bool {
        let before = self.last_stop.take().filter(|(last, _)| now.duration_since(*last) < DOUBLE_TIME);
        let Some((_, was_working)) = before else {
            if self.panels.is_asked() {
                let is_working = self.is_working();
                self.last_stop = Some((now, is_working));
                let meaning = if is_working { "stop the run" } else { "quit" };
                let text = format!("Press {} again to {meaning}", self.keys.hint(Action::Clear));
                self.hint = Some((text, now + DOUBLE_TIME));
            }
            return false;
        };
        (self.hint, self.last_clear) = (None, None);
        // A run that ended between both presses is not a reason to quit.
        if !self.stop() && !was_working {
            self.leave(0);
        }
        self.panels.close_asked();
        true
    }

    fn panel_key(&mut self, key: &Key, raw: &[u8]) {
        let keys = self.keys.clone();
        let Some(panel) = self.panels.first() else { return };
        match panel.key(key, raw, &keys) {
            Step::Ignored | Step::Changed => {}
            Step::Close => self.panels.close_first(),
            Step::Do(effect) => self.perform(effect),
            Step::CloseAnd(effect) => {
                self.panels.close_first();
                self.perform(effect);
            }
        }
    }

    pub(super) fn pasted(&mut self, text: &str) {
        self.changed_now();
        if let Some(panel) = self.panels.first() {
            return panel.paste(text);
        }
        if let Some(path) = image_path(text) {
            let path = self.options.cwd.join(path);
            let pasted = text.to_owned();
            return self.spawn_blocking(move || match super::images::read(&path) {
                Ok(image) => Event::Image(Ok(image)),
                // Not an image after all: the text itself.
                Err(_) => Event::Do(Effect::Paste(pasted)),
            });
        }
        self.composer.paste(text);
        self.complete();
    }

    /// Performs an action; returns whether it applied here.
    fn act(&mut self, action: Action, now: Instant) -> bool {
        match action {
            Action::Interrupt => return self.interrupt(now),
            Action::Clear => self.clear(now),
            Action::Exit => match self.composer.is_empty() {
                true => self.leave(0),
                false => return false,
            },
            Action::Suspend => self.suspend(),
            Action::ExternalEditor => self.external_editor(),
            Action::PasteImage => self.paste_image(),
            Action::ThinkingCycle => self.cycle_thinking(),
            Action::ThinkingToggle => {
                self.shows_thinking = !self.shows_thinking;
                let word = if self.shows_thinking { "shown" } else { "hidden" };
                self.notice(NoticeLevel::Info, &format!("Thinking is {word} from now on."));
            }
            Action::ToolsExpand => {
                self.is_expanded = !self.is_expanded;
            }
            Action::ModelSelect => self.perform(Effect::Submit("/model".to_owned())),
            Action::ModelCycleForward => self.cycle_model(1),
            Action::ModelCycleBackward => self.cycle_model(-1),
            Action::MessageCopy => self.perform(Effect::Submit("/copy".to_owned())),
            Action::Dequeue => self.dequeue(),
            Action::SessionNew => self.perform(Effect::Submit("/new".to_owned())),
            Action::SessionTree => self.perform(Effect::Submit("/tree".to_owned())),
            Action::SessionFork => self.perform(Effect::Submit("/fork".to_owned())),
            Action::SessionResume => self.perform(Effect::Submit("/resume".to_owned())),
            Action::Pending => self.perform(Effect::Submit("/pending".to_owned())),
            Action::Transcript => self.perform(Effect::Submit("/transcript".to_owned())),
            Action::Redraw => self.perform(Effect::Submit("/redraw".to_owned())),
            _ => return false,
        }
        true
    }

    /// Escape: closes a menu, stops the run, or, twice, opens the tree.
    fn interrupt(&mut self, now: Instant) -> bool {
        if self.composer.takes_escape() {
            return false;
        }
        if self.stop() {
            return true;
        }
        let is_double = self.last_escape.is_some_and(|last| now.duration_since(last) < DOUBLE_TIME);
        self.last_escape = Some(now);
        if is_double && self.composer.is_empty() {
            self.last_escape = None;
            match self.options.double_escape.as_str() {
                "none" => {}
                command => self.perform(Effect::Submit(format!("/{command}"))),
            }
        }
        true
    }

    fn is_working(&self) -> bool {
        self.shell_cancel.is_some() || self.command_cancel.is_some() || self.running.is_some() || self.is_busy
    }

    /// Stops what runs: a shell command, a command of the session, or the run. Returns whether there is something.
    fn stop(&mut self) -> bool {
        if let Some(cancel) = self.shell_cancel.as_ref().or(self.command_cancel.as_ref()) {
            cancel.cancel("interrupted by the user");
            return true;
        }
        if self.running.is_none() && !self.is_busy {
            return false;
        }
        if let Some(session) = &self.session {
            session.abort("interrupted by the user");
        }
        // Queued messages come back for editing.
        self.dequeue();
        true
    }

    /// ctrl+c: clears the prompt; twice, or on an empty prompt twice, quits. During a run it interrupts first.
    fn clear(&mut self, now: Instant) {
        let is_double = self.last_clear.is_some_and(|last| now.duration_since(last) < DOUBLE_TIME);
        self.last_clear = Some(now);
        if is_double {
            return self.leave(0);
        }
        if self.composer.is_empty() && (self.running.is_some() || self.shell_cancel.is_some()) {
            self.interrupt(now);
            return;
        }
        self.composer.clear();
        self.hint =
            Some((format!("Press {} again to quit", self.keys.hint(Action::Clear)), now + DOUBLE_TIME));
    }

    /// Takes queued messages back into the prompt.
    fn dequeue(&mut self) {
        let mut texts: Vec<String> = self.waiting.drain(..).map(|sent: Submission| sent.text).collect();
        if let Some(session) = &self.session {
            texts.extend(session.agent().clear_queues().iter().map(toolsmith::llm::Message::joined_text));
        }
        self.queued.clear();
        if !texts.is_empty() {
            self.composer.prepend(&texts.join("\n"));
        }
    }

    /// Stops the program as the shell's ctrl+z does, and goes on when it continues.
    pub(super) fn suspend(&mut self) {
        self.erase();
        self.tty.release();
        stop_process_group();
        self.resume();
    }

    /// Leaves an empty row to another program.
    pub(super) fn erase(&mut self) {
        if self.full.is_none() {
            let bytes = self.inline.erase();
            self.tty.output().submit(bytes);
        }
    }

    /// Takes the terminal again after another program had it.
    pub(super) fn resume(&mut self) {
        if self.tty.acquire().is_err() {
            return self.leave(129);
        }
        self.size = self.tty.size();
        if self.full.is_none() {
            self.inline.resize(self.size);
            self.inline.restart();
        }
        self.enter_full();
        self.changed_now();
    }

    /// Attaches an image that was read, or explains why not.
    pub(super) fn attach(&mut self, image: Result<crate::composer::Image, String>) {
        match image {
            Ok(image) => self.composer.attach(image),
            Err(error) => self.notice(NoticeLevel::Warning, &error),
        }
        self.changed();
    }
}

/// A pasted path of an image file, as terminals paste a dropped file: alone, perhaps quoted or with escaped spaces.
fn image_path(text: &str) -> Option<std::path::PathBuf> {
    let text = text.trim();
    if text.is_empty() || text.len() > 4096 || text.contains('\n') {
        return None;
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    let text = text.trim_matches(['\'', '"']).replace("\\ ", " ");
    let path = std::path::PathBuf::from(text);
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    matches!(extension.as_str(), "png" | "jpg" | "jpeg" | "gif" | "webp").then_some(path)
}
