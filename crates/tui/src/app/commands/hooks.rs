//! `/hooks`: the hooks of the project and the user, and the person's decision about those of the project.

use toolsmith::{FoundHook, FoundHooks, HookStatus, tool::NoticeLevel};

use crate::{
    app::{effect::Effect, event::Event, interface::App},
    text::{Row, Token},
};

impl App {
    pub(super) fn hooks_command(&mut self, argument: &str) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let confirm = match argument {
            "trust" => true,
            "decline" => false,
            _ => return self.spawn_blocking(move || Event::Hooks(Box::new(session.find_hooks()))),
        };
        // What was not shown cannot be decided about.
        let Some(shown) = self.shown_hooks.take() else {
            self.notice(NoticeLevel::Info, "These are the hooks. Repeat the command to decide about them.");
            return self.spawn_blocking(move || Event::Hooks(Box::new(session.find_hooks())));
        };
        self.spawn_blocking(move || {
            let waiting: Vec<&FoundHook> = shown.waiting().collect();
            let (count, what) = (waiting.len(), if confirm { "confirmed" } else { "declined" });
            Event::Do(match session.decide_hooks(&shown, &waiting, confirm) {
                Ok(_) => Effect::Notice(format!("Hooks {what}: {count}")),
                Err(error) => Effect::Error(error.to_string()),
            })
        });
    }

    /// Shows hooks, each with everything it runs.
    pub(in crate::app) fn show_hooks(&mut self, found: FoundHooks) {
        if found.hooks.is_empty() {
            self.notice(NoticeLevel::Info, "No hooks were found.");
        } else {
            let (muted, warning) = (self.style(Token::Muted), self.style(Token::Warning));
            let mut rows = Vec::new();
            for hook in &found.hooks {
                let is_running = matches!(hook.status, HookStatus::User | HookStatus::Confirmed);
                let matcher = hook.hook.matcher.as_text();
                let name = format!("  {} {} ", hook.hook.event.as_str(), visible(&matcher));
                let status = hook.status.as_str();
                rows.push(Row::plain(name).and(status, if is_running { muted } else { warning }));
                rows.push(Row::styled(format!("    {}", hook.what()), muted));
                for file in &hook.files {
                    rows.push(Row::styled(format!("    with {}", visible(&file.to_string_lossy())), muted));
                }
            }
            self.show("Hooks", rows);
        }
        for warning in &found.warnings {
            self.notice(NoticeLevel::Warning, &warning.to_string());
        }
        let count = found.waiting().count();
        if count > 0 {
            let text =
                format!("{count} of them wait for you: `/hooks trust` runs them, `/hooks decline` does not.");
            self.notice(NoticeLevel::Warning, &text);
        }
        self.shown_hooks = Some(found);
    }
}

fn visible(text: &str) -> String {
    toolsmith_tool::visible_line(text).into_owned()
}
