//! Projects with hooks.

use serde_json::{Value, json};
use toolsmith::{FoundHook, FoundHooks, HookOptions, discover_hooks};

use crate::place::Place;

/// A hook file of Claude Code with one command.
pub(super) fn settings(event: &str, matcher: &str, command: &str) -> String {
    hooks(event, matcher, &json!({ "type": "command", "command": command }))
}

pub(super) fn hooks(event: &str, matcher: &str, handler: &Value) -> String {
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": [handler] }] } }).to_string()
}

impl Place {
    pub(super) fn hooks(&self) -> FoundHooks {
        let options = HookOptions::new(self.cwd(), self.home())
            .settings(self.settings().settings)
            .trust(self.trust.clone());
        discover_hooks(&options)
    }

    /// The hooks: event, status and what they run.
    pub(super) fn listed(&self) -> Vec<(String, &'static str, String)> {
        let found = self.hooks();
        let line = |found: &FoundHook| {
            let what = found.what().replace(&format!("{}/", self.root.display()), "");
            (found.hook.event.as_str().to_owned(), found.status.as_str(), what)
        };
        found.hooks.iter().map(line).collect()
    }

    pub(super) fn statuses(&self) -> Vec<&'static str> {
        self.hooks().hooks.iter().map(|found| found.status.as_str()).collect()
    }

    /// Confirms every hook that waits.
    pub(super) fn confirm(&self) {
        let found = self.hooks();
        let waiting: Vec<&FoundHook> = found.waiting().collect();
        found.decide(&self.home(), &waiting, true).unwrap();
    }

    pub(super) fn executable(&self, path: &str, text: &str) {
        self.write_program(path, text);
    }

    pub(super) fn warnings(&self) -> String {
        self.hooks().all_warnings().iter().map(|warning| format!("{warning}\n")).collect()
    }
}
