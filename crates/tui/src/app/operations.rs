//! Sending prompts, and what effects and background events lead to.

use std::sync::Arc;

use toolsmith::{Prompt, SessionSource, agent::session::Sessions, llm::ThinkingLevel, tool::NoticeLevel};

use super::{
    effect::Effect,
    event::Event,
    images,
    interface::{App, QueuedMessage},
};
use crate::{
    composer::{
        Submission,
        completion::{Candidate, FileIndex, Trigger},
    },
    text::{Row, Token},
    tool_text::MAX_PROMPT,
};

impl App {
    /// Sends what was written: a command, a shell command, or a prompt.
    pub(super) fn submit(&mut self, sent: Submission, is_follow_up: bool) {
        let text = sent.text.trim();
        if text.is_empty() && sent.images.is_empty() {
            return;
        }
        if let Some(command) = text.strip_prefix('/') {
            // What the command opens was asked for.
            self.last_key = None;
            let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            return self.command(name, argument.trim());
        }
        if let Some(command) = text.strip_prefix('!') {
            let (command, is_private) = match command.strip_prefix('!') {
                Some(command) => (command, true),
                None => (command, false),
            };
            let command = command.trim().to_owned();
            return self.run_shell(&command, is_private);
        }
        let Some(session) = self.session.clone().filter(|_| !self.is_busy) else { return self.wait(sent) };
        let prompt = Self::prompt_of(&sent);
        if self.running.is_none() {
            return self.send_prompt(prompt);
        }
        let outcome = if is_follow_up { session.follow_up(prompt) } else { session.steer(prompt) };
        match outcome {
            Ok(()) => self.queued.push(QueuedMessage { text: sent.text, is_follow_up }),
            Err(error) => self.notice(NoticeLevel::Error, &error.to_string()),
        }
    }

    fn prompt_of(sent: &Submission) -> Prompt {
        let prompt = Prompt::from(sent.text.clone());
        sent.images.iter().fold(prompt, |prompt, image| prompt.image(&image.data, &image.mime_type))
    }

    pub(super) fn send_prompt(&mut self, prompt: Prompt) {
        let Some(session) = &self.session else { return };
        match session.prompt(prompt) {
            Ok(()) => self.running = Some(std::time::Instant::now()),
            Err(error) => self.notice(NoticeLevel::Error, &error.to_string()),
        }
        self.changed_now();
    }

    /// Sends what was queued too late for the run that ended, and what waited for the session.
    fn became_idle(&mut self) {
        if self.running.is_some() {
            return;
        }
        let late = self.session.as_ref().map(|session| session.agent().clear_queues()).unwrap_or_default();
        self.queued.clear();
        for message in late {
            let said = match message {
                toolsmith::llm::Message::User(said) => said,
                // Of an extension: it waits for the next run.
                other => {
                    self.session.iter().for_each(|session| session.agent().steer_message(other.clone()));
                    continue;
                }
            };
            let prompt = Prompt::new(said.content);
            match (&self.session, self.running) {
                (Some(session), Some(_)) => drop(session.steer(prompt)),
                _ => self.send_prompt(prompt),
            }
        }
        self.send_waiting();
    }

    /// Handles what background work reports.
    pub(super) fn event(&mut self, event: Event) {
        match event {
            Event::Trust(question) => self.trust_known(question),
            Event::Opened(opened) => self.opened(*opened),
            // A question of a call that was stopped meanwhile does not appear.
            Event::Panel(id, panel, cancel) if !cancel.is_cancelled() => self.panels.push(Some(id), panel),
            Event::Panel(..) => {}
            Event::ClosePanel(id) => self.panels.close(id),
            Event::Notice(level, text) => self.notice(level, &text),
            Event::Status(key, row) => {
                match row {
                    Some(row) => self.status.entries.insert(key, row),
                    None => self.status.entries.remove(&key),
                };
            }
            Event::Widget(key, content, placement) => self.set_widget(key, content, placement),
            Event::Custom(component, options) => self.open_custom(component, options),
            Event::Part(part, component) => self.set_part(part, component),
            Event::ComponentChanged(id, change) => self.component_changed(id, change),
            Event::Drawn(id, columns, lines) => self.component_drawn(id, columns, lines),
            Event::CallChanged(id) => self.views.invalidate(&id),
            Event::Working(text) => self.status.working = text,
            Event::Indicator(indicator) => self.status.indicator = indicator,
            Event::WorkingVisible(is_visible) => self.status.is_hidden = !is_visible,
            Event::ThinkingLabel(label) => self.thinking_label = label,
            Event::Completions(source) => self.add_source(source),
            Event::Tap(id, tap) => self.set_tap(id, tap),
            Event::Tapped(bytes) => self.tapped(&bytes),
            Event::Expanded(is_expanded) => self.is_expanded = is_expanded,
            Event::Title(title) => {
                self.title = Some(title);
                self.title_dirty = true;
            }
            Event::EditorText(text) => self.perform(Effect::SetText(text)),
            Event::EditorPaste(text) => self.tool_paste(&text),
            Event::History(prompts) => self.composer.history_mut().prepend(prompts),
            Event::Files(files) => {
                self.files = Some(files);
                self.complete();
            }
            Event::Candidates(number, candidates, range) => {
                if number == self.completion && self.composer.trigger().is_some() {
                    self.composer.offer(candidates, range);
                }
            }
            Event::Image(image) => self.attach(image),
            Event::Switched(outcome) => self.switched(outcome),
            Event::Compacted(outcome) => {
                (self.is_busy, self.running, self.status.working) = (false, None, None);
                if let Err(error) = outcome {
                    self.notice(NoticeLevel::Error, &format!("The session was not compacted: {error}"));
                }
                self.send_waiting();
            }
            Event::ShellOutput(id, text) => self.shell_output(id, &text),
            Event::ShellEnd(id, end) => self.shell_end(id, end),
            Event::MessageDrawn(id, lines) => self.message_drawn(id, lines),
            Event::CommandEnded(outcome) => self.command_ended(outcome),
            Event::Do(effect) => self.perform(effect),
            Event::Idle => self.became_idle(),
            Event::Redraw => {}
            Event::Hooks(found) => self.show_hooks(*found),
            Event::Branch(branch) => self.status.branch = branch,
        }
        self.changed();
    }

    /// Does what a panel or command asks for.
    pub(super) fn perform(&mut self, effect: Effect) {
        self.changed_now();
        match effect {
            Effect::Open(panel) => self.panels.push_front(panel),
            Effect::Notice(text) => self.notice(NoticeLevel::Info, &text),
            Effect::Error(text) => self.notice(NoticeLevel::Error, &text),
            Effect::Submit(text) => self.submit(Submission { text, images: Vec::new() }, false),
            Effect::SetText(text) => self.composer.set_text(&text),
            Effect::Paste(text) => self.composer.paste(&text),
            Effect::Reopen(source) => self.reopen(source),
            Effect::Switch(path) => {
                let name = path.display().to_string();
                self.operate(move |session| async move { session.switch(&name).await });
            }
            Effect::Rename(path, name) => self.rename(path, name),
            Effect::Delete(path) => self.delete(path),
            Effect::GoTo(id, summarise) => {
                let abandoned = match summarise {
                    true => toolsmith::AbandonedBranch::Summarise,
                    false => toolsmith::AbandonedBranch::Drop,
                };
                self.operate(move |session| async move { session.go_to(Some(&id), abandoned).await });
            }
            Effect::Branch(id) => self.operate(move |session| async move { session.branch(&id).await }),
            Effect::Label(id, label) => {
                if let Some(session) = &self.session
                    && let Err(error) = session.set_label(&id, label.as_deref())
                {
                    self.notice(NoticeLevel::Error, &error.to_string());
                }
            }
            Effect::SetModel(name) => self.set_model(name),
            Effect::SetThinking(level) => self.set_thinking(&level),
            Effect::SetTheme(name) => self.set_theme(&name),
            Effect::SetSetting(key, value) => match self.host.set_setting(&key, &value) {
                Ok(()) => self.notice(NoticeLevel::Info, &format!("{key} is {value} from now on.")),
                Err(error) => self.notice(NoticeLevel::Error, &error),
            },
            Effect::AskKey(name, variable) => {
                let title = format!("Key for {name} (stored as {variable}, for you alone)");
                let dialog = crate::dialog::TextDialog::line(&title, move |key| {
                    key.filter(|key| !key.trim().is_empty()).map(|key| Effect::StoreKey(variable, key))
                });
                self.panels.push_front(Box::new(dialog.secret()));
            }
            Effect::StoreKey(variable, key) => match self.host.store_key(&variable, &key) {
                Ok(()) => {
                    self.notice(NoticeLevel::Info, &format!("Stored {variable}."));
                    self.reopen(None);
                }
                Err(error) => self.notice(NoticeLevel::Error, &error),
            },
            Effect::Trust(is_trusted) => {
                if let Err(error) = self.host.answer_trust(is_trusted) {
                    self.notice(NoticeLevel::Error, &error);
                }
                self.reopen(None);
            }
            Effect::Apply(choice, files) => self.apply_pending(choice, files),
            Effect::Discard(choice) => self.discard_pending(choice),
            Effect::Undo(id) => self.undo(id),
            Effect::Demo => {
                self.exit.get_or_insert(super::host::Exit { starts_demo: true, ..Default::default() });
            }
            Effect::Quit => self.leave(0),
        }
    }

    /// Runs an operation that may switch the session.
    pub(super) fn operate<F>(&mut self, work: impl FnOnce(toolsmith::Session) -> F + Send + 'static)
    where
        F: Future<Output = Result<toolsmith::SessionSwitched, toolsmith::OperationError>> + Send + 'static,
    {
        let Some(session) = self.session.clone() else { return };
        self.is_busy = true;
        self.spawn(async move { Event::Switched(work(session).await.map_err(|error| error.to_string())) });
    }

    fn switched(&mut self, outcome: Result<toolsmith::SessionSwitched, String>) {
        self.is_busy = false;
        match outcome {
            Ok(switched) => {
                self.queued.clear();
                self.restore_transcript();
                self.refresh_status();
                let queued = switched.queued.iter().map(toolsmith::llm::Message::joined_text);
                let text: Vec<String> = queued.chain(switched.text).collect();
                if !text.is_empty() {
                    self.composer.prepend(&text.join("\n"));
                }
            }
            Err(error) => self.notice(NoticeLevel::Error, &error),
        }
        self.send_waiting();
    }

    /// Builds the session again with what is on the disk now: tools, settings, trust.
    fn reopen(&mut self, source: Option<SessionSource>) {
        match self.session.take() {
            None => self.open(source),
            Some(session) => {
                let same = session
                    .log()
                    .file()
                    .filter(|file| file.exists())
                    .map(|file| SessionSource::Named(file.display().to_string()));
                self.subscription = None;
                self.components.clear();
                self.bridge.shared().widgets.clear();
                self.views.clear();
                self.is_busy = true;
                self.spawn(async move {
                    session.dispose().await;
                    Event::Do(Effect::Reopen(source.or(same)))
                });
            }
        }
    }

    fn rename(&mut self, path: std::path::PathBuf, name: String) {
        let is_open =
            self.session.as_ref().is_some_and(|session| session.log().file() == Some(path.as_path()));
        let sessions = Sessions::at(self.options.home.toolsmith());
        let outcome = match (&self.session, is_open) {
            (Some(session), true) => session.set_name(&name).map_err(|error| error.to_string()),
            _ => sessions.open(&path).map_err(|error| error.to_string()).and_then(|log| {
                let named = log.set_name(&name).map_err(|error| error.to_string());
                let closed = log.close().map_err(|error| error.to_string());
                named.map(|_| ()).and(closed)
            }),
        };
        match outcome {
            Ok(()) => self.refresh_status(),
            Err(error) => self.notice(NoticeLevel::Error, &format!("The session was not renamed: {error}")),
        }
    }

    fn delete(&mut self, path: std::path::PathBuf) {
        let is_open =
            self.session.as_ref().is_some_and(|session| session.log().file() == Some(path.as_path()));
        if is_open {
            return self.notice(
                NoticeLevel::Warning,
                "The current session cannot be deleted. Start another with /new first.",
            );
        }
        if let Err(error) = Sessions::at(self.options.home.toolsmith()).remove(&path) {
            self.notice(NoticeLevel::Error, &format!("The session was not deleted: {error}"));
        }
    }

    fn set_model(&mut self, name: String) {
        let Some(session) = self.session.clone() else { return };
        self.spawn(async move {
            Event::Do(match session.set_model(&name).await {
                Ok(model) => Effect::Notice(format!("Model: {}", model.reference())),
                Err(error) => Effect::Error(error.to_string()),
            })
        });
    }

    pub(super) fn set_thinking(&mut self, level: &str) {
        let Some(session) = &self.session else { return };
        let outcome = match level.parse::<ThinkingLevel>() {
            Ok(level) => session.set_thinking(level).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = outcome {
            self.notice(NoticeLevel::Error, &error);
        }
        self.refresh_status();
    }

    pub(super) fn cycle_thinking(&mut self) {
        let Some(session) = &self.session else { return };
        if !session.agent().model().thinking.is_supported() {
            return self.notice(NoticeLevel::Info, "This model has no thinking levels.");
        }
        let current = session.agent().thinking();
        let at = ThinkingLevel::ALL.iter().position(|level| *level == current).unwrap_or(0);
        let next = ThinkingLevel::ALL.get((at + 1) % ThinkingLevel::ALL.len()).copied().unwrap_or_default();
        self.set_thinking(next.as_str());
    }

    pub(super) fn cycle_model(&mut self, by: isize) {
        let Some(current) = self.session.as_ref().map(|session| session.agent().model().reference()) else {
            return;
        };
        let host = Arc::clone(&self.host);
        self.spawn(async move {
            let models = host.models().await;
            let count = isize::try_from(models.len()).unwrap_or(0);
            let at = models.iter().position(|model| model.reference == current);
            let next = at.and_then(|at| isize::try_from(at).ok()).map_or(0, |at| at + by);
            let next = usize::try_from(next.checked_rem_euclid(count).unwrap_or(0)).unwrap_or(0);
            Event::Do(match models.get(next) {
                Some(model) if model.reference != current => Effect::SetModel(model.reference.clone()),
                _ => Effect::Notice("There is no other model with a key.".to_owned()),
            })
        });
    }

    fn set_theme(&mut self, name: &str) {
        self.options.theme = Some(name.to_owned());
        self.theme = super::start::theme(&self.options, self.background);
        self.theme_version += 1;
        self.inline.forget();
    }

    /// Reads what the status line shows from the session.
    pub(super) fn refresh_status(&mut self) {
        let Some(session) = &self.session else { return };
        let model = session.agent().model();
        self.status.has_thinking = model.thinking.is_supported();
        self.status.context_window = model.context_window;
        self.status.model = model.reference();
        self.status.thinking = session.agent().thinking().as_str().to_owned();
        self.status.approval = session.agent().dispatcher().approval_settings().mode.as_str().to_owned();
        self.status.session_name = session.log().name();
        self.status.pending = session.pending_actions().len();
        self.title_dirty = true;
        self.refresh_pending();
    }

    pub(super) fn refresh_pending(&mut self) {
        let actions = self.session.as_ref().map(toolsmith::Session::pending_actions).unwrap_or_default();
        let hint = self.keys.hint(crate::keys::Action::Pending);
        let style = self.style(Token::Warning);
        self.pending_row = actions.first().map(|top| {
            let more = match actions.len() {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            let files = match top.files.len() {
                0 => String::new(),
                1 => " (1 file)".to_owned(),
                count => format!(" ({count} files)"),
            };
            Row::styled(
                format!("◆ Pending: {}{files}{more}", toolsmith_tool::visible_line(&top.label)),
                style,
            )
            .and(format!("  {hint} or /pending to review"), self.style(Token::Dim))
        });
    }

    /// Opens the menu for the word at the cursor.
    pub(super) fn complete(&mut self) {
        self.completion += 1;
        let number = self.completion;
        match self.composer.trigger() {
            None => drop(self.ask_sources(number)),
            Some(Trigger::Command { range, query }) => {
                if query.is_empty() || self.commands.is_none() {
                    self.refresh_commands();
                }
                let candidates = self.command_candidates(&query);
                self.composer.offer(candidates, range);
            }
            Some(Trigger::Argument { command, range, query }) => {
                let candidates = self.argument_candidates(&command, &query);
                self.composer.offer(candidates, range.clone());
                self.complete_arguments(number, command, query, range);
            }
            Some(Trigger::File { range, query }) => {
                let Some(files) = self.files.clone() else {
                    // The list is read once per prompt.
                    if self.completed_for.is_none() {
                        self.completed_for = Some(query);
                        let cwd = self.options.cwd.clone();
                        self.spawn_blocking(move || Event::Files(Arc::new(FileIndex::read(&cwd))));
                    }
                    return;
                };
                self.spawn_blocking(move || {
                    let candidates: Vec<Candidate> = files.matching(&query);
                    Event::Candidates(number, candidates, range)
                });
            }
        }
    }

    /// Inserts text of a tool, as long as all of it can be kept: each paste stays until the prompt is sent.
    fn tool_paste(&mut self, text: &str) {
        if self.composer.size() + text.len() > MAX_PROMPT {
            return tracing::warn!("A text of a tool was not inserted: the prompt is too long");
        }
        self.perform(Effect::Paste(text.to_owned()));
    }

    pub(super) fn paste_image(&self) {
        self.spawn(async { Event::Image(images::from_clipboard().await) });
    }
}
