//! The todo list: phases of tasks, of which exactly one is in progress while any is open.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Status of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Not started.
    #[default]
    Pending,
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
    /// Abandoned.
    Abandoned,
}

impl Status {
    /// Returns whether the task is open.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[>]",
            Self::Completed => "[x]",
            Self::Abandoned => "[-]",
        }
    }
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Task {
    /// Unique in the list: `task-1`.
    #[serde(default)]
    pub id: String,
    /// Description.
    pub content: String,
    /// Status.
    #[serde(default)]
    pub status: Status,
}

/// A group of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Phase {
    /// Unique in the list: `phase-1`.
    #[serde(default)]
    pub id: String,
    /// Name.
    pub name: String,
    /// Tasks in order.
    #[serde(default)]
    pub tasks: Vec<Task>,
}

/// All phases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) phases: Vec<Phase>,
}

impl List {
    pub(super) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.phases.iter().flat_map(|phase| &phase.tasks)
    }

    pub(super) fn tasks_mut(&mut self) -> impl Iterator<Item = &mut Task> {
        self.phases.iter_mut().flat_map(|phase| &mut phase.tasks)
    }

    /// Returns the number of open tasks.
    pub(super) fn open(&self) -> usize {
        self.tasks().filter(|task| task.status.is_open()).count()
    }

    /// Ensures that exactly one task is in progress while any is open: the first one that is, else the first pending
    /// one.
    pub(super) fn settle(&mut self) {
        let is_working = |task: &Task| task.status == Status::InProgress;
        if self.tasks().any(is_working) {
            let others = self.tasks_mut().filter(|task| is_working(task)).skip(1);
            others.for_each(|task| task.status = Status::Pending);
        } else if let Some(first) = self.tasks_mut().find(|task| task.status == Status::Pending) {
            first.status = Status::InProgress;
        }
    }

    /// Assigns missing and duplicate ids, because results of compatible agents and old sessions are accepted unchanged.
    pub(super) fn number(&mut self) {
        let mut seen = std::collections::HashSet::new();
        for phase in &mut self.phases {
            if phase.id.is_empty() || !seen.insert(phase.id.clone()) {
                phase.id = free_id("phase", &mut seen);
            }
        }
        for task in self.tasks_mut() {
            if task.id.is_empty() || !seen.insert(task.id.clone()) {
                task.id = free_id("task", &mut seen);
            }
        }
    }

    /// Formats the list for the model.
    pub(super) fn show(&self) -> String {
        let count = self.tasks().count();
        if count == 0 {
            return "The todo list is empty.".to_owned();
        }
        let mut text = match self.open() {
            0 => format!("All {count} tasks are closed."),
            open => format!("{open} of {count} tasks are open."),
        };
        for phase in &self.phases {
            let _ = write!(text, "\n{}:", phase.name);
            for task in &phase.tasks {
                let _ = write!(text, "\n  {} {} {}", task.status.mark(), task.id, task.content);
            }
            if phase.tasks.is_empty() {
                text.push_str(" nothing");
            }
        }
        text
    }
}

fn free_id(kind: &str, seen: &mut std::collections::HashSet<String>) -> String {
    let mut number = seen.iter().filter(|id| id.starts_with(kind)).count() + 1;
    loop {
        let id = format!("{kind}-{number}");
        if seen.insert(id.clone()) {
            return id;
        }
        number += 1;
    }
}
