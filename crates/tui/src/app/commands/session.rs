//! Commands about sessions, models and settings.

use std::sync::Arc;

use toolsmith::{llm::ThinkingLevel, tool::NoticeLevel};

use crate::{
    app::{
        effect::Effect,
        event::Event,
        interface::App,
        panels::{ChoicePanel, SessionsPanel, TreePanel},
    },
    dialog::ListItem,
};

/// The choice that starts the demo.
const DEMO: &str = "demo";

impl App {
    pub(super) fn model_command(&mut self, name: &str) {
        if !name.is_empty() {
            return self.perform(Effect::SetModel(name.to_owned()));
        }
        let current =
            self.session.as_ref().map(|session| session.agent().model().reference()).unwrap_or_default();
        let host = Arc::clone(&self.host);
        self.spawn(async move {
            let models = host.models().await;
            if models.is_empty() {
                return Event::Do(Effect::Error("No model has a key. Set one, or use /login.".to_owned()));
            }
            let items = models.iter().map(|model| {
                ListItem::new(&model.reference, &model.detail).current(model.reference == current)
            });
            let choices = models.iter().map(|model| model.reference.clone()).collect();
            let panel = ChoicePanel::new("Model", items.collect(), choices, Effect::SetModel);
            Event::Do(Effect::Open(Box::new(panel)))
        });
    }

    pub(super) fn thinking_command(&mut self, level: &str) {
        if !level.is_empty() {
            return self.perform(Effect::SetThinking(level.to_owned()));
        }
        let words: Vec<String> = ThinkingLevel::ALL.iter().map(|level| level.as_str().to_owned()).collect();
        let items =
            words.iter().map(|word| ListItem::new(word, "").current(*word == self.status.thinking)).collect();
        self.perform(Effect::Open(Box::new(ChoicePanel::new(
            "Thinking level",
            items,
            words,
            Effect::SetThinking,
        ))));
    }

    pub(super) fn theme_command(&mut self, name: &str) {
        if !name.is_empty() {
            return self.choose_theme(name.to_owned());
        }
        let names = self.theme_names();
        let items =
            names.iter().map(|name| ListItem::new(name, "").current(name == self.theme.name())).collect();
        let panel = ChoicePanel::new("Theme", items, names, |name| Effect::Submit(format!("/theme {name}")));
        self.perform(Effect::Open(Box::new(panel)));
    }

    fn choose_theme(&mut self, name: String) {
        if !self.theme_names().contains(&name) {
            return self.notice(
                NoticeLevel::Error,
                &format!("Unknown theme \"{name}\". Available: {}", self.theme_names().join(", ")),
            );
        }
        self.perform(Effect::SetTheme(name.clone()));
        self.perform(Effect::SetSetting("ui.theme".to_owned(), name));
    }

    pub(in crate::app) fn login_command(&mut self, name: &str) {
        if name.is_empty() {
            return self.choose_provider(false);
        }
        let (host, name) = (Arc::clone(&self.host), name.to_owned());
        self.spawn(async move {
            let providers = host.providers().await;
            let found = providers.iter().find(|entry| entry.name == name);
            Event::Do(match found.and_then(|entry| entry.variable.clone()) {
                Some(variable) => Effect::AskKey(name, variable),
                None => Effect::Error(format!("\"{name}\" is not a provider with a key.")),
            })
        });
    }

    /// Lists the providers to paste a key for, and the demo where nothing else is there yet.
    pub(in crate::app) fn choose_provider(&mut self, offers_demo: bool) {
        let host = Arc::clone(&self.host);
        self.spawn(async move {
            let providers = host.providers().await;
            let with_key: Vec<_> =
                providers.iter().filter_map(|entry| Some((entry, entry.variable.clone()?))).collect();
            let mut items = Vec::new();
            let mut values = Vec::new();
            if offers_demo {
                items.push(ListItem::new("demo", "an offline tour: no key, no network"));
                values.push(DEMO.to_owned());
            }
            for (entry, variable) in &with_key {
                let state = if entry.is_usable { "key found" } else { "no key" };
                items.push(
                    ListItem::new(&entry.name, format!("{} · {state}", entry.detail))
                        .current(entry.is_usable),
                );
                values.push(format!("{} {variable}", entry.name));
            }
            for entry in providers.iter().filter(|entry| entry.variable.is_none()) {
                items.push(ListItem::new(&entry.name, &entry.detail).current(entry.is_usable));
                values.push(String::new());
            }
            let choose = |value: String| match value.split_once(' ') {
                None if value == DEMO => Effect::Demo,
                Some((name, variable)) => Effect::AskKey(name.to_owned(), variable.to_owned()),
                None => Effect::Reopen(None),
            };
            Event::Do(Effect::Open(Box::new(ChoicePanel::new("Provider", items, values, choose))))
        });
    }

    pub(super) fn logout_command(&mut self, name: &str) {
        let (host, name) = (Arc::clone(&self.host), name.to_owned());
        self.spawn(async move {
            let providers = host.providers().await;
            let variable =
                providers.iter().find(|entry| entry.name == name).and_then(|entry| entry.variable.clone());
            Event::Do(match variable.map(|variable| host.remove_key(&variable)) {
                Some(Ok(true)) => Effect::Notice(format!("Removed the key for {name}.")),
                Some(Ok(false)) => Effect::Notice(format!("No stored key for {name}.")),
                Some(Err(error)) => Effect::Error(error),
                None => Effect::Error(format!("\"{name}\" is not a provider with a key.")),
            })
        });
    }

    pub(super) fn settings_command(&mut self) {
        let keys = toolsmith::settings::keys().iter().filter(|key| {
            key.name.starts_with("ui.") || matches!(key.name, "model" | "thinking" | "approval.mode")
        });
        let mut items = Vec::new();
        let mut names = Vec::new();
        for key in keys {
            items.push(ListItem::new(key.name, key.doc));
            names.push(key.name.to_owned());
        }
        let choose = |name: String| {
            let kind = toolsmith::settings::keys().iter().find(|key| key.name == name).map(|key| key.kind);
            let words: Vec<String> = match kind {
                Some(toolsmith::settings::KeyKind::Bool) => vec!["true".to_owned(), "false".to_owned()],
                Some(toolsmith::settings::KeyKind::Choice(words)) => {
                    words.iter().map(|word| (*word).to_owned()).collect()
                }
                _ => {
                    let dialog = crate::dialog::TextDialog::line(&name.clone(), move |value| {
                        value.map(|value| Effect::SetSetting(name, value))
                    });
                    return Effect::Open(Box::new(dialog));
                }
            };
            let items = words.iter().map(|word| ListItem::new(word, "")).collect();
            let title = name.clone();
            Effect::Open(Box::new(ChoicePanel::new(&title, items, words, move |value| {
                Effect::SetSetting(name.clone(), value)
            })))
        };
        self.perform(Effect::Open(Box::new(ChoicePanel::new("Settings", items, names, choose))));
    }

    pub(super) fn new_session(&mut self) {
        self.operate(|session| async move { session.new_session().await });
    }

    pub(super) fn clone_session(&mut self) {
        self.operate(|session| async move { session.fork().await });
    }

    pub(in crate::app) fn resume_command(&mut self, id: &str) {
        if !id.is_empty() {
            return self.perform(Effect::Switch(id.into()));
        }
        let home = self.options.home.clone();
        let cwd = self.options.cwd.clone();
        let current =
            self.session.as_ref().and_then(|session| session.log().file().map(std::path::Path::to_path_buf));
        self.spawn_blocking(move || {
            let sessions = toolsmith::agent::session::Sessions::at(home.toolsmith());
            Event::Do(match (sessions.list(&cwd), sessions.list_all()) {
                (Ok(here), Ok(all)) => Effect::Open(Box::new(SessionsPanel::new(here, all, current))),
                (Err(error), _) | (_, Err(error)) => Effect::Error(error.to_string()),
            })
        });
    }

    pub(super) fn name_command(&mut self, name: &str) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        if name.is_empty() {
            let shown = session
                .log()
                .name()
                .unwrap_or_else(|| "The session has no name. /name NAME gives it one.".to_owned());
            return self.notice(NoticeLevel::Info, &shown);
        }
        match session.set_name(name) {
            Ok(()) => self.refresh_status(),
            Err(error) => self.notice(NoticeLevel::Error, &error.to_string()),
        }
    }

    pub(super) fn open_tree(&mut self) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let leaf = session.log().leaf_id();
        self.spawn_blocking(move || {
            let rows = session.tree();
            Event::Do(match rows.is_empty() {
                true => Effect::Notice("The session is empty.".to_owned()),
                false => Effect::Open(Box::new(TreePanel::new(rows, leaf))),
            })
        });
    }

    pub(super) fn fork_command(&mut self) {
        let Some(session) = &self.session else { return self.not_ready() };
        let mut messages = session.user_messages();
        messages.reverse();
        if messages.is_empty() {
            return self.notice(NoticeLevel::Info, "The session has no prompts to fork from.");
        }
        let items = messages
            .iter()
            .map(|message| ListItem::new(message.text.split_whitespace().collect::<Vec<_>>().join(" "), ""))
            .collect();
        let ids = messages.into_iter().map(|message| message.entry_id).collect();
        self.perform(Effect::Open(Box::new(ChoicePanel::new(
            "Start a session from before this prompt",
            items,
            ids,
            Effect::Branch,
        ))));
    }

    pub(super) fn compact_command(&mut self, instructions: &str) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let instructions = Some(instructions.to_owned()).filter(|text| !text.is_empty());
        self.is_busy = true;
        self.status.working = Some("Compacting the session".to_owned());
        self.running = Some(std::time::Instant::now());
        self.spawn(async move {
            Event::Compacted(
                session.compact(instructions.as_deref()).await.map(|_| ()).map_err(|error| error.to_string()),
            )
        });
    }

    pub(super) fn copy_answer(&mut self) {
        match self.transcript.last_answer().map(str::to_owned) {
            Some(text) => {
                self.copy(&text);
                self.notice(NoticeLevel::Info, "Copied the last answer.");
            }
            None => self.notice(NoticeLevel::Info, "There is no answer to copy."),
        }
    }

    pub(super) fn export_command(&mut self, file: &str) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let log = session.log();
        let name = match file {
            "" => format!("session-{}.html", log.id().chars().take(8).collect::<String>()),
            file => file.to_owned(),
        };
        let path = self.options.cwd.join(&name);
        self.spawn_blocking(move || {
            let outcome = match path.extension().and_then(|extension| extension.to_str()) {
                Some("html") => std::fs::write(&path, log.to_html()),
                Some("md") => std::fs::write(&path, log.to_markdown()),
                Some("jsonl") => match log.file() {
                    Some(file) => std::fs::copy(file, &path).map(|_| ()),
                    None => {
                        return Event::Do(Effect::Error(
                            "The session is not stored, so there is no file to copy.".to_owned(),
                        ));
                    }
                },
                _ => {
                    return Event::Do(Effect::Error("The file must end in .html, .md or .jsonl.".to_owned()));
                }
            };
            Event::Do(match outcome {
                Ok(()) => Effect::Notice(format!("Wrote {}", path.display())),
                Err(error) => Effect::Error(format!("{} was not written: {error}", path.display())),
            })
        });
    }

    pub(super) fn trust_command(&mut self) {
        let host = Arc::clone(&self.host);
        self.spawn_blocking(move || match host.trust_question() {
            Some(question) => Event::Trust(Some(question)),
            None => Event::Do(Effect::Notice("Nothing waits for trust in this directory.".to_owned())),
        });
    }

    pub(super) fn reload(&mut self) {
        if self.running.is_some() {
            return self.notice(NoticeLevel::Warning, "Stop the run before reloading.");
        }
        let (keys, warnings) =
            crate::keys::KeyBindings::load(&self.options.home.toolsmith().join("keybindings.json"));
        self.keys = keys;
        for warning in warnings {
            self.notice(NoticeLevel::Warning, &warning.to_string());
        }
        self.notice(NoticeLevel::Info, "Reloading tools and settings.");
        self.perform(Effect::Reopen(None));
    }

    pub(super) fn redraw(&mut self) {
        self.inline.forget();
        self.changed_now();
    }
}
