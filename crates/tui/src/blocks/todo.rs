//! The todo list.

use serde_json::Value;
use toolsmith_text::{Attributes, Row, Theme, Token};

use super::{BlockOptions, marked, wrapped};

/// State of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TodoMark {
    /// Not started.
    #[default]
    Open,
    /// In progress.
    Active,
    /// Done.
    Done,
    /// Given up.
    Dropped,
}

/// An item or a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TodoItem {
    /// A group of tasks.
    Phase(String),
    /// A task.
    Task(TodoMark, String),
}

/// The list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoBlock {
    /// Items in order.
    pub items: Vec<TodoItem>,
}

impl TodoBlock {
    /// Reads the details of a `todo_write` result.
    pub fn from_details(details: &Value) -> Option<Self> {
        let phases = details.get("phases")?.as_array()?;
        let mut items = Vec::new();
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        for phase in phases {
            if phases.len() > 1 {
                items.push(TodoItem::Phase(text(phase, "name")));
            }
            for task in phase.get("tasks").and_then(Value::as_array).into_iter().flatten() {
                let mark = match task.get("status").and_then(Value::as_str) {
                    Some("in_progress") => TodoMark::Active,
                    Some("completed" | "done") => TodoMark::Done,
                    Some("abandoned" | "cancelled" | "dropped") => TodoMark::Dropped,
                    _ => TodoMark::Open,
                };
                items.push(TodoItem::Task(mark, text(task, "content")));
            }
        }
        Some(Self { items })
    }

    /// Returns done tasks and all tasks.
    pub fn progress(&self) -> (usize, usize) {
        let tasks = || self.items.iter().filter(|item| matches!(item, TodoItem::Task(..)));
        let done = tasks()
            .filter(|item| matches!(item, TodoItem::Task(TodoMark::Done | TodoMark::Dropped, _)))
            .count();
        (done, tasks().count())
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, _options: &BlockOptions) -> Vec<Row> {
        let mut rows = Vec::new();
        let inner = columns.saturating_sub(5).max(1);
        for item in &self.items {
            match item {
                TodoItem::Phase(name) => {
                    rows.push(
                        Row::styled(format!(" {name}"), theme.style(Token::Muted).bold()).ellipsized(columns),
                    );
                }
                TodoItem::Task(mark, text) => {
                    let (sign, token, attributes) = match mark {
                        TodoMark::Open => ("   ☐ ", Token::Text, Attributes::NONE),
                        TodoMark::Active => ("   ▸ ", Token::Accent, Attributes::BOLD),
                        TodoMark::Done => ("   ☑ ", Token::Success, Attributes::STRIKE),
                        TodoMark::Dropped => ("   ☒ ", Token::Dim, Attributes::STRIKE),
                    };
                    let style = theme.style(token);
                    let text_style = if *mark == TodoMark::Done { theme.style(Token::Muted) } else { style };
                    let rest = wrapped(text, text_style.with(attributes), inner);
                    rows.extend(marked(sign, style, rest, columns));
                }
            }
        }
        rows
    }
}
