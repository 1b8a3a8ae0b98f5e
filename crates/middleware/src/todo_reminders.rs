//! The todo reminder: a model that stops with open tasks is reminded, a limited number of times.

use std::{
    fmt::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde_json::json;
use toolsmith_agent::{TurnContext, TurnHook};
use toolsmith_builtins::{TodoPhase, Todos};
use toolsmith_llm::{AssistantMessage, InputMessage, Message};
use toolsmith_tool::{SessionEvent, TodoReminder};

/// Maximum number of reminders between two prompts.
const MAX_REMINDERS: u32 = 3;

/// The turn hook that reminds of open tasks.
#[derive(Debug, Default)]
pub struct TodoReminders {
    todos: Todos,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// Reminders since the last prompt.
    reminded: u32,
    /// Set if a call ran since the last reminder.
    acted: bool,
}

impl TodoReminders {
    /// Creates a hook for this list.
    pub fn new(todos: Todos) -> Self {
        Self { todos, progress: Mutex::default() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl TurnHook for TodoReminders {
    async fn run_started(&self, context: &TurnContext) {
        *self.progress() = Progress::default();
        self.todos.forget(context.tool_context().session.as_ref());
    }

    /// A user message counts as a prompt.
    async fn before_request(&self, context: &TurnContext) {
        let messages = context.messages();
        let new = messages.iter().rev().take_while(|message| !matches!(***message, Message::Assistant(_)));
        if new.into_iter().any(|message| matches!(**message, Message::User(_))) {
            *self.progress() = Progress::default();
        }
    }

    async fn after_turn(&self, _message: &AssistantMessage, results: &[Message], _context: &TurnContext) {
        if !results.is_empty() {
            self.progress().acted = true;
        }
    }

    async fn before_stop(&self, context: &TurnContext) -> Option<Message> {
        let phases = self.todos.phases(context.tool_context().session.as_ref());
        let attempt = {
            let mut progress = self.progress();
            if open_tasks(&phases) == 0 {
                *progress = Progress::default();
                return None;
            }
            // A model that ignored a reminder will ignore the next one too, and one that asks a question waits for an
            // answer.
            let in_vain = progress.reminded > 0 && !progress.acted;
            if in_vain || progress.reminded >= MAX_REMINDERS || asks(context) {
                return None;
            }
            progress.reminded += 1;
            progress.acted = false;
            progress.reminded
        };
        let open = phases.iter().flat_map(|phase| {
            let open = phase.tasks.iter().filter(|task| task.status.is_open());
            open.map(|task| {
                json!({ "id": task.id, "content": task.content, "status": task.status, "phase": phase.name })
            })
        });
        let todos = open.collect();
        context
            .announce(SessionEvent::TodoReminder(TodoReminder {
                todos,
                attempt,
                max_attempts: MAX_REMINDERS,
            }))
            .await;
        let mut message = InputMessage::text(reminder(&phases, attempt));
        message.timestamp = context.now();
        Some(Message::Developer(message))
    }
}

fn reminder(phases: &[TodoPhase], attempt: u32) -> String {
    let open = open_tasks(phases);
    let (tasks, are) = if open == 1 { ("task", "is") } else { ("tasks", "are") };
    let mut text =
        format!("<system-reminder>\nYou stopped, but {open} {tasks} of your todo list {are} still open:");
    for phase in phases {
        let open = phase.tasks.iter().filter(|task| task.status.is_open());
        let lines: String = open.map(|task| format!("\n  - {} ({})", task.content, task.id)).collect();
        if !lines.is_empty() {
            let _ = write!(text, "\n{}:{lines}", phase.name);
        }
    }
    let _ = write!(
        text,
        "\nContinue with them. Mark finished tasks as done and drop unnecessary ones. If you need input, ask the user.\n\
         (Reminder {attempt}/{MAX_REMINDERS})\n</system-reminder>"
    );
    text
}

fn open_tasks(phases: &[TodoPhase]) -> usize {
    phases.iter().flat_map(|phase| &phase.tasks).filter(|task| task.status.is_open()).count()
}

/// Returns whether the model's final text asks the user something.
fn asks(context: &TurnContext) -> bool {
    let messages = context.messages();
    match messages.last().map(|message| &**message) {
        Some(Message::Assistant(said)) => said.text().trim_end().ends_with(['?', '？']),
        _ => false,
    }
}
